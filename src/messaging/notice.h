/* Notices: what clients are told of messages, which the API calls events. */
#pragma once

#include "store/store.h"

/* The type in the API, "message.sent". */
const char *notice_word(enum notice_kind kind);
bool notice_from_word(struct str word, enum notice_kind *ret);
/* What it means, a sentence for people. */
const char *notice_meaning(enum notice_kind kind);
/* Those that a client gets who names none: sent, delivered, failed. */
uint32_t notice_default_kinds(void);

/* Which of its message's notices it is, from 1. `m` is its message. */
unsigned notice_sequence(const struct notice_record *n, const struct message *m);
