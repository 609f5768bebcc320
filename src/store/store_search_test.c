/* Lists of messages with conditions, compared with a plain array: random messages, moves, batches,
 * rollbacks and reopenings, with housekeeping at any moment between. */
#include "base/test_random.h"
#include "store/sqlite_rollup.h"
#include "store/test_fixture.h"

#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 2500, ACCOUNTS = 2, BATCHES = 60, LIMIT_MAX = 12, CHECKS_A_ROUND = 6 };

static struct message model[MESSAGES]; /* committed, oldest first */
static size_t model_count;
static int64_t batches[BATCHES];
static size_t batch_count;
static uint64_t seed;
static int64_t stride_us; /* time goes on by up to 30 of these a round */
static int64_t kept_us;   /* messages are; 0 = for ever */
static size_t tag_sets;   /* that are told apart; 0 = all */

static const char *const numbers[] = {"+12025550100", "+447700900123", "+4915123456789",
                                      "+12025550101", "+33123456789",  "+1202555010"};
static const char *const senders[] = {"+18005551234", "+447700900999", "SKYLARK", "12345",
                                      "+12345"};
static const char *const tags[] = {"a", "b", "caf\xc3\xa9", "spring sale"};
#define ANY(list) (list)[pick(sizeof(list) / sizeof *(list))]

static size_t pick(size_t below)
{
    return test_random(&seed) % below;
}

/* Most are alike, some are rare. */
static const char *pick_common(const char *const *list, size_t n)
{
    return list[pick(3) ? 0 : pick(n)];
}

#define COMMON(list) pick_common(list, sizeof(list) / sizeof *(list))

static struct sqlite_store *engine(void)
{
    return (struct sqlite_store *)test_store;
}

static int refuse(void *context)
{
    return 1;
}

/* Its transaction cannot be committed. */
static void housekeep_in_vain(void)
{
    sqlite3_commit_hook(engine()->db, refuse, NULL);
    store_housekeep(test_store, pick(2));
    sqlite3_commit_hook(engine()->db, NULL, NULL);
    engine()->housekeep_us = 0; /* and no rest after it */
}

static void make_small(void)
{
    engine()->sizes =
        (struct sizes){.bulk = 50, .bulk_idle = 10, .fan = 3, .generation = 100, .step = 200};
}

/* ---- what there is ---- */

static struct str some_tags(void)
{
    static const char *const sets[] = {"a", "b\na", "caf\xc3\xa9", "spring sale\nb\ncaf\xc3\xa9"};
    const char *set = ANY(sets);

    return pick(3) ? str_of("") : str_of(set);
}

static struct message any_message(int64_t account, enum mode mode)
{
    struct message m = test_message(account, mode, "x");

    m.from = str_of(COMMON(senders));
    m.to = str_of(COMMON(numbers));
    m.tags = some_tags();
    if (pick(9) == 0) {
        m.direction = DIRECTION_INBOUND;
        m.status = STATUS_RECEIVED;
        m.from = str_of(pick(6) ? ANY(numbers) : ANY(senders));
        m.to = str_of(ANY(senders));
    } else if (pick(9) == 0) {
        m.status = STATUS_SCHEDULED;
        m.scheduled_us = test_now_us + 600000000;
    }
    return m;
}

static void accept_one(struct message *copy, size_t *count, int64_t account, enum mode mode,
                       int64_t batch)
{
    struct message *m = &copy[*count];

    if (*count == MESSAGES)
        return;
    *m = any_message(account, mode);
    m->batch = batch;
    if (pick(4) == 0)
        test_now_us += (int64_t)pick(5000);
    if (pick(300) == 0)
        test_now_us -= (int64_t)pick(3000000); /* somebody sets the clock */
    assert_int_equal(store_accept(test_store, m), 0);
    ++*count;
}

static int64_t any_account(void)
{
    return (int64_t)pick(ACCOUNTS) + 1;
}

static enum mode any_mode(void)
{
    return pick(4) ? MODE_TEST : MODE_LIVE;
}

static int64_t accept_batch(struct message *copy, size_t *count)
{
    struct batch_record b = {.account = any_account(), .mode = any_mode(), .total = 9};

    assert_int_equal(store_batch_open(test_store, &b), 0);
    for (size_t n = pick(9); n; n--)
        accept_one(copy, count, b.account, b.mode, b.id);
    assert_int_equal(store_batch_close(test_store, &b), 0);
    return b.id;
}

static void move_one(struct message *m)
{
    static const enum message_status ends[] = {STATUS_DELIVERED, STATUS_DELIVERED, STATUS_FAILED,
                                               STATUS_CANCELLED};
    enum message_status to = pick(2) ? STATUS_SENT : ANY(ends);
    struct message_move move = {m->id, UINT32_MAX, to, 0, ++test_now_us};
    bool open =
        m->status == STATUS_SCHEDULED || m->status == STATUS_QUEUED || m->status == STATUS_SENT;

    if (m->status == STATUS_SCHEDULED && pick(2))
        move.to = STATUS_QUEUED;
    assert_int_equal(store_move(test_store, &move), open);
    if (open)
        m->status = move.to;
}

/* One transaction on a copy of the model, which is kept or dropped with it. */
static void change(void)
{
    static struct message copy[MESSAGES];
    size_t count = model_count;
    int64_t batch = 0;

    memcpy(copy, model, count * sizeof *copy);
    assert_int_equal(store_begin(test_store), 0);
    for (size_t n = 1 + pick(40); n; n--) {
        if (pick(2))
            accept_one(copy, &count, any_account(), any_mode(), 0);
        else if (count)
            move_one(&copy[pick(count)]);
    }
    if (pick(4) == 0 && batch_count < BATCHES)
        batch = accept_batch(copy, &count);
    if (pick(10) == 0) {
        store_rollback(test_store);
        return;
    }
    assert_int_equal(store_commit(test_store), 0);
    if (batch)
        batches[batch_count++] = batch;
    memcpy(model, copy, count * sizeof *model);
    model_count = count;
}

/* ---- what is asked for ---- */

enum {
    BY_STATUS = 1,
    BY_TO = 2,
    BY_FROM = 4,
    BY_DIRECTION = 8,
    BY_TAG = 16,
    BY_BATCH = 32,
    BY_AFTER = 64,
    BY_BEFORE = 128,
    WAYS = 256
};

#define HOUR_US INT64_C(3600000000)

/* That of a message or close to it; or on the hour. */
static int64_t any_time(void)
{
    int64_t us = model_count ? model[pick(model_count)].created_us : 1;

    return pick(4) ? us + (int64_t)pick(3) - 1
                   : us / HOUR_US * HOUR_US + HOUR_US * (int64_t)pick(2);
}

static struct message_filter any_filter(unsigned by)
{
    struct message_filter f = {0};

    if (by & BY_STATUS)
        f.statuses = pick(2) ? TEST_BIT(1 + pick(7)) : (uint32_t)(1 + pick(127)) << 1;
    if (by & BY_TO)
        f.to = str_of(pick(5) ? ANY(numbers) : ANY(senders));
    if (by & BY_FROM)
        f.from = str_of(pick(5) ? ANY(senders) : ANY(numbers));
    if (by & BY_DIRECTION)
        f.direction = pick(2) ? DIRECTION_INBOUND : DIRECTION_OUTBOUND;
    if (by & BY_TAG)
        f.tag = str_of(pick(9) ? ANY(tags) : "nobody's");
    if (by & BY_BATCH)
        f.batch = batch_count && pick(9) ? batches[pick(batch_count)] : 77;
    if (by & BY_AFTER)
        f.after_us = any_time();
    if (by & BY_BEFORE)
        f.before_us = any_time();
    return f;
}

static bool has_tag(struct str all, struct str tag)
{
    for (size_t start = 0; start < all.n; start++) {
        size_t end = start;
        while (end < all.n && all.p[end] != '\n')
            end++;
        if (str_eq((struct str){all.p + start, end - start}, tag))
            return true;
        start = end;
    }
    return false;
}

static bool matches(const struct message *m, const struct message_filter *f)
{
    return (!f->statuses || f->statuses & TEST_BIT(m->status)) &&
           (!f->to.p || str_eq(m->to, f->to)) && (!f->from.p || str_eq(m->from, f->from)) &&
           (!f->tag.p || has_tag(m->tags, f->tag)) &&
           (!f->direction || m->direction == f->direction) && (!f->batch || m->batch == f->batch) &&
           (!f->after_us || m->created_us >= f->after_us) &&
           (!f->before_us || m->created_us < f->before_us);
}

/* Numbers of the model's matches, newest first. */
static size_t find_all(int64_t account, enum mode mode, const struct message_filter *f, size_t *ret)
{
    size_t count = 0;

    for (size_t i = model_count; i-- > 0;)
        if (model[i].account == account && model[i].mode == mode && matches(&model[i], f))
            ret[count++] = i;
    return count;
}

static void check_page(int64_t account, enum mode mode, const struct message_filter *f,
                       int64_t cursor, size_t limit)
{
    static size_t all[MESSAGES];
    size_t count = find_all(account, mode, f, all), first = 0;
    struct message_page p;

    arena_reset(&test_arena);
    assert_int_equal(
        store_message_page(test_reader, account, mode, f, cursor, limit, &test_arena, &p), 0);
    while (cursor && first < count && model[all[first]].id > cursor)
        first++;
    size_t end = first + limit < count ? first + limit : count;
    assert_int_equal(p.total, count);
    assert_int_equal(p.count, end - first);
    for (size_t i = first; i < end; i++) {
        assert_int_equal(p.messages[i - first].id, model[all[i]].id);
        assert_int_equal(p.messages[i - first].status, model[all[i]].status);
    }
    assert_int_equal(p.next, end < count ? model[all[end]].id : 0);
    assert_int_equal(p.previous, first == 0 ? 0 : model[all[first > limit ? first - limit : 0]].id);
}

/* From any message of the owner on, or from the newest. */
static int64_t any_cursor(int64_t account, enum mode mode)
{
    for (int i = 0; i < 20 && model_count; i++) {
        const struct message *m = &model[pick(model_count)];
        if (m->account == account && m->mode == mode)
            return pick(4) ? m->id : 0;
    }
    return 0;
}

static void check_some(unsigned by)
{
    struct message_filter f = any_filter(by);
    int64_t account = any_account();
    enum mode mode = any_mode();

    check_page(account, mode, &f, any_cursor(account, mode), 1 + pick(LIMIT_MAX));
}

/* ---- what is past its time ---- */

static bool has_ended(const struct message *m)
{
    return m->status != STATUS_QUEUED && m->status != STATUS_SCHEDULED;
}

/* What the store has dropped was to be dropped, and the model forgets it. */
static void follow_edge(void)
{
    int64_t edge;
    size_t gone = 0;

    assert_int_equal(sqlite_number(engine()->db, "SELECT id FROM edge", &edge), 0);
    for (; gone < model_count && model[gone].id < edge; gone++) {
        assert_true(has_ended(&model[gone]));
        assert_true(model[gone].created_us < test_now_us - kept_us);
    }
    model_count -= gone;
    memmove(model, model + gone, model_count * sizeof *model);
    store_reader_rest(test_reader); /* sees the work that was done */
}

/* Moves the oldest on, which would be in the way of the others for ever. */
static void end_oldest(void)
{
    for (size_t i = 0; i < 20 && i < model_count; i++)
        if (!has_ended(&model[i])) {
            enum message_status to = pick(3) ? STATUS_FAILED : STATUS_SENT;
            assert_int_equal(test_move(model[i].id, UINT32_MAX, to, 0, ++test_now_us), 1);
            model[i].status = to;
        }
}

static void open_small(void)
{
    struct store_retention kept = *store_retention(test_store);

    kept.messages_us = kept_us;
    store_set_retention(test_store, &kept);
    make_small();
    if (tag_sets)
        engine()->rollups->tag_sets_max = tag_sets;
}

static void begin_walk(uint64_t first, int64_t stride, int64_t kept, size_t sets)
{
    seed = first;
    model_count = batch_count = 0;
    stride_us = stride;
    kept_us = kept;
    tag_sets = sets;
    open_small();
}

static void walk_once(void)
{
    change();
    test_now_us += (int64_t)pick(30) * stride_us;
    if (kept_us)
        end_oldest();
    for (size_t n = pick(4); n; n--)
        store_housekeep(test_store, pick(2));
    if (pick(4) == 0)
        housekeep_in_vain();
    follow_edge();
    for (int i = 0; i < CHECKS_A_ROUND; i++)
        check_some((unsigned)pick(WAYS) & (pick(2) ? WAYS - 1 : (unsigned)pick(WAYS)));
    if (pick(20) == 0) {
        test_close();
        test_open();
        open_small();
    }
}

static void check_all_ways(void)
{
    for (unsigned by = 0; by < WAYS; by++)
        for (int i = 0; i < 4; i++)
            check_some(by);
}

static void housekeep_all(void)
{
    while (store_housekeep(test_store, true)) {
    }
    follow_edge();
}

static void walk_up(void)
{
    while (model_count < MESSAGES)
        walk_once();
    assert_true(engine()->index.shelf.count > 0 || !engine()->index.whole);
    check_all_ways();
    housekeep_all();
    assert_int_equal(model_count, MESSAGES);
    check_all_ways();
}

static void test_walk(void **state)
{
    begin_walk(20251116, 0, 0, 0);
    walk_up();
}

/* Over days, so that many hours are asked for as a whole. */
static void test_walk_over_hours(void **state)
{
    begin_walk(20251118, 100000000, 0, 0);
    walk_up();
    assert_true(model[MESSAGES - 1].created_us - model[0].created_us > 72 * HOUR_US);
}

/* Some tags are in no count. */
static void test_walk_with_other_tags(void **state)
{
    begin_walk(20251119, 100000000, 0, 2);
    walk_up();
}

/* While messages are dropped at the other end, of which the index and the counts know for a good
 * while longer. */
static void walk_behind_an_edge(void)
{
    for (int i = 0; i < 400; i++)
        walk_once();
    check_all_ways();
    assert_in_range(model_count, 100, MESSAGES - 1);
    test_now_us += kept_us / 2;
    housekeep_all();
    check_all_ways();
    test_now_us += kept_us;
    for (int i = 0; i < 400 && model_count; i++) {
        end_oldest();
        test_now_us += 60 * stride_us;
        housekeep_all();
        check_some((unsigned)pick(WAYS));
    }
    assert_int_equal(model_count, 0);
    check_all_ways();
    assert_in_range(engine()->index.shelf.count, 0, 1);
}

static void test_walk_behind_an_edge(void **state)
{
    begin_walk(20251117, 1000000, 600000000, 0);
    walk_behind_an_edge();
}

static void test_walk_over_hours_behind_an_edge(void **state)
{
    begin_walk(20251120, 100000000, 60000000000, 0);
    walk_behind_an_edge();
}

/* ---- sentences of store.h ---- */

static struct message_page page_of(const struct message_filter *f, int64_t cursor, size_t limit)
{
    struct message_page p;

    assert_int_equal(
        store_message_page(test_reader, 1, MODE_TEST, f, cursor, limit, &test_arena, &p), 0);
    return p;
}

static struct message accept_to(const char *to)
{
    struct message m = test_message(1, MODE_TEST, "x");

    m.to = str_of(to);
    test_accept_this(&m);
    return m;
}

static void test_pages_follow_each_other(void **state)
{
    const struct message_filter f = {.to = STR("+12025550100")};
    int64_t ids[25], cursor = 0, heads[4];

    make_small();
    for (int i = 24; i >= 0; i--) {
        ids[i] = accept_to("+12025550100").id;
        accept_to("+12025550101");
        store_housekeep(test_store, true);
    }
    for (int i = 0; i < 4; i++) {
        struct message_page p = page_of(&f, cursor, 7);
        assert_int_equal(p.count, i < 3 ? 7 : 4);
        assert_int_equal(p.messages[0].id, ids[(size_t)i * 7]);
        assert_int_equal(p.total, 25);
        heads[i] = p.messages[0].id;
        assert_int_equal(p.previous, i ? heads[i - 1] : 0);
        cursor = p.next;
    }
    assert_int_equal(cursor, 0);
}

static void test_cursors(void **state)
{
    struct message first = accept_to("+12025550100"), other = accept_to("+12025550101"),
                   last = accept_to("+12025550100"), foreign = test_accept(2, MODE_TEST, "x");
    const struct message_filter f = {.to = STR("+12025550100")};
    struct message_page p = page_of(&f, other.id, 5);

    /* One that does not match stands for the next match behind it. */
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].id, first.id);
    assert_int_equal(p.previous, last.id);
    assert_int_equal(
        store_message_page(test_reader, 1, MODE_TEST, &f, foreign.id, 5, &test_arena, &p), -ENOENT);
    assert_int_equal(
        store_message_page(test_reader, 1, MODE_LIVE, &f, first.id, 5, &test_arena, &p), -ENOENT);
    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST, &f, 12345, 5, &test_arena, &p),
                     -ENOENT);
}

/* A reader that is inside goes on seeing its moment, whatever is merged and dropped meanwhile. */
static void test_housekeeping_does_not_disturb_a_reader(void **state)
{
    const struct message_filter f = {.to = STR("+12025550100")};
    struct store_reader *late;
    struct message_page p;

    make_small();
    for (int i = 0; i < 400; i++) {
        accept_to(i % 2 ? "+12025550100" : "+12025550101");
        store_housekeep(test_store, true);
    }
    assert_int_equal(page_of(&f, 0, 3).total, 200);
    while (store_housekeep(test_store, true)) {
    }
    assert_int_equal(page_of(&f, 0, 3).total, 200);
    assert_int_equal(store_reader_open(test_store, &late), 0);
    assert_int_equal(store_message_page(late, 1, MODE_TEST, &f, 0, 3, &test_arena, &p), 0);
    assert_int_equal(p.total, 200);
    store_reader_close(late);
}

/* Rows that were there before there was an index, or that nobody found time to index. */
static void test_rows_are_indexed_later(void **state)
{
    const struct message_filter f = {.to = STR("+12025550100")};

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < 500; i++) {
        struct message m = test_message(1, MODE_TEST, "x");
        m.to = str_of(i % 5 ? "+12025550101" : "+12025550100");
        assert_int_equal(store_accept(test_store, &m), 0);
    }
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(page_of(&f, 0, 3).total, 100);
    make_small();
    while (store_housekeep(test_store, false)) {
    }
    assert_true(shelf_upto(&engine()->index.shelf) > 0);
    assert_true(engine()->index.whole);
    assert_true(engine()->index.pending.rows < engine()->sizes.bulk);
    store_reader_rest(test_reader);
    assert_int_equal(page_of(&f, 0, 3).total, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_walk),
        STORE_TEST(test_walk_over_hours),
        STORE_TEST(test_walk_with_other_tags),
        STORE_TEST(test_walk_behind_an_edge),
        STORE_TEST(test_walk_over_hours_behind_an_edge),
        STORE_TEST(test_pages_follow_each_other),
        STORE_TEST(test_cursors),
        STORE_TEST(test_housekeeping_does_not_disturb_a_reader),
        STORE_TEST(test_rows_are_indexed_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
