/* How many messages match. Exact, and without reading them where that is possible: leaves know
 * their rank, and the states of an owner's messages are tallied. Else the matches are walked, or,
 * where most match, those that do not. */
#include "store/sqlite_rows.h"
#include "store/sqlite_search.h"
#include "store/terms.h"

/* ---- by rank ---- */

/* Entries of one volume, between the bounds. */
static int count_in_volume(struct search *q, size_t at, int64_t *ret)
{
    const struct volume *v = &q->volumes[at];
    struct posting *p = &q->reader->postings[0];
    int64_t from = 0, to = 0;

    search_open_volume(q, at);
    int failed = posting_rank(p, q->low, &from);
    if (!failed)
        failed = posting_rank(p, q->high < v->last ? q->high + 1 : v->last + 1, &to);
    *ret = to - from;
    return failed;
}

/* All messages under the one term there is. */
static int count_term(struct search *q, int64_t *ret)
{
    int failed = 0;

    *ret = (int64_t)q->tail_count;
    for (size_t i = 0; i < q->volume_count && !failed; i++) {
        int64_t n = 0;
        if (q->volumes[i].last >= q->low && q->volumes[i].first <= q->high)
            failed = count_in_volume(q, i, &n);
        q->barren[i] = n == 0;
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
        return count_term(q, ret);
    for (*ret = 0; (found = walk_terms(q, false, id, &id)) == 1; id--)
        ++*ret;
    return found;
}

/* And are in these states, delivered not among them. */
static int count_standing(struct search *q, uint32_t statuses, int64_t *ret)
{
    int64_t id = q->high;
    int found;

    for (*ret = 0; (found = walk_standing(q, statuses, false, id, &id)) == 1; id--)
        ++*ret;
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

static int64_t sum_tallies(const struct search *q)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < STATUSES; i++)
        if (q->statuses & UINT32_C(1) << i)
            sum += q->tallies[i];
    return sum;
}

int search_total(struct search *q, int64_t *ret)
{
    *ret = 0;
    if (q->low > q->high)
        return 0;
    if (!q->statuses)
        return count_terms(q, ret);
    if (search_takes_all(q) && q->low == q->edge && q->high == INT64_MAX) {
        *ret = sum_tallies(q);
        return 0;
    }
    if (q->statuses & status_bit(STATUS_DELIVERED))
        return count_by_others(q, ret);
    return count_standing(q, q->statuses, ret);
}
