// Parent and child each make calls: one before the fork, two after it.
#include <infiniband/verbs.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int devices;
	ibv_get_device_list(&devices);
	pid_t child = fork();
	if (child == 0) {
		ibv_get_device_list(&devices);
		ibv_get_device_list(&devices);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	return status;
}
