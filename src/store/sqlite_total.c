/* How many messages match. Exact, and without reading them where that is possible: leaves know
 * their rank, and the states of an owner's messages are tallied. For the rest the shortest list
 * that there is is walked; it may be that of the messages that do not match. */
#include "store/sqlite_rows.h"
#include "store/sqlite_search.h"
#include "store/terms.h"

/* ---- by rank ---- */

/* Entries of one volume under one term, between the bounds. */
static int count_in_volume(struct search *q, const struct volume *v, int64_t term, int64_t *ret)
{
    struct posting *p = &q->reader->postings[0];
    int64_t from = 0, to = 0;

    p->seek = q->reader->statements[READ_LEAF_SEEK];
    p->get = q->reader->statements[READ_LEAF_GET];
    p->owner = q->owner;
    p->term = term;
    posting_open(p, v->id);
    q->open_volume = 0;
    int failed = posting_rank(p, q->low, &from);
    if (!failed)
        failed = posting_rank(p, q->high < v->last ? q->high + 1 : v->last + 1, &to);
    *ret = to - from;
    return failed;
}

int count_term(struct search *q, int64_t term, int64_t *ret)
{
    int failed = 0;

    *ret = (int64_t)q->tail_count;
    for (size_t i = 0; i < q->volume_count && !failed; i++) {
        int64_t n = 0;
        if (q->volumes[i].last >= q->low && q->volumes[i].first <= q->high)
            failed = count_in_volume(q, &q->volumes[i], term, &n);
        *ret += n;
    }
    return failed;
}

/* ---- by walking ---- */

/* Messages that have the terms, whatever their state. */
static int count_terms(struct search *q, int64_t *ret)
{
    int64_t id = q->high;
    int found;

    if (q->term_count == 1 && !q->outbound)
        return count_term(q, q->terms[0], ret);
    for (*ret = 0; (found = walk_terms(q, false, id, &id)) == 1; id--)
        ++*ret;
    return found;
}

/* Messages in these states that have the terms; not for delivered ones. */
static int count_standing(struct search *q, uint32_t statuses, int64_t *ret)
{
    int64_t id = q->high;
    int found, fits = 0;

    for (*ret = 0; (found = walk_statuses(q, statuses, false, id, &id)) == 1; id--) {
        fits = has_terms(q, id);
        if (fits < 0)
            return fits;
        *ret += fits;
    }
    return found;
}

/* Messages that have the terms and are in the states that are looked for. */
static int count_terms_in_state(struct search *q, int64_t *ret)
{
    int64_t id = q->high;
    int found;

    for (*ret = 0; (found = walk_terms(q, false, id, &id)) == 1; id--) {
        int fits = has_status(q, id);
        if (fits < 0)
            return fits;
        *ret += fits;
    }
    return found;
}

/* All with the terms but those in the other states. */
static int count_by_others(struct search *q, int64_t *ret)
{
    int64_t all, others;
    int failed = count_terms(q, &all);

    if (!failed)
        failed = count_standing(q, ~q->statuses, &others);
    if (!failed)
        *ret = all - others;
    return failed;
}

/* ---- choosing ---- */

static bool has_bounds(const struct search *q)
{
    return q->low > 0 || q->high < INT64_MAX;
}

static int count_in_state(struct search *q, int64_t *ret)
{
    bool delivered = q->statuses & status_bit(STATUS_DELIVERED);
    int64_t shorter = tally_of(q, delivered ? ~q->statuses : q->statuses);

    if (!has_bounds(q) && !q->outbound && q->terms[0] == term_alone(TERM_ANY)) {
        *ret = tally_of(q, q->statuses);
        return 0;
    }
    if (q->fewest <= shorter)
        return count_terms_in_state(q, ret);
    return delivered ? count_by_others(q, ret) : count_standing(q, q->statuses, ret);
}

int search_total(struct search *q, int64_t *ret)
{
    *ret = 0;
    if (q->low > q->high)
        return 0;
    return q->statuses ? count_in_state(q, ret) : count_terms(q, ret);
}
