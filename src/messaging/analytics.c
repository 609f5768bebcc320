#include "messaging/analytics.h"

#include "messaging/words.h"

#include <assert.h>

bool analytics_init(struct analytics *a, bool requests)
{
    int64_t none = requests ? 0 : SUM_NOT_COUNTED;

    a->first_us = interval_start(a->range.interval, a->range.from_us);
    a->piece_count = time_range_pieces(&a->range);
    a->pieces = arena_alloc(a->arena, a->piece_count * sizeof *a->pieces);
    if (!a->pieces)
        return false;
    for (size_t i = 0; i < a->piece_count; i++)
        a->pieces[i].requests = none;
    a->total.requests = none;
    a->last_piece = NULL;
    return true;
}

/* Rows of the same time come one after the other. */
static struct sum *piece_at(struct analytics *a, int64_t start_us)
{
    if (a->last_piece && a->last_us == start_us)
        return a->last_piece;
    assert(start_us >= a->range.from_us && start_us < a->range.to_us);
    a->last_us = start_us;
    return a->last_piece = &a->pieces[interval_index(a->range.interval, a->first_us, start_us)];
}

/* ---- what the store tells ---- */

static struct sum_group **find_tags(struct analytics *a, struct str tags)
{
    struct sum_group **list;
    size_t count = 0;

    for (struct str rest = tags; rest.n; count++)
        str_cut(&rest, '\n');
    if (!(list = arena_alloc(a->arena, (count + 1) * sizeof *list)))
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = sum_groups_get(&a->tags, a->arena, str_cut(&tags, '\n'));
    return list;
}

/* The record is the store's and soon gone, so the groups are found now. */
static void meet_series(struct analytics *a, struct series_sum *s, const struct series_record *r)
{
    struct arena *arena = a->arena;

    s->outbound = true;
    s->country = sum_groups_get(&a->countries, arena, str_of(r->country));
    s->type = sum_groups_get(&a->types, arena, str_of(message_type_word(r->type)));
    s->number_type =
        sum_groups_get(&a->number_types, arena, str_of(number_type_word(r->number_type)));
    s->kind = sum_groups_get(&a->kinds, arena, str_of(kind_word(r->kind)));
    s->other_tags = r->other_tags;
    s->tags = find_tags(a, r->other_tags ? (struct str){NULL, 0} : r->tags);
}

static bool has_times(struct analytics *a, struct sum *s)
{
    return s->times || (s->times = arena_new(a->arena, struct delivery_times));
}

static void take_times(struct analytics *a, struct sum *s, const struct rollup *counts)
{
    if (counts->times.count && has_times(a, s))
        delivery_times_add(s->times, a->arena, &counts->times);
}

static void take_failures(struct analytics *a, const struct rollup *counts)
{
    for (size_t i = 0; i < counts->failures.count; i++) {
        const struct rollup_slot *f = &counts->failures.at[i];
        assert(f->slot < FAILURE_SLOTS);
        a->failures[f->slot] += f->count;
    }
}

void analytics_take_rollup(void *analytics, const struct series_record *series, int64_t start_us,
                           const struct rollup *counts)
{
    struct analytics *a = analytics;
    struct series_sum *s = series_sums_get(&a->series, a->arena, series->id);

    if (!s)
        return;
    if (!s->outbound && series->direction == DIRECTION_OUTBOUND)
        meet_series(a, s, series);
    sum_add_rollup(&s->sum, series, counts);
    take_failures(a, counts);
    if (a->with_times)
        take_times(a, &s->sum, counts);
    if (!a->hours_apart)
        analytics_take_hour(a, series, start_us, counts);
}

void analytics_take_hour(void *analytics, const struct series_record *series, int64_t start_us,
                         const struct rollup *counts)
{
    struct analytics *a = analytics;
    struct sum *piece = piece_at(a, start_us);

    sum_add_rollup(piece, series, counts);
    if (a->with_times && !a->pieces_untimed)
        take_times(a, piece, counts);
}

void analytics_take_requests(void *analytics, int64_t start_us, int64_t count)
{
    struct analytics *a = analytics;

    piece_at(a, start_us)->requests += count;
    a->total.requests += count;
}

/* ---- putting it together ---- */

static void end_times(struct analytics *a, struct series_sum *s)
{
    struct sum *const all[] = {&a->total, &s->country->sum, &s->number_type->sum};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (has_times(a, all[i]))
            delivery_times_merge(all[i]->times, a->arena, s->sum.times);
}

static void end_series(struct analytics *a, struct series_sum *s)
{
    sum_add(&a->total, &s->sum);
    if (!s->outbound)
        return;
    sum_add(&s->country->sum, &s->sum);
    sum_add(&s->type->sum, &s->sum);
    sum_add(&s->number_type->sum, &s->sum);
    sum_add(&s->kind->sum, &s->sum);
    for (struct sum_group **tag = s->tags; *tag; tag++)
        sum_add(&(*tag)->sum, &s->sum);
    if (s->other_tags)
        sum_add(&a->other_tags, &s->sum);
    if (s->sum.times)
        end_times(a, s);
}

bool analytics_end(struct analytics *a)
{
    for (size_t i = 0; i < a->series.slot_count && !a->arena->failed; i++)
        if (a->series.slots[i])
            end_series(a, a->series.slots[i]);
    return !a->arena->failed;
}
