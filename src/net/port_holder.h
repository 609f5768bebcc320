/* Who listens on a port that we wanted: the sockets in /proc/net/tcp and tcp6, and the processes
 * that hold them. Those of other users can be seen by root only. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

enum { PORT_HOLDER_SIZE = 64 };

/* "nginx (pid 123)"; false when it cannot be found out. */
bool port_holder_find(const struct sockaddr *wanted, char out[PORT_HOLDER_SIZE]);
