/* Who has opted out, of every account and mode: in memory, so that each send and each hand-over to
 * a carrier can ask without a lock and without the store.
 *
 * One thread changes it, the store's writer, when the change is durable; any thread asks. What is
 * kept are 64-bit keyed hashes: whoever does not know the store's secret can make no two numbers
 * meet, and by chance, with a million opt-outs, it happens once in eighteen million million sends.
 */
#pragma once

#include "store/store.h"

struct optouts;

/* Empty; asking it costs one look. `secret` has 16 bytes (store_secret). NULL when memory is short.
 */
struct optouts *optouts_new(const uint8_t *secret);
void optouts_free(struct optouts *o);
/* Adds all that the store knows; at start. 0 or a negative errno. */
int optouts_load(struct optouts *o, struct store_reader *r);

/* Again is no mistake. -ENOMEM: it holds from the next start on. */
int optouts_add(struct optouts *o, int64_t account, enum mode mode, struct str number);
void optouts_remove(struct optouts *o, int64_t account, enum mode mode, struct str number);

/* Any thread. */
bool optouts_has(struct optouts *o, int64_t account, enum mode mode, struct str number);
