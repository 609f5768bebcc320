/* How many messages match, as the counts by hour and day have it. */
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_search.h"

/* What a series is to a search. */
enum part {
    PART_NONE,
    PART_MATCHES,      /* of its messages, those in the states match */
    PART_SENT,         /* they are from the sender, but have not the tag */
    PART_SENT_MATCHES, /* both */
    PART_INBOUND,      /* inbound; they match if they are from the sender, which is not told */
};

struct summing {
    struct search *search;
    struct search_sum sum;
    uint8_t *parts; /* enum part of each series, by number */
    size_t room;    /* a multiple of ROLLUP_CHUNK */
};

/* ---- which series ---- */

static enum part part_of(const struct series_record *r, const struct message_filter *f)
{
    bool tagged = !f->tag.p || series_has_tag(r, f->tag);
    bool directed = !f->direction || r->direction == f->direction;

    if (!f->from.p)
        return tagged && directed ? PART_MATCHES : PART_NONE;
    if (r->direction == DIRECTION_INBOUND)
        return tagged && directed ? PART_INBOUND : PART_NONE;
    if (!str_eq(r->sender, f->from))
        return PART_NONE;
    return tagged && directed ? PART_SENT_MATCHES : PART_SENT;
}

static int set_part(struct summing *s, size_t number, enum part part)
{
    if (number >= s->room) {
        size_t room = (number / ROLLUP_CHUNK + 1) * ROLLUP_CHUNK * 2;
        uint8_t *larger = arena_alloc(s->search->arena, room);
        if (!larger)
            return -ENOMEM;
        if (s->room)
            memcpy(larger, s->parts, s->room);
        s->parts = larger;
        s->room = room;
    }
    s->parts[number] = (uint8_t)part;
    return 0;
}

static int find_series(struct summing *s)
{
    const struct message_filter *f = s->search->filter;
    sqlite3_stmt *rows = s->search->reader->statements[READ_SERIES_LIST];
    struct series_record r;
    int code = SQLITE_DONE, failed = 0;

    BIND_NUMBERS(rows, s->search->owner);
    while (!failed && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        sqlite_series_from_row(rows, &r);
        s->sum.blurred |= f->tag.p && r.other_tags;
        enum part part = part_of(&r, f);
        if (part)
            failed = set_part(s, (size_t)r.id, part);
    }
    int broken = finish(s->search->reader, rows, code);
    return failed ? failed : broken;
}

/* ---- their counts ---- */

static bool any_counts(const struct summing *s, size_t first)
{
    static const uint8_t none[ROLLUP_CHUNK];

    return first < s->room && memcmp(s->parts + first, none, sizeof none) != 0;
}

static int64_t in_states(const struct rollup *r, uint32_t statuses)
{
    int64_t sum = 0;

    if (!statuses)
        return r->accepted;
    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        if (statuses & UINT32_C(1) << i)
            sum += r->statuses[i];
    return sum;
}

static void add_counts(struct summing *s, enum part part, const struct rollup *r)
{
    int64_t count = in_states(r, s->search->statuses);

    if (part == PART_MATCHES || part == PART_SENT_MATCHES)
        s->sum.matches += count;
    if (part == PART_SENT || part == PART_SENT_MATCHES)
        s->sum.sent += r->accepted;
    if (part == PART_INBOUND) {
        s->sum.inbound += r->accepted;
        s->sum.inbound_in_states += count;
    }
}

static int add_row(struct summing *s, sqlite3_stmt *row)
{
    size_t first = (size_t)sqlite3_column_int64(row, 1) * ROLLUP_CHUNK;
    struct rollup_unpack u;
    struct rollup counts;

    if (!any_counts(s, first))
        return 0;
    rollup_unpack_row(&u, row, 2, false);
    while (rollup_unpack_next(&u)) {
        enum part part = s->parts[first + u.place];
        if (part && rollup_unpack_statuses(&u, &counts))
            add_counts(s, part, &counts);
    }
    return u.damaged ? -EBADMSG : 0;
}

static int add_rows(struct summing *s, enum grain grain, int64_t from, int64_t to)
{
    sqlite3_stmt *rows = s->search->reader->statements[READ_ROLLUP_BETWEEN];
    int code = SQLITE_DONE, failed = 0;

    if (from >= to)
        return 0;
    BIND_NUMBERS(rows, s->search->owner, grain, from, to);
    while (!failed && (code = sqlite3_step(rows)) == SQLITE_ROW)
        failed = add_row(s, rows);
    int broken = finish(s->search->reader, rows, code);
    return failed ? failed : broken;
}

/* Whole days between hours. */
static int add_all(struct summing *s, int64_t from, int64_t to)
{
    int64_t first = (from + HOURS_A_DAY - 1) / HOURS_A_DAY, last = to / HOURS_A_DAY;

    if (first >= last)
        return add_rows(s, GRAIN_HOUR, from, to);
    int failed = add_rows(s, GRAIN_HOUR, from, first * HOURS_A_DAY);
    if (!failed)
        failed = add_rows(s, GRAIN_DAY, first, last);
    return failed ? failed : add_rows(s, GRAIN_HOUR, last * HOURS_A_DAY, to);
}

int search_sum(struct search *q, const struct hours *h, struct search_sum *ret)
{
    struct summing s = {.search = q};
    int failed = find_series(&s);

    if (!failed && !s.sum.blurred)
        failed = add_all(&s, h->from, h->to);
    *ret = s.sum;
    return failed;
}
