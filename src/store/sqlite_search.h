/* A search for messages, and how its matches are found and counted.
 *
 * What a message can be found by never changes and is in the index of messages, or, for the newest
 * ones, in their rows alone; where it stands changes, and is in tables of its own. So there are two
 * ways to candidates, by terms and by status; whichever promises fewer is taken, and each candidate
 * is looked at for the rest. */
#pragma once

#include "store/sqlite_posting.h"
#include "store/sqlite_volume.h"

struct arena;
struct message_filter;
struct sqlite_reader;

enum { SEARCH_TERMS_MAX = 4 };            /* to, from, tag, inbound */
enum { POSTINGS = SEARCH_TERMS_MAX + 1 }; /* and the one that is not wanted */
enum { STATUSES = 8 };                    /* numbers of states are below */

/* The answer of a list that was asked for its nearest number: it holds for all numbers that lie
 * between question and answer. */
struct nearest {
    bool known;
    int64_t asked, found;
};

/* Lives on the stack, in one read transaction. */
struct search {
    struct sqlite_reader *reader;
    struct arena *arena;
    int64_t owner;
    int64_t low, high; /* numbers that the batch and times allow; none when low > high */
    uint32_t statuses; /* a set; 0 = any */
    int64_t terms[SEARCH_TERMS_MAX]; /* one at least: the one that all messages have */
    size_t term_count;
    bool outbound;  /* inbound ones are not wanted */
    int64_t fewest; /* messages that a term leads to; only when there are statuses */
    bool by_status;
    size_t look_max; /* candidates that may be looked at; SIZE_MAX = all */

    struct volume *volumes; /* oldest first */
    size_t volume_count;
    size_t open_volume; /* that the reader's postings are in, from 1 on */
    int64_t *tail; /* numbers that no volume covers, have the terms, and are between the bounds */
    size_t tail_count;
    int64_t tallies[STATUSES]; /* how many the owner has in each state */
    struct nearest nearest[STATUSES];
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

/* sqlite_range.c: the bounds that a batch and times set. */
int search_range(struct search *q, const struct message_filter *filter);

/* sqlite_walk.c: as search_next, by one way alone; `statuses` without delivered. */
int walk_terms(struct search *q, bool up, int64_t number, int64_t *ret);
int walk_statuses(struct search *q, uint32_t statuses, bool up, int64_t number, int64_t *ret);
/* Whether a message has the rest: 1, 0, or a negative errno. */
int has_terms(struct search *q, int64_t id);
int has_status(struct search *q, int64_t id);
/* How many messages the owner has in these states. */
int64_t tally_of(const struct search *q, uint32_t statuses);
/* How many messages have one of the terms. */
int count_term(struct search *q, int64_t term, int64_t *ret);
