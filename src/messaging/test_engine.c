#include "messaging/test_engine.h"

#include "messaging/errand.h"
#include "store/engine.h"

#include <errno.h>

_Atomic int64_t test_now_us;
struct store *test_store;
struct store_reader *test_reader;
struct writer *test_writer;
struct mailbox test_home;
struct arena test_arena;
static _Atomic int failing;
static struct store_engine engine;
static const struct store_engine *beneath;

static int64_t tell_time(const struct clock *c)
{
    return atomic_load(&test_now_us);
}

const struct clock test_clock = {tell_time};

static int commit(struct store *s)
{
    if (atomic_load(&failing) == 0)
        return beneath->commit(s);
    atomic_fetch_sub(&failing, 1);
    beneath->rollback(s);
    return store_fail(s, -EIO, "the test wants it so");
}

void test_fail_commits(int count)
{
    atomic_store(&failing, count);
}

void test_engine_start(void)
{
    atomic_store(&test_now_us, 1763168523004005); /* 2025-11-15T01:02:03.004005Z */
    atomic_store(&failing, 0);
    arena_init(&test_arena, 64 << 20);
    mailbox_init(&test_home, NULL, NULL);
    test_store = test_store_open(&test_clock);
    beneath = test_store->engine;
    engine = *beneath;
    engine.commit = commit;
    test_store->engine = &engine;
    assert_int_equal(store_reader_open(test_store, &test_reader), 0);
    struct writer_options w = {.store = test_store, .max_waiting = TEST_WAITING_MAX};
    assert_int_equal(writer_start(&test_writer, &w), 0);
}

bool test_bring_home(void)
{
    struct letter *l = mailbox_take(&test_home);
    bool any = l != NULL;

    errands_back(l);
    return any;
}

void test_engine_stop(void)
{
    writer_stop(test_writer);
    test_bring_home();
    writer_free(test_writer);
    store_reader_close(test_reader);
    test_store_close(test_store);
    mailbox_done(&test_home);
    arena_done(&test_arena);
}

/* ---- the writer ---- */

void test_settle(void)
{
    do {
        test_wait_for_writer();
    } while (test_bring_home());
}

void test_note_answer(void *answer, int result)
{
    struct test_answer *a = answer;

    a->count++;
    a->result = result;
}
