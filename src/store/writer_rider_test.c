/* What rides along with the writer's transactions, and what it does when nobody waits. */
#include "store/test_writer.h"

static void a_rider_goes_with_the_next_transaction(void **state)
{
    static const int applied_wanted[] = {0, 1, 2, RIDER}, finished_wanted[] = {0, RIDER, 1, 2};
    static struct test_job jobs[2];

    hold_writer();
    for (int i = 0; i < 2; i++)
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i + 1)->job), 0);
    blocker.wish = &rider.wish; /* from the end of the blocker's transaction on */
    let_writer_go();
    for (int i = 0; i < 2; i++)
        assert_int_equal(result_of(&jobs[i]), 0);
    assert_int_equal(rider.result, 0);
    assert_int_equal(atomic_load(&commits), 2);
    assert_order(applied, 4, applied_wanted);
    assert_order(finished, 4, finished_wanted);
    writer_stop(writer);
    assert_int_equal(atomic_load(&commits), 2);
}

static void a_rider_goes_alone_when_nobody_writes(void **state)
{
    atomic_store(&rider.wish, 1);
    wait_for_rider();
    assert_int_equal(rider.result, 0);
    assert_int_equal(atomic_load(&commits), 1);
    writer_stop(writer);
    assert_int_equal(atomic_load(&commits), 1);
}

static void a_rider_hears_that_its_batch_failed(void **state)
{
    static struct test_job job;

    sem_init(&gate, 0, 0);
    job_init(&job, 1)->gate = &gate;
    assert_int_equal(writer_post(writer, &job.job), 0);
    atomic_store(&commit_error, -ENOSPC);
    atomic_store(&rider.wish, 1);
    let_writer_go();
    wait_for_rider();
    assert_int_equal(rider.result, -ENOSPC);
    assert_int_equal(result_of(&job), -ENOSPC);
    assert_health("x");
    writer_stop(writer);
}

static void a_rider_that_fails_fails_the_batch(void **state)
{
    static struct test_job job, after;

    hold_writer();
    rider.error = -ENOMEM;
    blocker.wish = &rider.wish;
    assert_int_equal(writer_post(writer, &job_init(&job, 1)->job), 0);
    let_writer_go();
    assert_int_equal(result_of(&job), -ENOMEM);
    wait_for_rider();
    assert_int_equal(rider.result, -ENOMEM);
    assert_int_equal(writer_post(writer, &job_init(&after, 2)->job), 0);
    assert_int_equal(result_of(&after), 0);
    assert_health("x.");
    writer_stop(writer);
}

/* It wrote nothing: there is nothing to hear. */
/* Its fault is not that of a job. */
static void a_faulty_rider_costs_no_job_that_is_owed(void **state)
{
    static struct test_job owed;

    hold_writer();
    rider.error = -EEXIST;
    blocker.wish = &rider.wish;
    assert_int_equal(writer_post_owed(writer, &job_init(&owed, 1)->job), 0);
    let_writer_go();
    assert_int_equal(result_of(&owed), 0);
    wait_for_rider();
    assert_int_equal(rider.result, -EEXIST);
    writer_stop(writer);
}

static void a_failing_job_comes_before_the_riders(void **state)
{
    static struct test_job job;

    hold_writer();
    blocker.wish = &rider.wish;
    job_init(&job, 1)->error = -ENOSPC;
    assert_int_equal(writer_post(writer, &job.job), 0);
    let_writer_go();
    assert_int_equal(result_of(&job), -ENOSPC);
    wait_for_rider(); /* later, by itself */
    assert_int_equal(rider.result, 0);
    writer_stop(writer);
}

static void the_last_ride_is_announced(void **state)
{
    atomic_store(&rider.wish, 2);
    writer_stop(writer);
    wait_for_rider();
    assert_true(rider.wrote_last);
    assert_int_equal(rider.result, 0);
    assert_int_equal(atomic_load(&commits), 1);
}

/* ---- the house ---- */

static void the_house_is_kept_after_a_batch(void **state)
{
    static struct test_job job, next;

    assert_int_equal(writer_post(writer, &job_init(&job, 1)->job), 0);
    assert_int_equal(result_of(&job), 0);
    assert_int_equal(writer_post(writer, &job_init(&next, 2)->job), 0);
    assert_int_equal(result_of(&next), 0);
    assert_true(atomic_load(&busy_calls) >= 1);
    writer_stop(writer);
}

/* One piece after the other: with a pause at each this would take minutes. */
static void all_of_the_house_is_kept_when_nobody_waits(void **state)
{
    atomic_store(&pieces, 2000);
    for (int i = 0; i < PATIENCE_S * 1000 && atomic_load(&pieces) > 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&pieces), 0);
    writer_stop(writer);
}

static void a_job_waits_for_one_piece_only(void **state)
{
    static struct test_job jobs[3];
    sem_t house;

    sem_init(&house, 0, 0);
    house_gate = &house;
    atomic_store(&pieces, 1000000);
    while (atomic_load(&idle_calls) == 0)
        usleep(1000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i)->job), 0);
        sem_post(&house);
        assert_int_equal(result_of(&jobs[i]), 0);
    }
    atomic_store(&pieces, 1);
    sem_post(&house);
    sem_post(&house);
    writer_stop(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WRITER_TEST(a_rider_goes_with_the_next_transaction),
        WRITER_TEST(a_rider_goes_alone_when_nobody_writes),
        WRITER_TEST(a_rider_hears_that_its_batch_failed),
        WRITER_TEST(a_rider_that_fails_fails_the_batch),
        WRITER_TEST(a_faulty_rider_costs_no_job_that_is_owed),
        WRITER_TEST(a_failing_job_comes_before_the_riders),
        WRITER_TEST(the_last_ride_is_announced),
        WRITER_TEST(the_house_is_kept_after_a_batch),
        WRITER_TEST(all_of_the_house_is_kept_when_nobody_waits),
        WRITER_TEST(a_job_waits_for_one_piece_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
