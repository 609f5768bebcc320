/* How many messages match. Exact, and without reading them where that is possible: the states of an
 * owner's messages are tallied, leaves know their rank, and rollups have the counts of whole hours.
 * Else the matches are walked, or, where most match, those that do not. */
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

/* By the index and the lists of states alone. */
static int count_matches(struct search *q, int64_t *ret)
{
    if (!q->statuses)
        return count_terms(q, ret);
    if (q->statuses & status_bit(STATUS_DELIVERED))
        return count_by_others(q, ret);
    return count_standing(q, q->statuses, ret);
}

/* ---- between closer bounds ---- */

static int narrow(const struct search *q, struct stretch s, struct search *ret)
{
    *ret = *q;
    ret->open_volume = 0;
    ret->low = s.low > q->low ? s.low : q->low;
    ret->high = s.high < q->high ? s.high : q->high;
    ret->barren = arena_alloc(q->arena, q->volume_count + 1);
    if (q->tail_count) {
        size_t first = search_tail_place(q, ret->low);
        ret->tail = q->tail + first;
        ret->tail_count = search_tail_place(q, ret->high) - first;
        if (ret->tail_count < q->tail_count - first && ret->tail[ret->tail_count] == ret->high)
            ret->tail_count++;
    }
    return ret->barren ? 0 : -ENOMEM;
}

typedef int count_function(struct search *q, int64_t *ret);

static int count_between(struct search *q, struct stretch s, count_function *count, int64_t *ret)
{
    struct search part;

    *ret = 0;
    if (s.low > s.high)
        return 0;
    if (s.low <= q->low && s.high >= q->high)
        return count(q, ret);
    int failed = narrow(q, s, &part);
    if (!failed && part.low <= part.high)
        failed = count(&part, ret);
    return failed;
}

static int count_stretches(struct search *q, const struct stretch *stretches, size_t n,
                           int64_t *ret)
{
    int64_t count;
    int failed = 0;

    *ret = 0;
    for (size_t i = 0; i < n && !failed; i++) {
        failed = count_between(q, stretches[i], count_matches, &count);
        *ret += count;
    }
    return failed;
}

/* A search with another direction. */
static int count_directed(struct search *q, enum direction direction,
                          const struct stretch *stretches, size_t n, int64_t *ret)
{
    struct message_filter filter = *q->filter;
    struct search other;

    filter.direction = direction;
    int failed = search_begin(&other, q->reader, q->owner, &filter, q->arena);
    if (!failed)
        failed = count_stretches(&other, stretches, n, ret);
    return failed;
}

static bool is_empty(const struct stretch *stretches, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (stretches[i].low <= stretches[i].high)
            return false;
    return true;
}

/* Of outbound messages there are as many as of all less those that are inbound. */
static int count_walking(struct search *q, const struct stretch *stretches, size_t n, int64_t *ret)
{
    int64_t inbound;

    if (!q->outbound || is_empty(stretches, n))
        return count_stretches(q, stretches, n, ret);
    int failed = count_directed(q, 0, stretches, n, ret);
    if (!failed)
        failed = count_directed(q, DIRECTION_INBOUND, stretches, n, &inbound);
    if (!failed)
        *ret -= inbound;
    return failed;
}

static int count_by_walk(struct search *q, int64_t *ret)
{
    return count_walking(q, &(struct stretch){q->low, q->high}, 1, ret);
}

/* ---- by rollups ---- */

/* All from a sender, in both directions. */
static int count_from(struct search *q, struct stretch s, int64_t *ret)
{
    struct message_filter filter = {.from = q->filter->from,
                                    .after_us = q->filter->after_us,
                                    .before_us = q->filter->before_us};
    struct search other;

    if (q->term_count == 1 && !q->outbound)
        return count_between(q, s, count_term, ret);
    int failed = search_begin(&other, q->reader, q->owner, &filter, q->arena);
    if (!failed)
        failed = count_between(&other, s, count_term, ret);
    return failed;
}

/* Adds the inbound messages from a sender: all from it that it has not sent. */
static int add_inbound(struct search *q, const struct hours *h, struct search_sum *sum)
{
    int64_t from;
    int failed = sum->inbound_in_states ? count_from(q, h->whole, &from) : 0;

    if (!failed && sum->inbound_in_states)
        sum->matches += from - sum->sent;
    return failed;
}

/* Whether it says all of its hours. Which inbound messages are from a sender is known only of all
 * together. */
static bool is_clear(const struct search *q, const struct search_sum *sum)
{
    return !sum->blurred && (!sum->inbound_in_states ||
                             (!q->filter->tag.p && sum->inbound_in_states == sum->inbound));
}

static int count_by_rollups(struct search *q, int64_t *ret)
{
    struct search_sum sum = {.blurred = true};
    struct hours h;
    int failed = search_hours(q, &h);

    if (!failed && h.from < h.to)
        failed = search_sum(q, &h, &sum);
    if (failed)
        return failed;
    if (!is_clear(q, &sum))
        return count_by_walk(q, ret);
    failed = add_inbound(q, &h, &sum);
    if (!failed)
        failed = count_walking(q, h.rest, 2, ret);
    if (!failed)
        *ret += sum.matches;
    return failed;
}

/* ---- which way ---- */

static int64_t sum_tallies(const struct search *q, uint32_t statuses)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < STATUSES; i++)
        if (statuses & UINT32_C(1) << i)
            sum += q->tallies[i];
    return sum;
}

static int count_by_tallies(struct search *q, int64_t *ret)
{
    *ret = sum_tallies(q, q->statuses);
    return 0;
}

static int count_none(struct search *q, int64_t *ret)
{
    *ret = 0;
    return 0;
}

/* The messages in the states, or in the others when delivered is among them, are few. */
static bool is_quick_to_walk(const struct search *q)
{
    const struct sqlite_store *store = sqlite_of(q->reader->base.store);
    bool others = q->statuses & status_bit(STATUS_DELIVERED);

    if (!q->statuses || (others && q->term_count > 1))
        return false;
    return sum_tallies(q, others ? ~q->statuses : q->statuses) <= (int64_t)store->sizes.few;
}

static bool is_all_of_owner(const struct search *q)
{
    return search_takes_all(q) && q->low == q->edge && q->high == INT64_MAX;
}

/* One term, or all less the inbound ones. */
static bool has_ranks(const struct search *q)
{
    return !q->statuses && q->term_count == 1 &&
           (!q->outbound || q->terms[0] == term_alone(TERM_ANY));
}

/* What it asks for is what series tell apart. */
static bool has_rollups(const struct search *q)
{
    const struct message_filter *f = q->filter;

    return COUNTING && !f->to.p && !f->batch && (!f->tag.p || f->tag.n) &&
           (!f->from.p || f->from.n);
}

static count_function *choose_way(const struct search *q)
{
    if (q->low > q->high)
        return count_none;
    if (q->statuses && is_all_of_owner(q))
        return count_by_tallies;
    if (has_ranks(q) || is_quick_to_walk(q) || !has_rollups(q))
        return count_by_walk;
    return count_by_rollups;
}

int search_total(struct search *q, int64_t *ret)
{
    int failed = choose_way(q)(q, ret);

    q->open_volume = 0; /* the reader's postings may be those of another search */
    return failed;
}
