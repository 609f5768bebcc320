#include "carriers/smpp_job.h"
#include "messaging/parcel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct parcel *parcel;
static struct smpp_job *job;
static struct str ids[CARRIER_PARTS_MAX];

static void start(unsigned parts)
{
    struct message m = {.id = 7, .text = STR("Hello")};

    parcel = parcel_new(&m);
    job = smpp_job_new(parcel, 1);
    assert_non_null(job);
    assert_ptr_equal(parcel_note(parcel), job);
    assert_true(smpp_job_open(job, parts));
}

static int tear_down(void **state)
{
    smpp_job_free(job);
    free(parcel);
    return 0;
}

static struct smpp_part *send_next(unsigned wanted_place)
{
    unsigned place = 99;
    struct smpp_part *part = smpp_job_next(job, &place);

    assert_non_null(part);
    assert_int_equal(place, wanted_place);
    smpp_part_sent(part);
    return part;
}

static struct smpp_pdu response(uint32_t status)
{
    return (struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE, .status = status};
}

static void assert_detail(const char *wanted)
{
    struct carrier_answer answer = smpp_job_answer(job, ids);

    if (!str_is(answer.detail, wanted))
        fail_msg("'%.*s' is not '%s'", STR_FMT(answer.detail), wanted);
}

static void is_taken_when_its_part_is(void **state)
{
    start(1);
    struct smpp_part *part = send_next(0);
    assert_null(smpp_job_next(job, &(unsigned){0}));
    assert_false(smpp_job_is_over(job));
    smpp_part_taken(part, SMPP_ID_AUTO, STR("A001"));
    assert_true(smpp_job_is_over(job));
    struct carrier_answer answer = smpp_job_answer(job, ids);
    assert_int_equal(answer.outcome, CARRIER_TOOK);
    assert_int_equal(answer.parts, 1);
    assert_true(str_is(answer.ids[0], "a001"));
}

static void is_taken_when_all_parts_are(void **state)
{
    start(3);
    struct smpp_part *parts[3];
    for (unsigned i = 0; i < 3; i++)
        parts[i] = send_next(i);
    smpp_part_taken(parts[2], SMPP_ID_AUTO, STR("3"));
    smpp_part_taken(parts[0], SMPP_ID_AUTO, STR("1"));
    assert_false(smpp_job_is_over(job));
    smpp_part_taken(parts[1], SMPP_ID_AUTO, STR(""));
    assert_true(smpp_job_is_over(job));
    struct carrier_answer answer = smpp_job_answer(job, ids);
    assert_int_equal(answer.parts, 3);
    assert_true(str_is(answer.ids[0], "1") && str_is(answer.ids[2], "3"));
    assert_int_equal(answer.ids[1].n, 0); /* some carriers give none */
}

static void a_refused_part_ends_the_whole(void **state)
{
    start(3);
    struct smpp_part *first = send_next(0), *second = send_next(1);
    struct smpp_pdu refusal = response(0x45);
    smpp_part_refused(second, CARRIER_ELSEWHERE, FAILURE_CARRIER_REJECTED, &refusal);
    assert_null(smpp_job_next(job, &(unsigned){0})); /* the third is not sent */
    assert_false(smpp_job_is_over(job));             /* the first is still out */
    smpp_part_taken(first, SMPP_ID_AUTO, STR("1"));
    assert_true(smpp_job_is_over(job));
    struct carrier_answer answer = smpp_job_answer(job, ids);
    assert_int_equal(answer.outcome, CARRIER_ELSEWHERE);
    assert_int_equal(answer.failure, FAILURE_CARRIER_REJECTED);
    assert_int_equal(answer.taken, 1);
    assert_detail("The carrier answered 0x45 (ESME_RSUBMITFAIL) to part 2 of 3.");
}

/* Else it would go out again at once, and nobody would be told that a part arrives twice. */
static void what_the_carrier_may_have_in_part_was_tried(void **state)
{
    struct smpp_pdu refusal = response(0x04);

    start(1);
    smpp_part_refused(send_next(0), CARRIER_UNTRIED, FAILURE_UPSTREAM_ERROR, &refusal);
    assert_int_equal(smpp_job_answer(job, ids).outcome, CARRIER_UNTRIED);
    assert_int_equal(smpp_job_answer(job, ids).taken, 0);
    tear_down(state);

    start(3);
    struct smpp_part *first = send_next(0), *second = send_next(1), *third = send_next(2);
    smpp_part_refused(second, CARRIER_UNTRIED, FAILURE_UPSTREAM_ERROR, &refusal);
    smpp_part_taken(first, SMPP_ID_AUTO, STR("1"));
    smpp_part_unanswered(third);
    assert_int_equal(smpp_job_answer(job, ids).outcome, CARRIER_LATER);
    assert_int_equal(smpp_job_answer(job, ids).taken, 2);
}

static void the_first_trouble_counts(void **state)
{
    start(2);
    struct smpp_part *first = send_next(0), *second = send_next(1);
    struct smpp_pdu refusal = response(0x0b);
    smpp_part_refused(first, CARRIER_REFUSED, FAILURE_INVALID_DESTINATION, &refusal);
    smpp_part_unanswered(second);
    assert_int_equal(smpp_job_answer(job, ids).outcome, CARRIER_REFUSED);
    assert_int_equal(smpp_job_answer(job, ids).failure, FAILURE_INVALID_DESTINATION);
}

static void nobody_knows_of_a_part_that_is_not_answered(void **state)
{
    start(1);
    smpp_part_unanswered(send_next(0));
    assert_true(smpp_job_is_over(job));
    assert_int_equal(smpp_job_answer(job, ids).outcome, CARRIER_SILENT);
}

static void a_throttled_part_is_sent_again(void **state)
{
    start(2);
    struct smpp_part *first = send_next(0);
    send_next(1);
    smpp_part_again(first);
    assert_false(smpp_job_is_over(job));
    assert_ptr_equal(send_next(0), first);
}

static void what_a_carrier_says_is_told(void **state)
{
    BUF_CLEANUP struct buf tlvs;
    struct smpp_pdu refusal = response(0x45);

    start(1);
    buf_init(&tlvs, 256);
    smpp_tlv_put(&tlvs, SMPP_TAG_ADDITIONAL_STATUS, STR("no credit\0"));
    refusal.tlvs = buf_str(&tlvs);
    smpp_part_refused(send_next(0), CARRIER_ELSEWHERE, FAILURE_UNKNOWN, &refusal);
    assert_detail("The carrier answered 0x45 (ESME_RSUBMITFAIL): no credit.");
}

static void a_status_without_a_name_is_told(void **state)
{
    struct smpp_pdu refusal = response(0x4a1);

    start(1);
    smpp_part_refused(send_next(0), CARRIER_ELSEWHERE, FAILURE_UNKNOWN, &refusal);
    assert_detail("The carrier answered 0x4a1.");
}

static void blames_have_failures(void **state)
{
    assert_int_equal(smpp_failure_of(SMPP_BLAME_MESSAGE), FAILURE_CARRIER_REJECTED);
    assert_int_equal(smpp_failure_of(SMPP_BLAME_RECIPIENT), FAILURE_INVALID_DESTINATION);
    assert_int_equal(smpp_failure_of(SMPP_BLAME_SENDER), FAILURE_NO_SENDER);
    assert_int_equal(smpp_failure_of(SMPP_BLAME_BLOCKED), FAILURE_CARRIER_BLOCKED);
    assert_int_equal(smpp_failure_of(SMPP_BLAME_SPAM), FAILURE_SPAM_FILTERED);
    assert_int_equal(smpp_failure_of(SMPP_BLAME_CARRIER), FAILURE_UPSTREAM_ERROR);
}

/* ---- queues ---- */

static void assert_order(struct smpp_jobs *q, const uint64_t *orders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct smpp_job *j = smpp_jobs_take(q);
        assert_non_null(j);
        assert_int_equal(j->order, orders[i]);
    }
    assert_null(smpp_jobs_take(q));
}

static void what_returns_goes_to_its_place(void **state)
{
    struct smpp_job jobs[6] = {0};
    struct smpp_jobs q = {0};
    static const uint64_t come[] = {3, 4, 1, 2, 5};

    for (size_t i = 0; i < 5; i++) {
        jobs[i].order = come[i];
        smpp_jobs_add(&q, &jobs[i]);
    }
    assert_order(&q, (const uint64_t[]){1, 2, 3, 4, 5}, 5);
    smpp_jobs_add(&q, &jobs[0]); /* empty, it still works */
    assert_order(&q, (const uint64_t[]){3}, 1);
}

static void one_can_leave_from_anywhere(void **state)
{
    struct smpp_job jobs[4] = {{.order = 1}, {.order = 2}, {.order = 3}, {.order = 4}};
    struct smpp_jobs q = {0};

    for (size_t i = 0; i < 3; i++)
        smpp_jobs_add(&q, &jobs[i]);
    smpp_jobs_remove(&q, &jobs[2]);
    smpp_jobs_remove(&q, &jobs[0]);
    smpp_jobs_add(&q, &jobs[3]);
    assert_order(&q, (const uint64_t[]){2, 4}, 2);
}

static void all_leave_the_last_one_first(void **state)
{
    struct smpp_job jobs[3] = {{.order = 1}, {.order = 2}, {.order = 3}};
    struct smpp_jobs q = {0};

    for (size_t i = 0; i < 3; i++)
        smpp_jobs_add(&q, &jobs[i]);
    struct smpp_job *j = smpp_jobs_take_all_reversed(&q);
    assert_ptr_equal(j, &jobs[2]);
    assert_ptr_equal(j->next, &jobs[1]);
    assert_ptr_equal(j->next->next, &jobs[0]);
    assert_null(j->next->next->next);
    assert_null(smpp_jobs_take(&q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(is_taken_when_its_part_is, tear_down),
        cmocka_unit_test_teardown(is_taken_when_all_parts_are, tear_down),
        cmocka_unit_test_teardown(a_refused_part_ends_the_whole, tear_down),
        cmocka_unit_test_teardown(what_the_carrier_may_have_in_part_was_tried, tear_down),
        cmocka_unit_test_teardown(the_first_trouble_counts, tear_down),
        cmocka_unit_test_teardown(nobody_knows_of_a_part_that_is_not_answered, tear_down),
        cmocka_unit_test_teardown(a_throttled_part_is_sent_again, tear_down),
        cmocka_unit_test_teardown(what_a_carrier_says_is_told, tear_down),
        cmocka_unit_test_teardown(a_status_without_a_name_is_told, tear_down),
        cmocka_unit_test(blames_have_failures),
        cmocka_unit_test(what_returns_goes_to_its_place),
        cmocka_unit_test(one_can_leave_from_anywhere),
        cmocka_unit_test(all_leave_the_last_one_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
