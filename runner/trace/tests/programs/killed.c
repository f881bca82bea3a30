// Makes a call and is killed before it can clean up.
#include <infiniband/verbs.h>
#include <signal.h>
#include <unistd.h>

int main(void)
{
	int devices;
	ibv_get_device_list(&devices);
	kill(getpid(), SIGKILL);
	return 0;
}
