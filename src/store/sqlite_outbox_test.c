/* What clients are told, after hundreds of deeds by chance, with commits and rollbacks, chores and
 * starts between them: counts are those of the rows, notices of a message wait in their order, and
 * who reads on misses nothing and hears nothing twice. */
#include "store/test_outbox.h"

#include <sqlite3.h>

enum { ACCOUNTS = 3, MESSAGES = 1000, DEEDS = 100, ENDPOINTS = 12 };

struct told {
    int64_t message;
    enum notice_kind kind;
};

/* The notices of one account in test mode, as they should be read. */
struct story {
    struct told told[3 * MESSAGES];
    size_t count, read;
    int64_t position;
};

static struct {
    uint64_t seed;
    int64_t messages[MESSAGES];
    enum message_status status[MESSAGES];
    size_t message_count;
    int64_t endpoints[ENDPOINTS], accounts[ENDPOINTS];
    size_t endpoint_count;
    struct story stories[ACCOUNTS];
} world, saved;

static size_t chance(size_t below)
{
    world.seed = world.seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(world.seed >> 33) % below;
}

static int64_t account_of(size_t message)
{
    return 1 + (int64_t)(message % ACCOUNTS);
}

static void tell(size_t message, enum notice_kind kind)
{
    struct story *s = &world.stories[message % ACCOUNTS];

    s->told[s->count++] = (struct told){world.messages[message], kind};
}

/* ---- deeds, inside a transaction ---- */

static void accept_one(void)
{
    size_t i = world.message_count;
    struct message m = test_message(account_of(i), MODE_TEST, "x");

    if (i == MESSAGES)
        return;
    if (chance(4) == 0)
        m.webhook_url = chance(2) ? STR("https://a.example/x") : STR("https://b.example/x");
    assert_int_equal(store_accept(test_store, &m), 0);
    world.messages[i] = m.id;
    world.status[i] = STATUS_QUEUED;
    world.message_count++;
    tell(i, NOTICE_QUEUED);
}

static void move_one(void)
{
    size_t i = world.message_count ? chance(world.message_count) : MESSAGES;

    if (i == MESSAGES || (world.status[i] != STATUS_QUEUED && world.status[i] != STATUS_SENT))
        return;
    enum message_status to = world.status[i] == STATUS_QUEUED ? STATUS_SENT
                             : chance(2)                      ? STATUS_DELIVERED
                                                              : STATUS_FAILED;
    struct message_move move = {
        .id = world.messages[i], .from = ~0u, .to = to, .at_us = test_now_us};
    assert_int_equal(store_move(test_store, &move), 1);
    world.status[i] = to;
    tell(i, (enum notice_kind)to);
}

/* Any delivery that the last commit has; 0 = none. */
static struct delivery_record any_delivery(void)
{
    struct delivery_record *d, none = {0};
    size_t i = world.message_count ? chance(world.message_count) : MESSAGES;
    size_t count = i < MESSAGES ? test_deliveries(world.messages[i], &d) : 0;

    return count ? d[chance(count)] : none;
}

static void try_one(void)
{
    static const enum delivery_state states[] = {DELIVERY_WAITING, DELIVERY_DONE, DELIVERY_FAILED};
    struct delivery_record d = any_delivery();
    struct attempt_record t = {
        .delivery = d.id, .number = d.attempts + 1, .at_us = test_now_us, .duration_us = 1000};

    if (d.id && d.state == DELIVERY_WAITING)
        assert_true(store_delivery_tried(test_store, &t, states[chance(3)], d.tries + 1,
                                         test_now_us + (int64_t)chance(1000000000)) >= 0);
}

static void ask_for_one(void)
{
    struct delivery_record d = any_delivery();

    if (d.id)
        assert_true(store_delivery_again(test_store, d.id, test_now_us) >= 0);
}

static void replay_some(void)
{
    struct endpoint_record e;
    size_t i = chance(ENDPOINTS), count;

    if (i >= world.endpoint_count ||
        store_endpoint_find(test_store, 0, world.endpoints[i], &test_arena, &e) != 0)
        return;
    e.replay_from = 1;
    e.replay_to = INT64_MAX;
    e.replay_states = chance(2) ? 0 : 1u << DELIVERY_FAILED;
    assert_int_equal(store_replay_step(test_store, &e, 1 + chance(40), &count), 0);
}

static void try_endpoint(void)
{
    if (world.endpoint_count == 0)
        return;
    size_t i = chance(world.endpoint_count);
    struct delivery_record d = {.endpoint = world.endpoints[i],
                                .account = world.accounts[i],
                                .mode = MODE_TEST,
                                .kind = NOTICE_TEST};
    assert_int_equal(store_delivery_add(test_store, &d), 0);
}

static void change_endpoints(void)
{
    size_t i = chance(ENDPOINTS);

    if (i < world.endpoint_count && chance(2)) {
        assert_int_equal(store_endpoint_remove(test_store, world.accounts[i], world.endpoints[i]),
                         0);
        world.endpoints[i] = world.endpoints[--world.endpoint_count];
        world.accounts[i] = world.accounts[world.endpoint_count];
    } else if (world.endpoint_count < ENDPOINTS) {
        struct endpoint_record e = test_endpoint(1 + (int64_t)chance(ACCOUNTS), TEST_MODES,
                                                 chance(2) ? TEST_KINDS : UINT32_MAX);
        assert_int_equal(store_endpoint_add(test_store, &e), 0);
        world.endpoints[world.endpoint_count] = e.id;
        world.accounts[world.endpoint_count++] = e.account;
    }
}

/* Those that are done most stand several times. */
static void (*const deeds[])(void) = {accept_one,  accept_one,  move_one, move_one,
                                      move_one,    try_one,     try_one,  ask_for_one,
                                      replay_some, try_endpoint};
enum { KINDS_OF_DEEDS = sizeof deeds / sizeof *deeds };

static void do_some(void)
{
    bool undone = chance(8) == 0;

    saved = world;
    assert_int_equal(store_begin(test_store), 0);
    for (size_t left = 1 + chance(60); left; left--)
        deeds[chance(KINDS_OF_DEEDS)]();
    if (chance(10) == 0)
        change_endpoints();
    if (!undone) {
        assert_int_equal(store_commit(test_store), 0);
        return;
    }
    uint64_t seed = world.seed;
    store_rollback(test_store);
    world = saved;
    world.seed = seed;
}

/* ---- what holds ---- */

static int64_t number(const char *sql)
{
    sqlite3_stmt *get;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &get, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(get), SQLITE_ROW);
    int64_t found = sqlite3_column_int64(get, 0);
    sqlite3_finalize(get);
    sqlite3_close(db);
    return found;
}

/* Between counts and rows there is no difference, in neither direction. */
static void check_counts(void)
{
    assert_int_equal(
        number("WITH rows AS (SELECT endpoint, mode, state, count(*) AS count FROM delivery"
               "  WHERE endpoint IN (SELECT id FROM endpoint) GROUP BY endpoint, mode, state),"
               " counts AS (SELECT endpoint, mode, state, count FROM delivery_tally WHERE count)"
               "SELECT (SELECT count(*) FROM (SELECT * FROM rows EXCEPT SELECT * FROM counts)) +"
               "       (SELECT count(*) FROM (SELECT * FROM counts EXCEPT SELECT * FROM rows))"),
        0);
}

/* No later notice of a message is due before an earlier one that waits. */
static void check_order(void)
{
    assert_int_equal(number("SELECT count(*) FROM delivery AS a JOIN delivery AS b"
                            "  ON a.message = b.message AND a.endpoint = b.endpoint"
                            "  WHERE a.message <> 0 AND a.state = 2 AND b.state = 2"
                            "    AND a.id < b.id AND a.due_us > b.due_us"),
                     0);
}

static void read_on(int64_t account, struct story *s)
{
    struct notice_record *n;
    size_t count;

    do {
        struct notice_query q = {.forward = true, .from = s->position, .limit = 1 + chance(9)};
        assert_int_equal(
            store_notice_list(test_reader, account, MODE_TEST, &q, &test_arena, &n, &count), 0);
        for (size_t i = 0; i < count; i++) {
            assert_true(s->read < s->count);
            assert_int_equal(n[i].message, s->told[s->read].message);
            assert_int_equal(n[i].kind, s->told[s->read++].kind);
            assert_true(n[i].id > s->position);
            s->position = n[i].id;
        }
    } while (count);
    assert_int_equal(s->read, s->count);
}

static void check(void)
{
    check_counts();
    check_order();
    for (int64_t account = 1; account <= ACCOUNTS; account++)
        read_on(account, &world.stories[account - 1]);
    store_reader_rest(test_reader);
    arena_reset(&test_arena);
}

static void test_deeds_by_chance(void **state)
{
    memset(&world, 0, sizeof world);
    world.seed = 7;
    for (int i = 0; i < DEEDS; i++) {
        do_some();
        if (chance(3) == 0)
            store_housekeep(test_store, chance(2));
        if (chance(50) == 0) {
            test_close();
            test_open();
        }
        if (chance(20) == 0)
            test_now_us -= 3000000; /* the clock is put back now and then */
        test_now_us += (int64_t)chance(1000000000);
        check();
    }
    assert_true(world.message_count > 300);
    /* The oldest go, some at a time; what is left is still counted. */
    while (number("SELECT count(*) FROM delivery")) {
        test_now_us += TEST_DAY_US / 8;
        while (store_housekeep(test_store, true))
            check_counts();
        check_order();
    }
    check_counts();
}

int main(void)
{
    const struct CMUnitTest tests[] = {STORE_TEST(test_deeds_by_chance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
