#include "carriers/test_mmsc.h"
#include "cli/mmsc_trial.h"

#include <pthread.h>

static char steps[512];

static void note(void *unused, const char *step, bool good, const char *result, int64_t ms)
{
    size_t n = strlen(steps);

    str_format(steps + n, sizeof steps - n, "%s %s: %s\n", good ? "+" : "-", step, result);
}

static void judged(unsigned status, bool good, const char *words)
{
    char result[256];

    assert_int_equal(mmsc_trial_judge(status, result, sizeof result), good);
    if (!strstr(result, words))
        fail_msg("'%s' is not in '%s'", words, result);
}

static void statuses_are_told_in_words(void **state)
{
    judged(200, true, "HTTP 200: it answers");
    judged(301, false, "url must be where it leads to");
    judged(401, false, "check username and password, or the token");
    judged(403, false, "address is allowed");
    judged(404, false, "check the url");
    judged(405, true, "it is there");
    judged(500, true, "it is there");
    judged(502, false, "cannot reach it");
    judged(42, false, "no status");
}

static void *answer_405(void *unused)
{
    struct test_peer p;

    test_peer_serve(&p, &test_mmsc, "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
    assert_non_null(memmem(p.in.p, p.in.n, "GET /mm7 HTTP/1.1\r\n", 19));
    assert_non_null(memmem(p.in.p, p.in.n, "Authorization: Bearer T\r\n", 25));
    test_peer_close(&p);
    return NULL;
}

static struct mm7_settings *settings(void)
{
    struct mm7_settings *made;
    char why[256];

    test_section.token = "T";
    assert_int_equal(mm7_settings_new(&made, &test_section, why, sizeof why), 0);
    return made;
}

static void one_that_is_there(void **state)
{
    struct mm7_settings *s = settings();
    pthread_t thread;

    steps[0] = '\0';
    assert_int_equal(pthread_create(&thread, NULL, answer_405, NULL), 0);
    assert_true(mmsc_trial_run(s, note, NULL));
    pthread_join(thread, NULL);
    assert_string_equal(steps, "+ connect: 127.0.0.1\n"
                               "+ GET: answered with HTTP 405: it is there, and wants to be asked "
                               "otherwise, as with messages\n");
    mm7_settings_free(s);
}

static void one_that_is_not(void **state)
{
    struct mm7_settings *s = settings();

    steps[0] = '\0';
    test_listen_done(&test_mmsc);
    assert_false(mmsc_trial_run(s, note, NULL));
    assert_non_null(strstr(steps, "- connect: No connection to 127.0.0.1"));
    test_listen(&test_mmsc, NULL);
    mm7_settings_free(s);
}

static int set_up(void **state)
{
    test_mmsc_init();
    return 0;
}

static int tear_down(void **state)
{
    test_mmsc_done();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_told_in_words),
        cmocka_unit_test_setup_teardown(one_that_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_is_not, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
