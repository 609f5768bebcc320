#include "carriers/test_set.h"

#include "carriers/mm7_wire.h"

#include <unistd.h>

struct carrier_set *test_set;
struct test_smsc test_smsc;
struct config_carrier test_sections[4];
char test_why[CARRIER_SET_WHY_SIZE];

static struct receipts *receipts;
static struct arrivals *arrivals;
static struct loop_signal *work;
static struct loop *mms_loop;
static struct mm7_wire *wire;
static struct config_mmsc *mmsc;

/* ---- the engine ---- */

static void run_dispatch(void *unused)
{
    dispatch_run(test_dispatch);
}

static void raise_work(void *unused)
{
    loop_signal_raise(work);
}

static void build_dispatch(void)
{
    struct dispatch_options d = {.store = test_store,
                                 .writer = test_writer,
                                 .clock = &test_clock,
                                 .optouts = test_optouts,
                                 .window = 1000,
                                 .wake = raise_work};
    assert_int_equal(dispatch_new(&test_dispatch, &d), 0);
    struct receipts_options r = {.store = test_store,
                                 .writer = test_writer,
                                 .clock = &test_clock,
                                 .home = dispatch_box(test_dispatch)};
    assert_int_equal(receipts_new(&receipts, &r), 0);
    dispatch_set_receipts(test_dispatch, receipts);
    struct arrivals_options a = {.store = test_store,
                                 .writer = test_writer,
                                 .clock = &test_clock,
                                 .optouts = test_optouts,
                                 .home = dispatch_box(test_dispatch)};
    assert_int_equal(arrivals_new(&arrivals, &a), 0);
}

static void build(void *unused)
{
    work = loop_signal_new(test_loop, run_dispatch, NULL);
    build_dispatch();
    struct mm7_wire_options w = {.loop = mms_loop, .engine = test_loop, .store = test_store};
    assert_int_equal(mm7_wire_new(&wire, &w), 0);
    struct carrier_set_options s = {.loop = test_loop,
                                    .clock = &test_clock,
                                    .writer = test_writer,
                                    .dispatch = test_dispatch,
                                    .receipts = receipts,
                                    .arrivals = arrivals,
                                    .wire = wire};
    assert_int_equal(carrier_set_new(&test_set, &s), 0);
    carrier_set_start(test_set);
}

static void start(void **state)
{
    struct writer_options w = {.store = test_store, .max_waiting = TEST_MANY};

    assert_int_equal(writer_start(&test_writer, &w), 0);
    test_loop_set_up(state);
    assert_int_equal(loop_new(&mms_loop), 0);
    test_loop_do(build, NULL);
    assert_int_equal(loop_start(mms_loop, "mms"), 0);
}

/* As the server does it. */
static void stop(void **state)
{
    loop_stop(test_loop);
    loop_stop(mms_loop);
    writer_stop(test_writer);
    dispatch_close(test_dispatch);
    carrier_set_free(test_set);
    receipts_free(receipts);
    arrivals_free(arrivals);
    dispatch_free(test_dispatch);
    mm7_wire_free(wire);
    loop_free(mms_loop);
    test_loop_tear_down(state);
    writer_free(test_writer);
}

int test_set_set_up(void **state)
{
    static const char *const names[] = {"one", "two", "three", "four"};

    test_set_up(state);
    test_smsc_init(&test_smsc, NULL);
    test_mmsc_init();
    mmsc = NULL;
    for (size_t i = 0; i < 4; i++) {
        test_sections[i] = test_carrier_config();
        str_format(test_sections[i].name, sizeof test_sections[i].name, "%s", names[i]);
        test_sections[i].system_id = names[i];
        test_sections[i].address.port = test_smsc.listener.port;
        test_sections[i].reconnect_min_ms = test_sections[i].reconnect_max_ms = 10;
    }
    start(state);
    return 0;
}

int test_set_tear_down(void **state)
{
    stop(state);
    test_smsc_done(&test_smsc);
    test_mmsc_done();
    test_tear_down(state);
    return 0;
}

void test_set_restart(void)
{
    stop(NULL);
    start(NULL);
}

/* ---- changes ---- */

void test_set_mmsc(struct config_mmsc *section)
{
    mmsc = section;
}

int test_set_update(size_t count)
{
    struct config config = {.carriers = test_sections,
                            .carrier_count = count,
                            .mmscs = mmsc,
                            .mmsc_count = mmsc ? 1 : 0};

    return carrier_set_update(test_set, &config, test_why);
}

void test_set_up_to(size_t count)
{
    if (test_set_update(count) != 0)
        fail_msg("%s", test_why);
}

unsigned test_set_number(size_t section)
{
    struct carrier *c = carrier_set_find(test_set, test_sections[section].name);

    assert_non_null(c);
    return c->number;
}

/* ---- messages ---- */

int64_t test_set_send(unsigned carrier, const char *text)
{
    struct message m = test_message(MODE_LIVE, STATUS_QUEUED);

    m.carrier = carrier;
    m.text = str_of(text);
    return test_send_message(m);
}

static bool patient(int64_t *end_us)
{
    if (*end_us == 0)
        *end_us = clock_monotonic_us() + TEST_PATIENCE_US;
    usleep(1000);
    return clock_monotonic_us() < *end_us;
}

void test_set_until(int64_t message, enum message_status status)
{
    int64_t end_us = 0;

    while (test_look_mode(message, MODE_LIVE).status != status)
        if (!patient(&end_us))
            fail_msg("%lld is in status %d, not %d", (long long)message,
                     test_look_mode(message, MODE_LIVE).status, status);
}

void test_set_take(struct test_session *x, const char *text, const char *id)
{
    test_session_expect(x, SMPP_SUBMIT_SM);
    if (!str_is(x->pdu.short_message, text))
        fail_msg("'%.*s' in place of '%s'", STR_FMT(x->pdu.short_message), text);
    test_session_answer_id(x, id);
}

/* ---- how they stand ---- */

struct carrier_record test_set_record(const char *name)
{
    struct carrier_record *records, found = {0};
    struct arena memory;
    size_t count;

    arena_init(&memory, 1 << 20);
    assert_int_equal(store_carrier_list(test_reader, &memory, &records, &count), 0);
    store_reader_rest(test_reader);
    for (size_t i = 0; i < count; i++)
        if (strcmp(records[i].name, name) == 0)
            found = records[i];
    arena_done(&memory);
    assert_true(found.id > 0);
    return found;
}

void test_set_until_state(const char *name, enum carrier_state state)
{
    int64_t end_us = 0;

    while (test_set_record(name).state != state)
        assert_true(patient(&end_us));
}

void test_set_until_dead(const struct carrier *c)
{
    int64_t end_us = 0;

    while (atomic_load(&c->health) > 0)
        assert_true(patient(&end_us));
}

void test_set_until_well(const struct carrier *c)
{
    int64_t end_us = 0;

    while (atomic_load(&c->health) < CARRIER_HEALTH_FULL)
        assert_true(patient(&end_us));
}
