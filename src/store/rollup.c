#include "store/rollup.h"

#include <assert.h>

enum { FINE_BITS = 3, FINE = 1 << FINE_BITS };

bool message_is_free(enum message_status status, enum failure failure, int64_t sent_us)
{
    if (status == STATUS_CANCELLED)
        return true;
    switch (failure) {
    case FAILURE_INVALID_DESTINATION:
    case FAILURE_RECIPIENT_OPTED_OUT:
    case FAILURE_NO_ROUTE:
    case FAILURE_NO_SENDER:
    case FAILURE_VALIDITY_EXPIRED:
    case FAILURE_MEDIA_UNREACHABLE:
    case FAILURE_MEDIA_TOO_LARGE:
    case FAILURE_UNSUPPORTED_MEDIA_TYPE:
        return sent_us == 0; /* no carrier had it */
    default:
        return false;
    }
}

/* ---- times ---- */

int64_t rollup_time_ms(int64_t sent_us, int64_t delivered_us)
{
    return delivered_us > sent_us ? (delivered_us - sent_us) / 1000 : 0;
}

unsigned rollup_time_slot(int64_t ms)
{
    if (ms < FINE)
        return ms < 0 ? 0 : (unsigned)ms;
    unsigned octave = 63 - (unsigned)__builtin_clzll((uint64_t)ms) - FINE_BITS;
    unsigned slot = octave * FINE + (unsigned)(ms >> octave);
    return slot < ROLLUP_TIME_SLOTS ? slot : ROLLUP_TIME_SLOTS - 1;
}

/* How many doublings above the single milliseconds it lies. */
static unsigned octave_of(unsigned slot)
{
    return slot < FINE ? 0 : slot / FINE - 1;
}

int64_t rollup_slot_low_ms(unsigned slot)
{
    unsigned octave = octave_of(slot);

    return (int64_t)(slot - octave * FINE) << octave;
}

int64_t rollup_slot_middle_ms(unsigned slot)
{
    return rollup_slot_low_ms(slot) + ((INT64_C(1) << octave_of(slot)) - 1) / 2;
}

/* ---- slots ---- */

static bool make_room(struct rollup_slots *s, size_t count, struct arena *a)
{
    if (count <= s->room)
        return true;
    size_t room = count < 4 ? 4 : count + count / 2;
    struct rollup_slot *larger = arena_alloc(a, room * sizeof *larger);
    if (!larger)
        return false;
    if (s->count)
        memcpy(larger, s->at, s->count * sizeof *larger);
    s->at = larger;
    s->room = room;
    return true;
}

bool rollup_slot_add(struct rollup_slots *s, unsigned slot, int64_t count, struct arena *a)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->at[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->count && s->at[low].slot == slot) {
        s->at[low].count += count;
        return true;
    }
    if (!make_room(s, s->count + 1, a))
        return false;
    memmove(&s->at[low + 1], &s->at[low], (s->count - low) * sizeof *s->at);
    s->at[low] = (struct rollup_slot){slot, count};
    s->count++;
    return true;
}

static size_t count_missing(const struct rollup_slots *s, const struct rollup_slots *other)
{
    size_t missing = 0, at = 0;

    for (size_t i = 0; i < other->count; i++) {
        while (at < s->count && s->at[at].slot < other->at[i].slot)
            at++;
        missing += at == s->count || s->at[at].slot != other->at[i].slot;
    }
    return missing;
}

/* From the highest slot down, so that none is overwritten before it has been moved. */
static bool add_slots(struct rollup_slots *s, const struct rollup_slots *other, struct arena *a)
{
    size_t mine = s->count, theirs = other->count, to = mine + count_missing(s, other);

    if (!make_room(s, to, a))
        return false;
    s->count = to;
    while (theirs > 0) {
        struct rollup_slot next = other->at[theirs - 1];
        if (mine > 0 && s->at[mine - 1].slot >= next.slot) {
            bool same = s->at[mine - 1].slot == next.slot;
            s->at[--to] = s->at[--mine];
            s->at[to].count += same ? next.count : 0;
            theirs -= same;
        } else {
            s->at[--to] = next;
            theirs--;
        }
    }
    return true;
}

/* ---- rollups ---- */

bool rollup_add(struct rollup *sum, const struct rollup *other, struct arena *a)
{
    sum->accepted += other->accepted;
    for (size_t i = 0; i < STATUS_SLOTS; i++)
        sum->statuses[i] += other->statuses[i];
    sum->segments += other->segments;
    sum->cost_micros += other->cost_micros;
    sum->delivery_ms += other->delivery_ms;
    return add_slots(&sum->failures, &other->failures, a) &&
           add_slots(&sum->times, &other->times, a);
}

/* Only outbound messages have segments and a price. */
void rollup_change_of(struct rollup_change *ret, const struct message *m, int64_t series)
{
    bool timed = m->status == STATUS_DELIVERED && m->sent_us;

    *ret =
        (struct rollup_change){.owner = m->account * 2 + (int64_t)m->mode,
                               .series = series,
                               .id = m->id,
                               .accepted = 1,
                               .inbound = m->direction == DIRECTION_INBOUND,
                               .mms = m->kind == KIND_MMS,
                               .to = m->status,
                               .failure = m->failure,
                               .time_ms = timed ? rollup_time_ms(m->sent_us, m->delivered_us) : -1};
    if (m->direction != DIRECTION_OUTBOUND)
        return;
    ret->segments = m->segments;
    ret->cost_micros = message_is_free(m->status, m->failure, m->sent_us) ? 0 : m->cost_micros;
}

bool rollup_count(struct rollup *r, const struct rollup_change *c, struct arena *a)
{
    r->accepted += c->accepted;
    if (c->from)
        r->statuses[c->from]--;
    r->statuses[c->to]++;
    r->segments += c->segments;
    r->cost_micros += c->cost_micros;
    if (c->failure && !rollup_slot_add(&r->failures, c->failure, 1, a))
        return false;
    if (c->time_ms < 0)
        return true;
    r->delivery_ms += c->time_ms;
    return rollup_slot_add(&r->times, rollup_time_slot(c->time_ms), 1, a);
}

int64_t rollup_timed(const struct rollup *r)
{
    int64_t count = 0;

    for (size_t i = 0; i < r->times.count; i++)
        count += r->times.at[i].count;
    return count;
}

int64_t rollup_quantile_ms(const struct rollup *r, unsigned percent)
{
    int64_t count = rollup_timed(r), passed = 0;
    /* In two parts, because the product may be beyond all numbers. */
    int64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;

    assert(percent >= 1 && percent <= 100);
    for (size_t i = 0; i < r->times.count; i++) {
        passed += r->times.at[i].count;
        if (passed >= rank)
            return rollup_slot_middle_ms(r->times.at[i].slot);
    }
    return -1;
}

static bool same_slots(const struct rollup_slots *a, const struct rollup_slots *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->at[i].slot != b->at[i].slot || a->at[i].count != b->at[i].count)
            return false;
    return true;
}

bool rollup_same(const struct rollup *a, const struct rollup *b)
{
    return a->accepted == b->accepted &&
           memcmp(a->statuses, b->statuses, sizeof a->statuses) == 0 &&
           a->segments == b->segments && a->cost_micros == b->cost_micros &&
           a->delivery_ms == b->delivery_ms && same_slots(&a->failures, &b->failures) &&
           same_slots(&a->times, &b->times);
}
