#include "messaging/test_dispatch.h"

#include "store/engine.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

_Atomic int64_t test_now_us;
struct store *test_store;
struct store_reader *test_reader;
struct writer *test_writer;
struct dispatch *test_dispatch;
struct optouts *test_optouts;
struct arena test_arena;
_Atomic int test_woken;
struct test_carrier test_carrier;
static _Atomic int move_error, move_failures;

static int64_t tell_time(const struct clock *c)
{
    return atomic_load(&test_now_us);
}

const struct clock test_clock = {tell_time};

/* ---- the carrier ---- */

static int carrier_submit(struct carrier *c, struct parcel *p)
{
    struct test_carrier *t = (struct test_carrier *)c;

    if (t->room == 0)
        return -EAGAIN;
    t->room--;
    t->parcels[t->held++] = p;
    t->submitted[t->submitted_count++] = parcel_message(p)->id;
    return 0;
}

static int carrier_follow(struct carrier *c, const struct message *m)
{
    struct test_carrier *t = (struct test_carrier *)c;

    if (t->room == 0)
        return -EAGAIN;
    t->room--;
    t->followed[t->followed_count++] = m->id;
    return 0;
}

static const struct carrier_ops carrier_ops = {.submit = carrier_submit, .follow = carrier_follow};

int64_t test_answer_first(enum failure failure)
{
    struct test_carrier *t = &test_carrier;

    assert_true(t->held > 0);
    struct parcel *p = t->parcels[0];
    int64_t id = parcel_message(p)->id;
    memmove(t->parcels, t->parcels + 1, --t->held * sizeof *t->parcels);
    dispatch_answered(test_dispatch, p,
                      &(struct carrier_answer){
                          .outcome = failure ? CARRIER_REFUSED : CARRIER_TOOK,
                          .failure = failure,
                      });
    return id;
}

void test_assert_submitted(const int64_t *ids, size_t count)
{
    assert_int_equal(test_carrier.submitted_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(test_carrier.submitted[i], ids[i]);
}

/* ---- the world around it ---- */

static void wake(void *context)
{
    atomic_fetch_add((_Atomic int *)context, 1);
}

void test_start(size_t window)
{
    struct writer_options w = {.store = test_store, .max_waiting = TEST_MANY};
    assert_int_equal(writer_start(&test_writer, &w), 0);
    struct dispatch_options d = {.store = test_store,
                                 .writer = test_writer,
                                 .clock = &test_clock,
                                 .optouts = test_optouts,
                                 .window = window,
                                 .wake = wake,
                                 .wake_context = &test_woken};
    assert_int_equal(dispatch_new(&test_dispatch, &d), 0);
    dispatch_add_carrier(test_dispatch, &test_carrier.carrier);
}

void test_stop(void)
{
    writer_stop(test_writer);
    test_carrier.held = 0;
    dispatch_free(test_dispatch);
    writer_free(test_writer);
}

int test_set_up(void **state)
{
    atomic_store(&test_now_us, 1763168523004005); /* 2025-11-15T01:02:03.004005Z */
    memset(&test_carrier, 0, sizeof test_carrier);
    test_carrier.carrier = (struct carrier){.name = "test", .ops = &carrier_ops};
    test_carrier.room = SIZE_MAX;
    atomic_store(&move_failures, 0);
    arena_init(&test_arena, 64 << 20);
    test_store = test_store_open(&test_clock);
    assert_int_equal(store_reader_open(test_store, &test_reader), 0);
    test_optouts = optouts_new(store_secret(test_store));
    assert_non_null(test_optouts);
    return 0;
}

int test_tear_down(void **state)
{
    optouts_free(test_optouts);
    store_reader_close(test_reader);
    test_store_close(test_store);
    arena_done(&test_arena);
    return 0;
}

/* ---- messages ---- */

struct message test_message(enum mode mode, enum message_status status)
{
    return (struct message){.account = TEST_ACCOUNT,
                            .mode = mode,
                            .direction = DIRECTION_OUTBOUND,
                            .status = status,
                            .kind = KIND_SMS,
                            .type = TYPE_TRANSACTIONAL,
                            .from = STR("+18005551234"),
                            .to = STR("+15551234567"),
                            .text = STR("Hello"),
                            .media = STR(""),
                            .encoding = ENCODING_GSM7,
                            .segments = 1,
                            .number_type = NUMBER_LOCAL,
                            .coverage = COVERAGE_HIGH,
                            .reason = REASON_SMART,
                            .currency = "USD"};
}

struct sending {
    struct write_job job;
    struct message message;
    sem_t done;
};

static int apply_sending(struct write_job *job, struct store *s)
{
    return store_accept(s, &((struct sending *)job)->message);
}

static void sending_done(struct write_job *job, int result)
{
    struct sending *s = (struct sending *)job;

    if (result == 0)
        dispatch_offer(test_dispatch, &s->message);
    sem_post(&s->done);
}

int64_t test_send_message(struct message m)
{
    struct sending s = {.job = {.apply = apply_sending, .done = sending_done}, .message = m};

    sem_init(&s.done, 0, 0);
    assert_int_equal(writer_post(test_writer, &s.job), 0);
    sem_wait(&s.done);
    sem_destroy(&s.done);
    return s.message.id;
}

int64_t test_send(void)
{
    return test_send_message(test_message(MODE_TEST, STATUS_QUEUED));
}

struct message test_leave(struct message m)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    assert_int_equal(store_commit(test_store), 0);
    return m;
}

void test_leave_move(int64_t id, enum message_status to)
{
    struct message_move move = {
        .id = id, .from = STATUS_OPEN_BITS, .to = to, .at_us = atomic_load(&test_now_us)};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_move(test_store, &move), 1);
    assert_int_equal(store_commit(test_store), 0);
}

struct message test_look_mode(int64_t id, enum mode mode)
{
    struct message m;
    assert_int_equal(store_message_get(test_reader, TEST_ACCOUNT, mode, id, &test_arena, &m), 0);
    return m;
}

struct message test_look(int64_t id)
{
    return test_look_mode(id, MODE_TEST);
}

enum message_status test_status(int64_t id)
{
    return test_look(id).status;
}

/* ---- the writer ---- */

void test_settle(void)
{
    test_wait_for_writer();
    dispatch_run(test_dispatch);
}

/* ---- running ---- */

void test_run_until_mode(int64_t id, enum mode mode, enum message_status status)
{
    for (int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;;) {
        dispatch_run(test_dispatch);
        if (test_look_mode(id, mode).status == status)
            return;
        if (clock_monotonic_us() > end_us)
            fail_msg("message %lld is not in status %d", (long long)id, status);
        usleep(200);
    }
}

void test_run_until(int64_t id, enum message_status status)
{
    test_run_until_mode(id, MODE_TEST, status);
}

void test_run_until_held(size_t held)
{
    int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;

    while (dispatch_held(test_dispatch) != held) {
        dispatch_run(test_dispatch);
        if (clock_monotonic_us() > end_us)
            fail_msg("%zu held, not %zu", dispatch_held(test_dispatch), held);
        usleep(200);
    }
}

/* ---- in the middle of a refill ---- */

static struct store_engine engine_with_hook;
static const struct store_engine *engine_beneath;
static void (*before_read)(void), (*after_read)(void);

static void call_once(void (**hook)(void))
{
    void (*now)(void) = *hook;

    *hook = NULL;
    if (now)
        now();
}

static int hooked_work_list(struct store_reader *r, const struct work_query *query, struct arena *a,
                            struct message **ret, size_t *ret_count, int64_t *ret_looked,
                            bool *ret_end)
{
    call_once(&before_read);
    int failed = engine_beneath->work_list(r, query, a, ret, ret_count, ret_looked, ret_end);
    call_once(&after_read);
    return failed;
}

static int hooked_move(struct store *s, const struct message_move *m)
{
    if (atomic_load(&move_failures) > 0) {
        atomic_fetch_sub(&move_failures, 1);
        return store_fail(s, atomic_load(&move_error), "the test wants it so");
    }
    return engine_beneath->message_move(s, m);
}

/* No other thread may be at work in the store. */
static void hook_engine(void)
{
    if (test_store->engine == &engine_with_hook)
        return;
    engine_beneath = test_store->engine;
    engine_with_hook = *engine_beneath;
    engine_with_hook.work_list = hooked_work_list;
    engine_with_hook.message_move = hooked_move;
    test_store->engine = &engine_with_hook;
}

void test_before_next_read(void (*hook)(void))
{
    hook_engine();
    before_read = hook;
}

void test_after_next_read(void (*hook)(void))
{
    hook_engine();
    after_read = hook;
}

void test_fail_moves(int error, int count)
{
    hook_engine();
    atomic_store(&move_error, error);
    atomic_store(&move_failures, count);
}
