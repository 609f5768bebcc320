/* Wrong keys per address: who guesses is told to wait.
 *
 * Of one address at most so many wrong keys are told to be wrong in a minute, which begins with the
 * first of them, whatever the threads. Until it is over no other key of that address is looked at,
 * right or wrong. An IPv6 client has a whole /64 to itself, so all of it counts as one address.
 *
 * Memory is fixed. Addresses fall into small sets, by a hash that nobody outside can foretell;
 * where a set is full, the address whose minute began first is forgotten. */
#pragma once

#include <netinet/in.h>
#include <stdint.h>

struct throttle;

/* Any thread may use it. `most`: wrong keys in a minute; 0 = any number. NULL: memory is short. */
struct throttle *throttle_new(unsigned most);
void throttle_free(struct throttle *t);

/* Seconds until this address may show a key again; 0 = now. One load as long as nobody around has
 * used up its minute. */
unsigned throttle_wait(struct throttle *t, const struct in6_addr *address, int64_t now_us);
/* A key from there was wrong. 0: it may be told so; else the seconds to wait, as above. */
unsigned throttle_fail(struct throttle *t, const struct in6_addr *address, int64_t now_us);
