/* Jobs and their transactions. */
#include "store/test_writer.h"

static void many_jobs_share_a_transaction(void **state)
{
    static struct test_job jobs[500];

    hold_writer();
    for (int i = 0; i < 500; i++)
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i + 1)->job), 0);
    let_writer_go();
    for (int i = 0; i < 500; i++)
        assert_int_equal(result_of(&jobs[i]), 0);
    assert_int_equal(result_of(&blocker), 0);
    assert_int_equal(atomic_load(&commits), 2); /* the blocker's and one for all */
    assert_int_equal(atomic_load(&told), 2);
    for (int i = 0; i < 501; i++) {
        assert_int_equal(applied[i], i);
        assert_int_equal(finished[i], i);
    }
    assert_health("");
    writer_stop(writer);
}

static void very_many_jobs_are_cut_into_batches(void **state)
{
    static struct test_job jobs[MANY];

    hold_writer();
    for (int i = 0; i < MANY; i++)
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i + 1)->job), 0);
    let_writer_go();
    for (int i = 0; i < MANY; i++)
        assert_int_equal(result_of(&jobs[i]), 0);
    assert_int_equal(atomic_load(&commits), 1 + 3);
    assert_int_equal(applied_count, MANY + 1);
    writer_stop(writer);
}

static void a_full_box_refuses_requests_but_not_what_is_owed(void **state)
{
    static struct test_job jobs[MANY], refused, owed;

    hold_writer();
    for (int i = 0; i < MANY; i++)
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i + 1)->job), 0);
    assert_int_equal(writer_post(writer, &job_init(&refused, -1)->job), -EAGAIN);
    assert_int_equal(writer_post_owed(writer, &job_init(&owed, -2)->job), 0);
    let_writer_go();
    assert_int_equal(result_of(&owed), 0);
    assert_int_equal(writer_post(writer, &refused.job), 0);
    assert_int_equal(result_of(&refused), 0);
    writer_stop(writer);
}

/* Counted until they are done, not until the writer takes them. */
static void jobs_on_their_way_count_as_waiting(void **state)
{
    static struct test_job jobs[MANY], refused;
    int tries = 0;

    sem_init(&gate, 0, 0);
    job_init(&jobs[0], 0)->gate = &gate;
    assert_int_equal(writer_post(writer, &jobs[0].job), 0);
    while (atomic_load(&begins) == 0 && tries++ < 10000)
        usleep(1000); /* the writer has taken it and is inside */
    for (int i = 1; i < MANY; i++)
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i)->job), 0);
    assert_int_equal(writer_post(writer, &job_init(&refused, -1)->job), -EAGAIN);
    let_writer_go();
    for (int i = 0; i < MANY; i++)
        assert_int_equal(result_of(&jobs[i]), 0);
    assert_int_equal(writer_post(writer, &refused.job), 0);
    assert_int_equal(result_of(&refused), 0);
    writer_stop(writer);
}

static void a_heavy_job_counts_for_many(void **state)
{
    static const unsigned weights[] = {1000, 23, 1, 1, 5000, 0, 1023, 1024};
    static struct test_job jobs[sizeof weights / sizeof *weights];

    hold_writer();
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        job_init(&jobs[i], (int)i + 1)->job.weight = weights[i];
        assert_int_equal(writer_post(writer, &jobs[i].job), 0);
    }
    let_writer_go();
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        assert_int_equal(result_of(&jobs[i]), 0);
    /* the blocker; 1000+23+1; 1; 5000; 1+1023; 1024 */
    assert_int_equal(atomic_load(&commits), 1 + 5);
    writer_stop(writer);
}

/* One job that fails takes its batch with it: nothing of the batch is written. */
static void a_failing_job_fails_its_batch(void **state)
{
    static struct test_job jobs[3], after;

    hold_writer();
    for (int i = 0; i < 3; i++)
        job_init(&jobs[i], i + 1);
    jobs[1].error = -ENOSPC;
    for (int i = 0; i < 3; i++)
        assert_int_equal(writer_post(writer, &jobs[i].job), 0);
    let_writer_go();
    for (int i = 0; i < 3; i++)
        assert_int_equal(result_of(&jobs[i]), -ENOSPC);
    assert_int_equal(atomic_load(&commits), 1); /* the blocker's only */
    assert_int_equal(atomic_load(&told), 1);
    assert_health("x");
    assert_int_equal(writer_post(writer, &job_init(&after, 4)->job), 0);
    assert_int_equal(result_of(&after), 0);
    assert_health("x.");
    writer_stop(writer);
}

static void check_owed_is_kept(_Atomic int *fault)
{
    static const int wanted[] = {1, 3, 5, 6, 7};
    static struct test_job owed[3], requests[2], late_owed, late_request;

    for (int i = 0; i < 3; i++)
        job_init(&owed[i], 2 * i + 1);
    for (int i = 0; i < 2; i++)
        job_init(&requests[i], 2 * i + 2);
    atomic_store(fault, -EIO);
    assert_int_equal(writer_post_owed(writer, &owed[0].job), 0);
    assert_int_equal(writer_post(writer, &requests[0].job), 0);
    assert_int_equal(writer_post_owed(writer, &owed[1].job), 0);
    assert_int_equal(writer_post(writer, &requests[1].job), 0);
    assert_int_equal(writer_post_owed(writer, &owed[2].job), 0);
    assert_int_equal(result_of(&requests[0]), -EIO);
    assert_int_equal(result_of(&requests[1]), -EIO);
    usleep(250000); /* several tries */
    assert_health("x");
    for (int i = 0; i < 3; i++)
        assert_false(is_done(&owed[i]));

    pthread_mutex_lock(&lock);
    applied_count = finished_count = 0;
    pthread_mutex_unlock(&lock);
    assert_int_equal(writer_post_owed(writer, &job_init(&late_owed, 6)->job), 0);
    atomic_store(fault, 0);
    assert_int_equal(result_of(&late_owed), 0);
    assert_int_equal(writer_post(writer, &job_init(&late_request, 7)->job), 0);
    assert_int_equal(result_of(&late_request), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(result_of(&owed[i]), 0);
    assert_order(finished, 5, wanted);
    assert_order(applied + applied_count - 5, 5, wanted);
    assert_health("x.");
    writer_stop(writer);
}

static void owed_jobs_outlive_a_failing_commit(void **state)
{
    check_owed_is_kept(&commit_error);
}

static void owed_jobs_outlive_a_failing_begin(void **state)
{
    check_owed_is_kept(&begin_error);
}

/* What is owed and faulty in itself must not keep everything else from being written for ever. */
static void a_faulty_job_that_is_owed_is_given_up_alone(void **state)
{
    enum { OWED = 100 };
    static struct test_job owed[OWED], request, after;

    hold_writer();
    for (int i = 0; i < OWED; i++) {
        job_init(&owed[i], i + 1)->error = i == 17 || i == 60 || i == 61 ? -EEXIST : 0;
        assert_int_equal(writer_post_owed(writer, &owed[i].job), 0);
    }
    assert_int_equal(writer_post(writer, &job_init(&request, -1)->job), 0);
    let_writer_go();
    assert_int_equal(result_of(&request), -EEXIST); /* it can be asked again */
    for (int i = 0; i < OWED; i++)
        assert_int_equal(result_of(&owed[i]), owed[i].error);
    assert_int_equal(writer_post(writer, &job_init(&after, -2)->job), 0);
    assert_int_equal(result_of(&after), 0);
    assert_health("---"); /* and the store is well */
    for (int i = 0; i < OWED; i++)
        assert_int_equal(finished[i + 2], i + 1); /* after the blocker and the request: in order */
    assert_true(atomic_load(&begins) < 50);
    writer_stop(writer);
}

/* While they are looked for the store fails: the rest is kept, as ever. */
static void a_faulty_job_is_not_given_up_when_the_store_fails(void **state)
{
    static struct test_job owed[3];

    hold_writer();
    for (int i = 0; i < 3; i++)
        assert_int_equal(writer_post_owed(writer, &job_init(&owed[i], i + 1)->job), 0);
    owed[1].error = -EEXIST;
    atomic_store(&commit_error, -ENOSPC);
    for (int i = 0; i < 1000; i++)
        let_writer_go(); /* it is owed too, and tried with the others */
    usleep(250000);
    for (int i = 0; i < 3; i++)
        assert_false(is_done(&owed[i]));
    atomic_store(&commit_error, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(result_of(&owed[i]), owed[i].error);
    assert_health("x-.");
    writer_stop(writer);
}

static void health_is_told_once_per_change(void **state)
{
    static struct test_job jobs[9];

    for (int i = 0; i < 9; i++) {
        atomic_store(&commit_error, i % 4 < 2 ? 0 : -EIO); /* ok ok no no ok ok no no ok */
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i)->job), 0);
        result_of(&jobs[i]);
    }
    assert_health("x.x.");
    writer_stop(writer);
}

/* Nobody sends to a server that is not ready, so the writer itself must find out. */
static void recovery_is_noticed_without_a_job(void **state)
{
    static struct test_job job;

    atomic_store(&commit_error, -EIO);
    assert_int_equal(writer_post(writer, &job_init(&job, 1)->job), 0);
    assert_int_equal(result_of(&job), -EIO);
    usleep(250000);
    assert_health("x");
    atomic_store(&commit_error, 0);
    assert_health("x.");
    writer_stop(writer);
}

static void a_stop_finishes_what_waits(void **state)
{
    static struct test_job jobs[100], late;

    hold_writer();
    for (int i = 0; i < 100; i++)
        assert_int_equal(writer_post(writer, &job_init(&jobs[i], i + 1)->job), 0);
    let_writer_go();
    writer_stop(writer);
    for (int i = 0; i < 100; i++) {
        assert_true(is_done(&jobs[i]));
        assert_int_equal(jobs[i].result, 0);
    }
    assert_int_equal(writer_post(writer, &job_init(&late, -1)->job), -ESHUTDOWN);
    assert_int_equal(writer_post_owed(writer, &late.job), -ESHUTDOWN);
    assert_false(is_done(&late));
}

static void a_stop_gives_back_what_cannot_be_written(void **state)
{
    static struct test_job owed[2];

    atomic_store(&commit_error, -EIO);
    for (int i = 0; i < 2; i++)
        assert_int_equal(writer_post_owed(writer, &job_init(&owed[i], i)->job), 0);
    assert_health("x");
    writer_stop(writer);
    for (int i = 0; i < 2; i++) {
        assert_true(is_done(&owed[i]));
        assert_true(owed[i].result < 0);
    }
    assert_int_equal(atomic_load(&commits), 0);
}

static void *post_a_lot(void *jobs)
{
    struct test_job *t = jobs;

    for (int i = 0; i < MANY / 4; i++)
        while (writer_post(writer, &job_init(&t[i], i)->job) == -EAGAIN)
            usleep(100);
    return NULL;
}

static void many_threads_may_post(void **state)
{
    static struct test_job jobs[4][MANY / 4];
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, post_a_lot, jobs[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    writer_stop(writer);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(result_of(&jobs[0][0] + i), 0);
    assert_int_equal(finished_count, MANY);
}

enum { LONG_US = 60 * 1000 * 1000 };

static void what_is_owed_goes_with_what_is_asked_for(void **state)
{
    static struct test_job owed[3], request;

    writer_be_patient(LONG_US);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(writer_post_owed(writer, &job_init(&owed[i], i)->job), 0);
        usleep(10000);
        assert_false(is_done(&owed[i]));
    }
    assert_int_equal(writer_post(writer, &job_init(&request, 3)->job), 0);
    assert_int_equal(result_of(&request), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(result_of(&owed[i]), 0);
    assert_int_equal(atomic_load(&commits), 1);
    assert_order(applied, 4, (const int[]){0, 1, 2, 3});
    writer_stop(writer);
}

static void what_is_owed_does_not_wait_for_ever(void **state)
{
    static struct test_job owed;

    writer_be_patient(1000);
    assert_int_equal(writer_post_owed(writer, &job_init(&owed, 0)->job), 0);
    assert_int_equal(result_of(&owed), 0);
    writer_stop(writer);
}

static void many_that_are_owed_do_not_wait(void **state)
{
    static struct test_job owed[65], heavy;

    writer_be_patient(LONG_US);
    for (int i = 0; i < 65; i++)
        assert_int_equal(writer_post_owed(writer, &job_init(&owed[i], i)->job), 0);
    for (int i = 0; i < 65; i++)
        assert_int_equal(result_of(&owed[i]), 0);
    job_init(&heavy, 65)->job.weight = 65;
    assert_int_equal(writer_post_owed(writer, &heavy.job), 0);
    assert_int_equal(result_of(&heavy), 0);
    writer_stop(writer);
}

static void a_writer_that_stops_does_not_wait(void **state)
{
    static struct test_job owed;

    writer_be_patient(LONG_US);
    assert_int_equal(writer_post_owed(writer, &job_init(&owed, 0)->job), 0);
    writer_stop(writer);
    assert_int_equal(result_of(&owed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WRITER_TEST(many_jobs_share_a_transaction),
        WRITER_TEST(very_many_jobs_are_cut_into_batches),
        WRITER_TEST(a_full_box_refuses_requests_but_not_what_is_owed),
        WRITER_TEST(jobs_on_their_way_count_as_waiting),
        WRITER_TEST(a_heavy_job_counts_for_many),
        WRITER_TEST(a_failing_job_fails_its_batch),
        WRITER_TEST(owed_jobs_outlive_a_failing_commit),
        WRITER_TEST(owed_jobs_outlive_a_failing_begin),
        WRITER_TEST(a_faulty_job_that_is_owed_is_given_up_alone),
        WRITER_TEST(a_faulty_job_is_not_given_up_when_the_store_fails),
        WRITER_TEST(health_is_told_once_per_change),
        WRITER_TEST(recovery_is_noticed_without_a_job),
        WRITER_TEST(a_stop_finishes_what_waits),
        WRITER_TEST(a_stop_gives_back_what_cannot_be_written),
        WRITER_TEST(many_threads_may_post),
        WRITER_TEST(what_is_owed_goes_with_what_is_asked_for),
        WRITER_TEST(what_is_owed_does_not_wait_for_ever),
        WRITER_TEST(many_that_are_owed_do_not_wait),
        WRITER_TEST(a_writer_that_stops_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
