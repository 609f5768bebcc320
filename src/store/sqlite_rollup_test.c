/* Random histories: what rollups say is what counting the messages says. */
#include "store/sqlite_rollup.h"

#include "base/test_random.h"
#include "store/sqlite_testing.h"
#include "store/varint.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND_US INT64_C(1000000)
#define HOUR_US   (3600 * SECOND_US)
#define DAY_US    (24 * HOUR_US)

enum {
    OPEN_MAX = 512,
    MESSAGES_MAX = 4096,
    SPANS_MAX = 4096,
    FEW_SETS = 4,
    ALL_SETS = 10,
    FAILURES_MAX = 64
};

static uint64_t seed;

/* ---- a history ---- */

static int64_t open_ids[OPEN_MAX];
static size_t open_count;

static unsigned below(unsigned limit)
{
    return test_random(&seed) % limit;
}

static void open_store(void)
{
    test_open();
    ((struct sqlite_store *)test_store)->rollups->tag_sets_max = FEW_SETS;
}

static struct message random_message(void)
{
    static const struct str tags[] = {STR(""),     STR("a"),    STR("b"), STR("a\nb"), STR("b\na"),
                                      STR("b\na"), STR("c\nd"), STR("e"), STR("f"),    STR("a\ng")};
    static const struct str senders[] = {STR("+18005551234"), STR("Skylark"), STR("+18005551235")};
    static const char countries[][3] = {"GB", "US", "", "DE"};
    struct message m = test_message(1, MODE_LIVE, "x");
    unsigned kind = below(8);

    m.account = 1 + below(8) / 7;
    m.mode = below(8) ? MODE_LIVE : MODE_TEST;
    m.kind = below(4) ? KIND_SMS : KIND_MMS;
    m.type = (enum message_type)(1 + below(3));
    m.number_type = (enum number_type)(1 + below(2));
    m.from = senders[below(3)];
    m.tags = tags[below(sizeof tags / sizeof *tags)];
    memcpy(m.country, countries[below(4)], 3);
    m.segments = 1 + below(4);
    m.cost_micros = below(100000);
    m.carrier = below(2) ? 2 : 0;
    if (kind == 0) {
        m.direction = DIRECTION_INBOUND;
        m.status = STATUS_RECEIVED;
    } else if (kind == 1) {
        m.status = STATUS_SCHEDULED;
        m.scheduled_us = test_now_us + HOUR_US;
    }
    return m;
}

static void accept_one(void)
{
    struct message m = random_message();

    assert_int_equal(store_accept(test_store, &m), 0);
    if (m.status != STATUS_RECEIVED && open_count < OPEN_MAX)
        open_ids[open_count++] = m.id;
}

/* Any move that the store lets happen, also such as no carrier makes. */
static void move_one(void)
{
    size_t at = below((unsigned)open_count);
    struct message_move move = {.id = open_ids[at],
                                .from = ~0u,
                                .to = (enum message_status)(STATUS_QUEUED + below(5)),
                                .at_us = test_now_us + below(1000)};

    if (below(6) == 0) {
        assert_int_equal(store_hand_over(test_store, &move.id, 1, 2 + below(2)), 0);
        return;
    }
    if (move.to == STATUS_FAILED)
        move.failure = (enum failure)(1 + below(19));
    int moved = store_move(test_store, &move);
    assert_in_range(moved, 0, 1);
    if (moved && move.to > STATUS_SENT)
        open_ids[at] = open_ids[--open_count];
}

static void one_transaction(void)
{
    int64_t before[OPEN_MAX];
    size_t count = open_count;

    memcpy(before, open_ids, sizeof before);
    assert_int_equal(store_begin(test_store), 0);
    for (unsigned i = 1 + below(12); i > 0; i--) {
        if (open_count == 0 || below(5) < 2)
            accept_one();
        else
            move_one();
        test_now_us += below(3) ? below(3000) : below(20) * SECOND_US;
    }
    if (below(7)) {
        assert_int_equal(store_commit(test_store), 0);
        return;
    }
    store_rollback(test_store);
    memcpy(open_ids, before, sizeof before);
    open_count = count;
}

/* ---- counting ---- */

struct counted {
    int64_t start_us;
    struct rollup counts; /* without slots, which are: */
    int64_t failures[FAILURES_MAX], times[ROLLUP_TIME_SLOTS];
};

static struct counted *spans_wanted, *spans_told;
static size_t wanted_count, told_count;

static struct counted *span_at(struct counted *spans, size_t *count, int64_t start_us)
{
    size_t at = 0;

    while (at < *count && spans[at].start_us < start_us)
        at++;
    if (at < *count && spans[at].start_us == start_us)
        return &spans[at];
    assert_true(*count < SPANS_MAX);
    memmove(&spans[at + 1], &spans[at], (*count - at) * sizeof *spans);
    memset(&spans[at], 0, sizeof spans[at]);
    spans[at].start_us = start_us;
    ++*count;
    return &spans[at];
}

static void add_numbers(struct rollup *sum, const struct rollup *r)
{
    sum->accepted += r->accepted;
    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        sum->statuses[i] += r->statuses[i];
    sum->segments += r->segments;
    sum->cost_micros += r->cost_micros;
    sum->delivery_ms += r->delivery_ms;
}

static int64_t last_told_us;

static bool hours_whole;

static void take_hour(void *context, const struct series_record *series, int64_t start_us,
                      const struct rollup *r)
{
    struct counted *c = span_at(spans_told, &told_count, start_us);

    assert_true(start_us >= last_told_us);
    last_told_us = start_us;
    add_numbers(&c->counts, r);
    for (size_t i = 0; hours_whole && i < r->failures.count; i++)
        c->failures[r->failures.at[i].slot] += r->failures.at[i].count;
    for (size_t i = 0; hours_whole && i < r->times.count; i++)
        c->times[r->times.at[i].slot] += r->times.at[i].count;
}

static void take(void *context, const struct series_record *series, int64_t start_us,
                 const struct rollup *r)
{
    assert_true(series->account == 1 || series->account == 2);
    hours_whole = true;
    take_hour(context, series, start_us, r);
}

static void ignore(void *context, const struct series_record *series, int64_t start_us,
                   const struct rollup *r)
{
}

/* As GET /v1/messages shows it. */
static void count_as_shown(struct counted *c, const struct message *m)
{
    bool outbound = m->direction == DIRECTION_OUTBOUND;

    c->counts.accepted++;
    c->counts.statuses[m->status]++;
    if (outbound) {
        c->counts.segments += m->segments;
        c->counts.cost_micros +=
            message_is_free(m->status, m->failure, m->sent_us) ? 0 : m->cost_micros;
    }
    if (m->failure)
        c->failures[m->failure]++;
    if (m->status == STATUS_DELIVERED && m->sent_us) {
        int64_t us = m->delivered_us > m->sent_us ? m->delivered_us - m->sent_us : 0;
        c->counts.delivery_ms += us / 1000;
        c->times[rollup_time_slot(us / 1000)]++;
    }
}

/* Tags that are told apart: of the first few sets that were committed. */
struct told_apart {
    char sets[ALL_SETS][64];
    size_t count;
};
static size_t sets_max;

static bool is_told_apart(struct told_apart *t, struct str tags)
{
    static char room[SERIES_TAGS_SIZE];
    struct str sorted = series_tags(tags, room);
    size_t i = 0;

    while (i < t->count && !str_is(sorted, t->sets[i]))
        i++;
    if (i < t->count || sorted.n == 0)
        return true;
    if (i == sets_max)
        return false;
    snprintf(t->sets[t->count++], sizeof t->sets[0], "%.*s", STR_FMT(sorted));
    return true;
}

static bool has_tag(struct str tags, struct str tag)
{
    while (tags.p)
        if (str_eq(str_cut(&tags, '\n'), tag))
            return true;
    return false;
}

static bool is_wanted(const struct message *m, const struct rollup_query *q, bool told_apart)
{
    return m->created_us >= q->from_us && m->created_us < q->to_us &&
           (!q->country[0] || strcmp(m->country, q->country) == 0) &&
           (!q->types || q->types & 1u << m->type) &&
           (!q->sender.p || (m->direction == DIRECTION_OUTBOUND && str_eq(m->from, q->sender))) &&
           (!q->tag.p || (told_apart && has_tag(m->tags, q->tag)));
}

/* Days up to here are told whole: that of the end is, too, when none came after the end. */
static int64_t end_of_days(const struct message_page *p, const struct rollup_query *q)
{
    int64_t last_us = q->to_us / DAY_US * DAY_US;

    for (size_t i = 0; i < p->count; i++)
        if (p->messages[i].created_us >= q->to_us && p->messages[i].created_us < last_us + DAY_US)
            return last_us;
    return last_us + DAY_US;
}

static int64_t start_of(const struct message *m, const struct rollup_query *q, int64_t days_end_us)
{
    int64_t day_us = m->created_us / DAY_US * DAY_US;

    if (day_us >= q->from_us && day_us < days_end_us)
        return day_us;
    return m->created_us / HOUR_US * HOUR_US;
}

static void count_messages(const struct rollup_query *q, bool by_hour)
{
    struct told_apart sets = {.count = 0};
    struct message_page p;

    wanted_count = 0;
    arena_reset(&test_arena);
    assert_int_equal(store_message_page(test_reader, q->account, q->mode, NULL, 0, MESSAGES_MAX,
                                        &test_arena, &p),
                     0);
    assert_int_equal(p.count, p.total);
    int64_t days_end_us = by_hour ? 0 : end_of_days(&p, q);
    for (size_t i = p.count; i-- > 0;) {
        const struct message *m = &p.messages[i];
        bool told_apart = is_told_apart(&sets, m->tags);
        if (is_wanted(m, q, told_apart))
            count_as_shown(span_at(spans_wanted, &wanted_count, start_of(m, q, days_end_us)), m);
    }
    for (size_t i = 0; q->without_times && i < wanted_count; i++)
        memset(spans_wanted[i].times, 0, sizeof spans_wanted[i].times);
}

/* ---- comparing ---- */

static void check_query(const struct rollup_query *q)
{
    count_messages(q, false);
    told_count = 0;
    last_told_us = 0;
    assert_int_equal(store_rollup_each(test_reader, q, take, NULL), 0);
    assert_int_equal(told_count, wanted_count);
    for (size_t i = 0; i < told_count; i++)
        assert_memory_equal(&spans_told[i], &spans_wanted[i], sizeof *spans_told);
}

/* Hours that are told besides: with what conditions ever, each is what the hours of all series come
 * to; failures and times are told when no series is left out. */
static void check_hours(const struct rollup_query *query)
{
    struct rollup_query q = *query;
    bool filtered = q.country[0] || q.types || q.tag.p || q.sender.p;

    q.without_times = filtered;
    count_messages(&q, true);
    told_count = 0;
    last_told_us = 0;
    q.hours = take_hour;
    hours_whole = !filtered;
    assert_int_equal(store_rollup_each(test_reader, &q, ignore, NULL), 0);
    assert_int_equal(told_count, wanted_count);
    for (size_t i = 0; i < told_count; i++) {
        if (filtered)
            memset(spans_wanted[i].failures, 0, sizeof spans_wanted[i].failures);
        assert_memory_equal(&spans_told[i], &spans_wanted[i], sizeof *spans_told);
    }
}

static struct rollup_query random_query(int64_t begin_us)
{
    static const char countries[][3] = {"GB", "US", "FR"};
    static const struct str tags[] = {STR("a"), STR("b"), STR("d"), STR("f"), STR("none")};
    int64_t hours = (test_now_us - begin_us) / HOUR_US + 2;
    struct rollup_query q = {.account = 1 + below(8) / 7,
                             .mode = below(8) ? MODE_LIVE : MODE_TEST,
                             .from_us = begin_us / HOUR_US * HOUR_US,
                             .without_times = below(2)};

    if (below(3)) {
        q.from_us += (int64_t)below((unsigned)hours) * HOUR_US;
        q.to_us = q.from_us + (int64_t)below((unsigned)hours) * HOUR_US;
    } else
        q.to_us = q.from_us + hours * HOUR_US;
    if (below(4) == 0)
        memcpy(q.country, countries[below(3)], 3);
    if (below(4) == 0)
        q.types = below(16);
    if (below(4) == 0)
        q.tag = tags[below(5)];
    if (below(4) == 0)
        q.sender = below(2) ? STR("Skylark") : STR("+18005551234");
    return q;
}

static void check_all(int64_t begin_us)
{
    const struct rollup_query all = {.account = 1,
                                     .mode = MODE_LIVE,
                                     .from_us = 0,
                                     .to_us = (test_now_us / DAY_US + 2) * DAY_US};

    store_reader_rest(test_reader);
    check_query(&all);
    check_hours(&all);
    for (int i = 0; i < 12; i++) {
        struct rollup_query q = random_query(begin_us);
        check_query(&q);
        check_hours(&q);
    }
    test_check_books();
}

static void live_through(int64_t begin_us, int transactions)
{
    test_now_us = begin_us;
    open_count = 0;
    sets_max = FEW_SETS;
    test_close();
    open_store();
    for (int i = 1; i <= transactions; i++) {
        one_transaction();
        if (below(10) == 0)
            test_now_us += (int64_t)below(30) * HOUR_US / (1 + below(30));
        if (below(40) == 0)
            test_now_us -= HOUR_US; /* a clock that is turned back */
        if (below(25) == 0) {
            test_close();
            open_store();
        }
        if (i % 40 == 0)
            check_all(begin_us);
    }
}

/* As it was before there were rollups: then the messages are counted when the store is opened. */
static void count_anew(void)
{
    test_close();
    test_sql(
        "DROP TABLE media; DROP TABLE content; DROP TABLE series; DROP TABLE rollup; DROP TABLE "
        "pulse;"
        "DROP TABLE lane_tally; DROP TABLE hook_tally; DROP TABLE request_tally; DROP TABLE edge; "
        "DROP TABLE gone;"
        "ALTER TABLE work DROP COLUMN series; ALTER TABLE schedule DROP COLUMN series;"
        "PRAGMA user_version = 7");
    test_open();
    sets_max = ALL_SETS;
}

static uint8_t *pack_old_times(uint8_t *to, const struct rollup_slots *s)
{
    uint8_t body[4096], *end = varint_put(body, s->count);
    unsigned before = 0;

    for (size_t i = 0; i < s->count; i++) {
        end = varint_put(end, s->at[i].slot - before);
        end = varint_put(end, (uint64_t)s->at[i].count);
        before = s->at[i].slot;
    }
    to = varint_put(to, (uint64_t)(end - body));
    memcpy(to, body, (size_t)(end - body));
    return to + (end - body);
}

static void put_old_row(sqlite3_stmt *row, sqlite3_stmt *put)
{
    uint8_t times[1 << 16], *to = times;
    struct rollup_unpack u;
    struct rollup r;

    arena_reset(&test_arena);
    rollup_unpack_row(&u, row, 4, true);
    while (rollup_unpack_next(&u)) {
        assert_int_equal(rollup_unpack_all(&u, &test_arena, &r), 0);
        to = pack_old_times(to, &r.times);
    }
    assert_false(u.damaged);
    for (int i = 0; i < 5; i++)
        sqlite3_bind_value(put, i + 1, sqlite3_column_value(row, i));
    sqlite3_bind_blob(put, 6, times, (int)(to - times), SQLITE_STATIC);
    assert_int_equal(sqlite3_step(put), SQLITE_DONE);
    sqlite3_reset(put);
}

static void put_old_rows(void)
{
    static const char *const sql[] = {
        "SELECT owner, grain, start, chunk, counts, CASE grain WHEN 1 THEN t.times ELSE c.times END"
        " FROM counted AS c LEFT JOIN (SELECT owner, 1 AS grain, start, chunk, times FROM counted"
        "  WHERE grain = 4) AS t USING (owner, grain, start, chunk) WHERE grain < 4",
        "INSERT INTO rollup VALUES (?1, ?2, ?3, ?4, ?5, ?6)"};
    sqlite3_stmt *own[2];
    sqlite3 *db;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite_prepare(db, sql, own, 2), 0);
    while (sqlite3_step(own[0]) == SQLITE_ROW)
        put_old_row(own[0], own[1]);
    sqlite_finalize(own, 2);
    sqlite3_close(db);
}

/* As schema 9 left it, with the times of hours beside the counts. */
static void put_times_back(void)
{
    test_close();
    test_sql("ALTER TABLE rollup RENAME TO counted;"
             "CREATE TABLE rollup (owner INTEGER NOT NULL, grain INTEGER NOT NULL,"
             "  start INTEGER NOT NULL, chunk INTEGER NOT NULL, counts BLOB NOT NULL,"
             "  times BLOB NOT NULL, PRIMARY KEY (owner, grain, start, chunk)) WITHOUT ROWID;"
             "PRAGMA user_version = 9");
    put_old_rows();
    test_sql("DROP TABLE counted");
    open_store();
}

static void test_histories(void **state)
{
    static const int64_t begins_us[] = {
        INT64_C(1763168523004005), /* 2025-11-15, some time of the day */
        INT64_C(1764547199500000), /* half a second before December */
        INT64_C(1835308798000000), /* 2028-02-27T23:59:58Z, and on over the leap day */
        INT64_C(1861919999000000), /* a second before 2029 */
    };

    spans_wanted = calloc(SPANS_MAX, sizeof *spans_wanted);
    spans_told = calloc(SPANS_MAX, sizeof *spans_told);
    assert_true(spans_wanted && spans_told);
    for (size_t i = 0; i < sizeof begins_us / sizeof *begins_us; i++) {
        seed = 11 + i;
        live_through(begins_us[i], 120);
        put_times_back();
        check_all(begins_us[i]);
        count_anew();
        check_all(begins_us[i]);
        for (int more = 0; more < 20; more++)
            one_transaction();
        check_all(begins_us[i]);
        test_tear_down(NULL);
        test_set_up(NULL);
    }
    free(spans_wanted);
    free(spans_told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
