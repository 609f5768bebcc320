/* A socket that listens, and words for why it cannot. */
#pragma once

#include <stddef.h>

enum { ADDRESS_SIZE = 64 };

/* On "127.0.0.1:8443", "[::1]:8443" or "localhost:0". `address` is where it can be reached. On
 * failure `why` is a line for the operator, with whoever holds the port. */
int listener_open(const char *listen_on, int *ret_fd, char address[ADDRESS_SIZE], char *why,
                  size_t why_size);
