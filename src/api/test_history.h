/* Random histories of messages for the tests of analytics, and the bare facts of what is in the
 * store then, read from the messages themselves. */
#pragma once

#include "api/test_api.h"
#include "base/test_random.h"

enum { HISTORY_MAX = 4096, HISTORY_KEYS = 4, HISTORY_TAGS = 5 };

extern const char *const history_keys[HISTORY_KEYS]; /* two accounts, test and live each */
extern const char *const history_countries[];        /* NULL at the end; "" is none */
extern const char *const history_senders[];
extern const char *const history_tags[HISTORY_TAGS];

/* A message as far as it counts. */
struct fact {
    int64_t account;
    enum mode mode;
    bool outbound;
    enum message_status status;
    enum message_kind kind;
    enum message_type type;
    enum number_type number_type;
    char country[3], from[32];
    unsigned tags; /* bits of history_tags */
    int64_t segments, cost_micros;
    int64_t created_us;
    int64_t delivery_ms; /* -1: not delivered */
    enum failure failure;
};
extern struct fact facts[HISTORY_MAX];
extern size_t fact_count;

/* Calls that keys have made, as far as they are written. */
struct calls {
    size_t key; /* of history_keys */
    int64_t at_us, count;
};
extern struct calls calls[1024];
extern size_t call_count;

/* Makes the keys; the clock is set to the beginning. */
void history_begin(uint64_t *seed, const char *time);
/* Time goes on, messages are accepted and moved, some of all kinds; then the facts are read. */
void history_go_on(uint64_t *seed, size_t messages);
/* Writes how many calls were made with each key since the last time. */
void history_write_calls(const int64_t made[HISTORY_KEYS]);
