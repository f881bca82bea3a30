// Prints what listing the devices gives, and its errno.
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>

int main(void)
{
	int devices = -1;
	errno = 0;
	struct ibv_device **list = ibv_get_device_list(&devices);
	printf("%s %d %d\n", list ? "list" : "NULL", devices, list ? 0 : errno);
	if (list)
		ibv_free_device_list(list);
	return 0;
}
