/* Which series there are: the writer's memory of the table `series`.
 *
 * A message's series is found by what the message is, and always the same way: a set of tags that
 * is told apart stays so, and once an owner has a series of other tags no further set is. So what a
 * message was counted in can be told at any later time. */
#pragma once

#include "base/arena.h"
#include "store/records.h"

/* Sorted tags are no longer than this; those that are, are not told apart. */
enum { SERIES_TAGS_SIZE = 8 << 10, SERIES_TAGS_COUNT = 32 };

struct series_entry;

/* Owned by one thread. */
struct series_table {
    uint8_t key[16]; /* of the hash */
    struct arena texts;
    struct series_entry *entries;
    uint32_t *slots; /* entry + 1; 0 = free */
    size_t count, room;
    unsigned bits;
    size_t last; /* entry that was found last */
};

void series_init(struct series_table *t);
void series_done(struct series_table *t);
void series_clear(struct series_table *t);

/* The tags, one per line, sorted and each once; in `room` if they are not so already. p is NULL
 * when they are too long or too many. */
struct str series_tags(struct str tags, char room[SERIES_TAGS_SIZE]);
/* Whether this is one of the tags that its messages have. */
bool series_has_tag(const struct series_record *r, struct str tag);
/* The series of a message, as far as the message tells: all but the number, and whether its tags
 * are told apart. The views are those of the message or in `room`. */
void series_of_message(struct series_record *ret, const struct message *m,
                       char room[SERIES_TAGS_SIZE]);
/* Makes it a series of other tags when its own are not told apart: they are new, and the owner has
 * `max` sets already. */
void series_settle(const struct series_table *t, struct series_record *r, size_t max);

/* Its number; 0 when it is not known. */
int64_t series_find(struct series_table *t, const struct series_record *r);
/* The number that the next series of this owner has. */
int64_t series_next(const struct series_table *t, int64_t account, enum mode mode);
/* Remembers it. 0, -ENOMEM. */
int series_put(struct series_table *t, const struct series_record *r);
