/* Dispatch with a memory store, a real writer and a carrier that does what the test tells it. The
 * test plays the engine's thread. */
#include "messaging/dispatch.h"
#include "store/test_store.h"

#include "store/engine.h"

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { MANY = 4096, ACCOUNT = 1, PATIENCE_US = 10000000 };

static int64_t now_us;

static int64_t tell_time(const struct clock *c)
{
    return now_us;
}

static const struct clock test_clock = {tell_time};

/* ---- the carrier ---- */

static struct {
    struct carrier carrier;
    struct parcel *parcels[MANY]; /* taken and not yet answered, oldest first */
    size_t held;
    size_t room; /* how many more it takes */
    int64_t submitted[MANY], followed[MANY];
    size_t submitted_count, followed_count;
} fake;

static int fake_submit(struct carrier *c, struct parcel *p)
{
    if (fake.room == 0)
        return -EAGAIN;
    fake.room--;
    fake.parcels[fake.held++] = p;
    fake.submitted[fake.submitted_count++] = parcel_message(p)->id;
    return 0;
}

static int fake_follow(struct carrier *c, const struct message *m)
{
    if (fake.room == 0)
        return -EAGAIN;
    fake.room--;
    fake.followed[fake.followed_count++] = m->id;
    return 0;
}

static const struct carrier_ops fake_ops = {fake_submit, fake_follow};

/* ---- the world around it ---- */

static struct store *store;
static struct store_reader *reader;
static struct writer *writer;
static struct dispatch *dispatch;
static struct arena arena;
static _Atomic int woken;

static void wake(void *context)
{
    atomic_fetch_add((_Atomic int *)context, 1);
}

static void start(size_t window, bool with_carrier)
{
    struct writer_options w = {.store = store, .max_waiting = MANY};
    assert_int_equal(writer_start(&writer, &w), 0);
    struct dispatch_options d = {.store = store,
                                 .writer = writer,
                                 .clock = &test_clock,
                                 .window = window,
                                 .wake = wake,
                                 .wake_context = &woken};
    assert_int_equal(dispatch_new(&dispatch, &d), 0);
    if (with_carrier)
        dispatch_set_carrier(dispatch, MODE_TEST, &fake.carrier);
}

/* The program's end: what the carrier still holds is gone with it. */
static void stop(void)
{
    writer_stop(writer);
    for (size_t i = 0; i < fake.held; i++)
        free(fake.parcels[i]);
    fake.held = 0;
    dispatch_free(dispatch);
    writer_free(writer);
}

static int set_up(void **state)
{
    now_us = 1763168523004005;
    memset(&fake, 0, sizeof fake);
    fake.carrier = (struct carrier){"fake", &fake_ops};
    fake.room = SIZE_MAX;
    arena_init(&arena, 64 << 20);
    store = test_store_open(&test_clock);
    assert_int_equal(store_reader_open(store, &reader), 0);
    return 0;
}

static int tear_down(void **state)
{
    store_reader_close(reader);
    test_store_close(store);
    arena_done(&arena);
    return 0;
}

static struct message new_message(enum mode mode)
{
    return (struct message){.account = ACCOUNT,
                            .mode = mode,
                            .direction = DIRECTION_OUTBOUND,
                            .status = STATUS_QUEUED,
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

/* A send as the API makes it: written, offered on the writer's thread. */
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
        dispatch_offer(dispatch, &s->message);
    sem_post(&s->done);
}

static int64_t send_mode(enum mode mode)
{
    struct sending s = {.job = {.apply = apply_sending, .done = sending_done},
                        .message = new_message(mode)};

    sem_init(&s.done, 0, 0);
    assert_int_equal(writer_post(writer, &s.job), 0);
    sem_wait(&s.done);
    sem_destroy(&s.done);
    return s.message.id;
}

static int64_t send(void)
{
    return send_mode(MODE_TEST);
}

/* Into the store without telling anyone, as an earlier run would have left it. */
static struct message left_behind(void)
{
    struct message m = new_message(MODE_TEST);

    assert_int_equal(store_begin(store), 0);
    assert_int_equal(store_accept(store, &m), 0);
    assert_int_equal(store_commit(store), 0);
    return m;
}

static void left_move(int64_t id, enum message_status to)
{
    struct message_move move = {.id = id, .from = STATUS_OPEN_BITS, .to = to, .at_us = now_us};

    assert_int_equal(store_begin(store), 0);
    assert_int_equal(store_move(store, &move), 1);
    assert_int_equal(store_commit(store), 0);
}

static struct message look_at(int64_t id, enum mode mode)
{
    struct message m;
    assert_int_equal(store_message_get(reader, ACCOUNT, mode, id, &arena, &m), 0);
    return m;
}

static enum message_status status_of(int64_t id)
{
    return look_at(id, MODE_TEST).status;
}

/* Runs the engine until a message has come so far; the writer is another thread. */
static void run_until_mode(int64_t id, enum mode mode, enum message_status status)
{
    for (int64_t end_us = clock_monotonic_us() + PATIENCE_US;;) {
        dispatch_run(dispatch);
        if (look_at(id, mode).status == status)
            return;
        if (clock_monotonic_us() > end_us)
            fail_msg("message %lld is not in status %d", (long long)id, status);
        usleep(200);
    }
}

static void run_until(int64_t id, enum message_status status)
{
    run_until_mode(id, MODE_TEST, status);
}

static void run_until_held(size_t held)
{
    for (int64_t end_us = clock_monotonic_us() + PATIENCE_US; dispatch_held(dispatch) != held;) {
        dispatch_run(dispatch);
        if (clock_monotonic_us() > end_us)
            fail_msg("%zu held, not %zu", dispatch_held(dispatch), held);
        usleep(200);
    }
}

static int64_t answer_first(enum failure failure)
{
    struct parcel *p = fake.parcels[0];
    int64_t id = parcel_message(p)->id;

    memmove(fake.parcels, fake.parcels + 1, --fake.held * sizeof *fake.parcels);
    dispatch_answered(dispatch, p, failure);
    return id;
}

static void assert_submitted(const int64_t *ids, size_t count)
{
    assert_int_equal(fake.submitted_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(fake.submitted[i], ids[i]);
}

/* ---- the ordinary way ---- */

static void goes_from_offer_to_delivery(void **state)
{
    start(8, true);
    dispatch_run(dispatch); /* nothing was left: dispatch has caught up */
    int before = atomic_load(&woken);
    int64_t id = send();
    for (int i = 0; i < 2000 && atomic_load(&woken) == before; i++)
        usleep(1000); /* the wake comes after the whole batch is told */
    assert_true(atomic_load(&woken) > before);
    dispatch_run(dispatch);
    assert_submitted(&id, 1);
    assert_true(str_is(parcel_message(fake.parcels[0])->text, "Hello"));
    assert_int_equal(status_of(id), STATUS_QUEUED);
    assert_int_equal(dispatch_held(dispatch), 1);

    now_us += 50000;
    answer_first(FAILURE_NONE);
    run_until(id, STATUS_SENT);
    run_until_held(0);
    assert_int_equal(look_at(id, MODE_TEST).sent_us, now_us);

    now_us += 950000;
    dispatch_receipt(dispatch, id, FAILURE_NONE);
    run_until(id, STATUS_DELIVERED);
    assert_int_equal(look_at(id, MODE_TEST).delivered_us, now_us);
    assert_submitted(&id, 1);
    stop();
}

static void a_refusal_is_a_failure_with_its_reason(void **state)
{
    start(8, true);
    dispatch_run(dispatch);
    int64_t id = send();
    dispatch_run(dispatch);
    answer_first(FAILURE_CARRIER_REJECTED);
    run_until(id, STATUS_FAILED);
    assert_int_equal(look_at(id, MODE_TEST).failure, FAILURE_CARRIER_REJECTED);
    assert_int_equal(look_at(id, MODE_TEST).failed_us, now_us);
    run_until_held(0);
    stop();
}

static void a_receipt_may_tell_of_failure(void **state)
{
    start(8, true);
    dispatch_run(dispatch);
    int64_t id = send();
    dispatch_run(dispatch);
    answer_first(FAILURE_NONE);
    dispatch_receipt(dispatch, id, FAILURE_UNREACHABLE); /* the answer is not even written yet */
    run_until(id, STATUS_FAILED);
    assert_int_equal(look_at(id, MODE_TEST).failure, FAILURE_UNREACHABLE);
    assert_int_equal(look_at(id, MODE_TEST).sent_us, now_us);
    dispatch_receipt(dispatch, id, FAILURE_NONE); /* too late: a final state stands */
    int64_t other = send();
    run_until(other, STATUS_QUEUED);
    assert_int_equal(status_of(id), STATUS_FAILED);
    stop();
}

static void without_a_carrier_there_is_no_route(void **state)
{
    start(8, true);
    dispatch_run(dispatch);
    int64_t id = send_mode(MODE_LIVE);
    run_until_mode(id, MODE_LIVE, STATUS_FAILED);
    assert_int_equal(look_at(id, MODE_LIVE).failure, FAILURE_NO_ROUTE);
    assert_int_equal(fake.submitted_count, 0);
    run_until_held(0);
    stop();
}

/* ---- the carrier has no room ---- */

static void a_full_carrier_gets_the_rest_when_it_is_ready(void **state)
{
    int64_t ids[5];

    start(8, true);
    dispatch_run(dispatch);
    fake.room = 2;
    for (int i = 0; i < 5; i++)
        ids[i] = send();
    dispatch_run(dispatch);
    dispatch_run(dispatch);
    assert_submitted(ids, 2);
    int before = atomic_load(&woken);
    fake.room = 2;
    dispatch_ready(dispatch);
    assert_true(atomic_load(&woken) > before);
    dispatch_run(dispatch);
    assert_submitted(ids, 4);
    fake.room = 2;
    dispatch_run(dispatch);
    assert_submitted(ids, 5);
    stop();
}

/* ---- the window is full ---- */

static void what_does_not_fit_is_read_from_the_store(void **state)
{
    int64_t ids[20];

    start(4, true);
    dispatch_run(dispatch);
    for (int i = 0; i < 20; i++)
        ids[i] = send();
    assert_int_equal(dispatch_held(dispatch), 4);
    dispatch_run(dispatch);
    assert_submitted(ids, 4);
    for (int i = 0; i < 20; i++) {
        int64_t id = answer_first(FAILURE_NONE);
        assert_int_equal(id, ids[i]);
        run_until(id, STATUS_SENT);
        assert_true(dispatch_held(dispatch) <= 4);
        for (int round = 0; i < 19 && fake.held == 0 && round < 10000; round++) {
            dispatch_run(dispatch);
            usleep(200);
        }
    }
    assert_submitted(ids, 20);
    run_until_held(0);
    int64_t next = send(); /* caught up: offered straight into the window */
    assert_int_equal(dispatch_held(dispatch), 1);
    dispatch_run(dispatch);
    assert_int_equal(fake.submitted[20], next);
    stop();
}

/* The refill reads a message that is committed and will be offered in a moment. */
static void a_message_read_before_its_offer_is_sent_once(void **state)
{
    struct message first = left_behind();

    start(8, true);
    dispatch_run(dispatch);
    dispatch_offer(dispatch, &first);
    dispatch_run(dispatch);
    assert_submitted(&first.id, 1);
    assert_int_equal(dispatch_held(dispatch), 1);
    int64_t next = send(); /* and the offers after it go on as ever */
    dispatch_run(dispatch);
    assert_submitted((int64_t[]){first.id, next}, 2);
    stop();
}

/* ---- offers that come in the middle of a refill ---- */

static struct store_engine engine_with_hook;
static const struct store_engine *engine_beneath;
static void (*after_read)(void);

static int hooked_open_work(struct store_reader *r, int64_t after, size_t limit, struct arena *a,
                            struct message **ret, size_t *ret_count)
{
    int failed = engine_beneath->open_work(r, after, limit, a, ret, ret_count);
    void (*hook)(void) = after_read;

    after_read = NULL;
    if (hook)
        hook();
    return failed;
}

static void hook_engine(void)
{
    engine_beneath = store->engine;
    engine_with_hook = *engine_beneath;
    engine_with_hook.open_work = hooked_open_work;
    store->engine = &engine_with_hook;
}

static int64_t sent_in_between;

static void send_in_between(void)
{
    sent_in_between = send();
}

static void an_offer_during_a_refill_is_not_left_lying(void **state)
{
    hook_engine();
    start(8, true);
    after_read = send_in_between;
    dispatch_run(dispatch); /* nobody wakes the engine again */
    assert_submitted(&sent_in_between, 1);
    assert_int_equal(send() > sent_in_between, true);
    dispatch_run(dispatch);
    assert_int_equal(fake.submitted_count, 2);
    stop();
}

static void *send_many(void *ids)
{
    for (size_t i = 0; i < MANY; i++)
        ((int64_t *)ids)[i] = send();
    return NULL;
}

/* A small window that fills and empties all the time while another thread sends. */
static void nothing_is_lost_doubled_or_out_of_order(void **state)
{
    static int64_t ids[MANY];
    int64_t end_us = clock_monotonic_us() + 6 * PATIENCE_US;
    size_t answered = 0;
    pthread_t sender;

    start(16, true);
    assert_int_equal(pthread_create(&sender, NULL, send_many, ids), 0);
    while (answered < MANY && clock_monotonic_us() < end_us) {
        dispatch_run(dispatch);
        assert_true(dispatch_held(dispatch) <= 16);
        for (; fake.held; answered++)
            dispatch_receipt(dispatch, answer_first(FAILURE_NONE), FAILURE_NONE);
    }
    pthread_join(sender, NULL);
    assert_submitted(ids, MANY);
    run_until(ids[MANY - 1], STATUS_DELIVERED);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(status_of(ids[i]), STATUS_DELIVERED);
    run_until_held(0);
    stop();
}

/* ---- restarts ---- */

static void takes_up_what_an_earlier_run_left(void **state)
{
    struct message queued = left_behind(), sent = left_behind(), done = left_behind(),
                   last = left_behind();

    left_move(sent.id, STATUS_SENT);
    left_move(done.id, STATUS_SENT);
    left_move(done.id, STATUS_DELIVERED);
    start(2, true);
    dispatch_run(dispatch);
    answer_first(FAILURE_NONE);
    run_until(queued.id, STATUS_SENT);
    run_until_held(fake.held);
    for (int i = 0; i < 10000 && fake.submitted_count < 2; i++) {
        dispatch_run(dispatch);
        usleep(200);
    }
    assert_submitted((int64_t[]){queued.id, last.id}, 2);
    assert_int_equal(fake.followed_count, 1);
    assert_int_equal(fake.followed[0], sent.id);
    dispatch_receipt(dispatch, sent.id, FAILURE_NONE);
    run_until(sent.id, STATUS_DELIVERED);
    stop();
}

static void follows_more_than_the_window_holds(void **state)
{
    enum { LEFT = 500 };
    struct message first = {0};

    for (int i = 0; i < LEFT; i++) {
        struct message m = left_behind();
        left_move(m.id, STATUS_SENT);
        if (i == 0)
            first = m;
    }
    start(8, true);
    dispatch_run(dispatch);
    assert_int_equal(fake.followed_count, LEFT);
    assert_int_equal(fake.followed[0], first.id);
    for (size_t i = 1; i < LEFT; i++)
        assert_true(fake.followed[i] > fake.followed[i - 1]);
    assert_int_equal(dispatch_held(dispatch), 0);
    stop();
}

/* Ten URLs of 2,048 characters of four bytes: as large as a message can be. */
static void the_largest_messages_are_taken_up_too(void **state)
{
    enum { LEFT = 600, MEDIA = 10 * 2048 * 4, TEXT = 1600 * 4 };
    char *bytes = malloc(MEDIA);

    memset(bytes, 'x', MEDIA);
    for (int i = 0; i < LEFT; i++) {
        struct message m = new_message(MODE_TEST);
        m.media = (struct str){bytes, MEDIA};
        m.text = (struct str){bytes, TEXT};
        assert_int_equal(store_begin(store), 0);
        assert_int_equal(store_accept(store, &m), 0);
        assert_int_equal(store_commit(store), 0);
    }
    start(MANY, true);
    dispatch_run(dispatch);
    assert_int_equal(fake.submitted_count, LEFT);
    free(bytes);
    stop();
}

static void a_stop_with_work_open_leaves_it_to_the_next_start(void **state)
{
    start(8, true);
    dispatch_run(dispatch);
    fake.room = 3;
    int64_t sent = send(), taken = send(), offered = send(), waiting = send();
    dispatch_run(dispatch);
    answer_first(FAILURE_NONE);
    run_until(sent, STATUS_SENT);
    answer_first(FAILURE_NONE); /* its move is still on the way when all stops */
    send();
    stop();
    assert_int_equal(status_of(taken), STATUS_SENT);
    assert_int_equal(status_of(offered), STATUS_QUEUED);
    assert_int_equal(status_of(waiting), STATUS_QUEUED);

    fake.submitted_count = 0;
    fake.room = SIZE_MAX;
    start(8, true);
    dispatch_run(dispatch);
    assert_int_equal(fake.submitted_count, 3);
    assert_int_equal(fake.submitted[0], offered);
    assert_int_equal(fake.followed_count, 2);
    assert_int_equal(fake.followed[0], sent);
    stop();
}

static void an_answer_after_the_writer_has_stopped_changes_nothing(void **state)
{
    start(8, true);
    dispatch_run(dispatch);
    int64_t id = send();
    dispatch_run(dispatch);
    writer_stop(writer);
    answer_first(FAILURE_NONE);
    dispatch_free(dispatch);
    writer_free(writer);
    assert_int_equal(status_of(id), STATUS_QUEUED);
}

#define DISPATCH_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(goes_from_offer_to_delivery),
        DISPATCH_TEST(a_refusal_is_a_failure_with_its_reason),
        DISPATCH_TEST(a_receipt_may_tell_of_failure),
        DISPATCH_TEST(without_a_carrier_there_is_no_route),
        DISPATCH_TEST(a_full_carrier_gets_the_rest_when_it_is_ready),
        DISPATCH_TEST(what_does_not_fit_is_read_from_the_store),
        DISPATCH_TEST(a_message_read_before_its_offer_is_sent_once),
        DISPATCH_TEST(an_offer_during_a_refill_is_not_left_lying),
        DISPATCH_TEST(nothing_is_lost_doubled_or_out_of_order),
        DISPATCH_TEST(takes_up_what_an_earlier_run_left),
        DISPATCH_TEST(follows_more_than_the_window_holds),
        DISPATCH_TEST(the_largest_messages_are_taken_up_too),
        DISPATCH_TEST(a_stop_with_work_open_leaves_it_to_the_next_start),
        DISPATCH_TEST(an_answer_after_the_writer_has_stopped_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
