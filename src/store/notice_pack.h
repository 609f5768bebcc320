/* Notices in one row: those that a transaction made of one owner.
 *
 *   pack   = entry…
 *   entry  = id, form, message, at, [sent], [failure, retries, carrier]
 *
 * `form` is a byte: the kind, and which of the parts in brackets follow. All others are numbers as
 * in varint.h. The id and the time are told as the difference to the entry before, the message as
 * the difference to the id, the time of sending as the difference to the time; differences that may
 * be below zero have their sign in the lowest bit. */
#pragma once

#include "store/records.h"

enum { NOTICE_PACK_COUNT = 64, NOTICE_PACK_SIZE = NOTICE_PACK_COUNT * 60 };

struct notice_pack {
    int64_t owner;
    int64_t first, last; /* numbers */
    int64_t last_at_us;
    uint32_t kinds; /* bits */
    unsigned count;
    size_t size;
    uint8_t bytes[NOTICE_PACK_SIZE];
};

/* Numbers ascend, and there is room for NOTICE_PACK_COUNT. */
void notice_pack_begin(struct notice_pack *p, int64_t owner, int64_t first);
void notice_pack_add(struct notice_pack *p, const struct notice_record *n);

struct notice_unpack {
    const uint8_t *at, *end;
    struct notice_record notice; /* the last one */
    bool damaged;
};

void notice_unpack_begin(struct notice_unpack *u, int64_t owner, int64_t first,
                         const uint8_t *bytes, size_t n);
/* The next is in u->notice; false at the end, and where the bytes make no sense (then u->damaged is
 * true). */
bool notice_unpack_next(struct notice_unpack *u);
