/* A search for messages, and how its matches are found and counted.
 *
 * What a message can be found by never changes and is in the index of messages, or, for the newest
 * ones, in their rows alone. Where it stands changes, and is in tables of its own. Each of these
 * names the number nearest to any other, and what they all name is a match; a long list is skipped
 * through by a short one. Only the messages that were delivered have no list of their own, because
 * nearly all were: for them candidates are looked at one by one, and they are counted by those that
 * were not. */
#pragma once

#include "store/sqlite_posting.h"
#include "store/sqlite_volume.h"

struct arena;
struct message_filter;
struct sqlite_reader;

enum { SEARCH_TERMS_MAX = 4 };            /* to, from, tag, inbound */
enum { POSTINGS = SEARCH_TERMS_MAX + 1 }; /* and the one that is not wanted */
enum { STATUSES = 8 };                    /* numbers of states are below */

enum { WINDOW_SIZE = 64 };

/* A piece of the list of one status: all of its numbers from the one that was asked for to the
 * last, in the direction of the walk. */
struct window {
    int64_t asked;
    int64_t ids[WINDOW_SIZE];
    unsigned count, at, limit; /* 0 = nothing was asked yet */
    bool up, ended;            /* there is nothing behind the last */
};

/* Numbers from one to the other; none when low > high. */
struct stretch {
    int64_t low, high;
};

/* Lives on the stack, in one read transaction. */
struct search {
    struct sqlite_reader *reader;
    struct arena *arena;
    const struct message_filter *filter; /* the caller's */
    int64_t owner;
    int64_t edge;      /* messages below it are gone, whatever the volumes have */
    int64_t low, high; /* numbers that the edge, batch and times allow; none when low > high */
    uint32_t statuses; /* a set; 0 = any */
    int64_t terms[SEARCH_TERMS_MAX]; /* one at least: the one that all messages have */
    size_t term_count;
    bool outbound;   /* inbound ones are not wanted */
    size_t look_max; /* candidates that may not have been delivered; SIZE_MAX = all */

    struct volume *volumes; /* oldest first */
    size_t volume_count;
    bool *barren;       /* volumes that proved to have none of the term */
    size_t open_volume; /* that the reader's postings are in, from 1 on */
    int64_t *tail; /* numbers that no volume covers, have the terms, and are between the bounds */
    size_t tail_count;
    int64_t tallies[STATUSES]; /* how many the owner has in each state */
    struct window windows[STATUSES];
};

/* Reads what all of the following need. */
int search_begin(struct search *q, struct sqlite_reader *r, int64_t owner,
                 const struct message_filter *filter, struct arena *a);
/* The next match: the nearest number that is not below (up) or not above this one. 1 found, 0 there
 * is none, or a negative errno. */
int search_next(struct search *q, bool up, int64_t number, int64_t *ret);
/* How many matches there are. */
int search_total(struct search *q, int64_t *ret);

/* ---- between the files of search ---- */

/* sqlite_range.c: the bounds that the edge, a batch and times set. */
int search_range(struct search *q, const struct message_filter *filter);

/* The whole hours between the bounds of a search, and what is left at both ends. */
struct hours {
    int64_t from, to; /* unix time / 3600; from the one to before the other */
    struct stretch whole;
    struct stretch rest[2];
};

/* Hours of which only numbers without a message are cut off count as whole. */
int search_hours(struct search *q, struct hours *ret);

/* What the rollups of some hours know of the matches. */
struct search_sum {
    bool blurred;    /* the tag that is asked for may be among those that are not told apart */
    int64_t matches; /* without inbound ones when a sender is asked for, since rollups have none */
    /* When a sender is asked for: what it has sent, whatever tags and states; inbound messages with
     * the tag, from anybody; those of them in the states. */
    int64_t sent, inbound, inbound_in_states;
};

/* sqlite_total_rollup.c */
int search_sum(struct search *q, const struct hours *h, struct search_sum *ret);

/* Every message of the owner has the terms. */
bool search_takes_all(const struct search *q);
/* sqlite_walk.c: the place of the first number of the tail that is not below this one; */
size_t search_tail_place(const struct search *q, int64_t number);
/* the reader's postings are from now on those of the terms in this volume, and
 * behind them that of inbound messages; */
void search_open_volume(struct search *q, size_t at);
/* as search_next, but without regard to the status; */
int walk_terms(struct search *q, bool up, int64_t number, int64_t *ret);
/* and for messages in these states, delivered not among them. */
int walk_standing(struct search *q, uint32_t statuses, bool up, int64_t number, int64_t *ret);
