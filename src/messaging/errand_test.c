#include "messaging/errand.h"
#include "store/test_store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int applied;

static int apply(struct write_job *job, struct store *s)
{
    applied++;
    return 0;
}

static void back(struct errand *e)
{
}

static int durable;

static void note_durable(struct errand *e)
{
    durable++;
}

static void comes_home_when_it_is_done_and_when_nobody_does_it(void **state)
{
    struct store *store = test_store_open(&clock_real);
    struct writer_options options = {.store = store, .max_waiting = 0}; /* refuses requests */
    struct errand done, refused;
    struct mailbox home;
    struct writer *writer;

    mailbox_init(&home, NULL, NULL);
    assert_int_equal(writer_start(&writer, &options), 0);
    errand_init(&done, &home, apply, back);
    done.durable = note_durable;
    errand_owe(&done, writer);
    assert_ptr_equal(mailbox_wait(&home, 10000000), &done.job.letter);
    assert_int_equal(done.result, 0);
    assert_int_equal(applied, 1);
    assert_int_equal(durable, 1);
    assert_ptr_equal(done.back, back);

    errand_init(&refused, &home, apply, back);
    refused.durable = note_durable;
    errand_try(&refused, writer);
    assert_ptr_equal(mailbox_take(&home), &refused.job.letter);
    assert_int_equal(refused.result, -EAGAIN);

    writer_stop(writer);
    errand_owe(&refused, writer);
    assert_ptr_equal(mailbox_take(&home), &refused.job.letter);
    assert_int_equal(refused.result, -ESHUTDOWN);
    assert_int_equal(applied, 1);
    assert_int_equal(durable, 1);
    writer_free(writer);
    mailbox_done(&home);
    test_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_home_when_it_is_done_and_when_nobody_does_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
