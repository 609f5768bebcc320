#include "cli/analytics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static char *shown;

static const char *show(const struct report *r, const char *json, struct report_style style)
{
    struct json_node *answer JSON_TREE_CLEANUP = json_tree_parse(str_of(json));
    size_t size = 0;

    free(shown);
    shown = NULL;
    assert_non_null(answer);
    FILE *out = open_memstream(&shown, &size);
    report_print(r, answer, &style, out);
    fclose(out);
    return shown;
}

static int tear_down(void **state)
{
    free(shown);
    shown = NULL;
    return 0;
}

#define COST(amount) "\"cost\":{\"amount\":" amount ",\"currency\":\"USD\"}"

static const char usage[] =
    "{\"livemode\":false,\"period\":{\"start\":\"2026-11-14T00:00:00.000Z\","
    "\"end\":\"2026-11-17T00:00:00.000Z\",\"interval\":\"day\"},"
    "\"totals\":{\"messages\":1234567,\"segments\":1300000,\"sms\":1234567,\"mms\":0,"
    "\"inbound\":12,"
    "\"requests\":null," COST(
        "9259.2525") "},\"data\":["
                     "{\"date\":\"2026-11-14T00:00:00.000Z\",\"messages\":1234000,\"segments\":"
                     "1299000,"
                     "\"sms\":1234000,\"mms\":0,\"inbound\":12,\"requests\":null," COST(
                         "9255") "},"
                                 "{\"date\":\"2026-11-15T00:00:00.000Z\",\"messages\":0,"
                                 "\"segments\":0,\"sms\":0,\"mms\":0,"
                                 "\"inbound\":0,\"requests\":null," COST(
                                     "0") "},"
                                          "{\"date\":\"2026-11-16T00:00:00.000Z\",\"messages\":"
                                          "567,\"segments\":1000,\"sms\":567,"
                                          "\"mms\":0,\"inbound\":0,\"requests\":null," COST(
                                              "4.2525") "}],"
                                                        "\"breakdown\":{\"byCountry\":[{"
                                                        "\"country\":\"US\",\"messages\":"
                                                        "1234560,\"segments\":1299990," COST(
                                                            "9"
                                                            "2"
                                                            "5"
                                                            "9"
                                                            "."
                                                            "2") "},{\"country\":null,"
                                                                 "\"messages\":7,\"segments\":"
                                                                 "10," COST(
                                                                     "0.0525") "}],"
                                                                               "\"byMess"
                                                                               "ageType"
                                                                               "\":[],"
                                                                               "\"byNumb"
                                                                               "erType\""
                                                                               ":[],"
                                                                               "\"byTag"
                                                                               "\":[{"
                                                                               "\"tag\":"
                                                                               "\"a\\u00"
                                                                               "1b[2J\","
                                                                               "\"messag"
                                                                               "es\":5,"
                                                                               "\"segmen"
                                                                               "ts\":"
                                                                               "5," COST(
                                                                                   "0."
                                                                                   "037"
                                                                                   "5") "}],"
                                                                                        "\"otherTag"
                                                                                        "s\":{"
                                                                                        "\"messages"
                                                                                        "\":3,"
                                                                                        "\"segments"
                                                                                        "\":"
                                                                                        "3," COST(
                                                                                            "0."
                                                                                            "0225") "}}}";

static void test_usage(void **state)
{
    assert_string_equal(show(&shown_usage, usage, (struct report_style){.width = 80}),
                        "Usage of test messages, 2026-11-14 to 2026-11-16 UTC, by day\n"
                        "\n"
                        "Messages   1,234,567\n"
                        "  SMS      1,234,567\n"
                        "  MMS      0\n"
                        "Segments   1,300,000\n"
                        "Received   12\n"
                        "API calls  -\n"
                        "Cost       9,259.2525 USD\n"
                        "\n"
                        "BEGINS (UTC)   MESSAGES        SMS   SEGMENTS  RECEIVED    COST\n"
                        "2026-11-14    1,234,000  1,234,000  1,299,000        12   9,255\n"
                        "2026-11-16          567        567      1,000         0  4.2525\n"
                        "1 day with nothing is left out.\n"
                        "\n"
                        "By country\n"
                        "COUNTRY   MESSAGES   SEGMENTS     COST\n"
                        "US       1,234,560  1,299,990  9,259.2\n"
                        "unknown          7         10   0.0525\n"
                        "\n"
                        "By tag\n"
                        "TAG                   MESSAGES  SEGMENTS    COST\n"
                        "a [2J                        5         5  0.0375\n"
                        "(other sets of tags)         3         3  0.0225\n");
}

static void test_plot(void **state)
{
    show(&shown_usage, usage, (struct report_style){.plot = true, .width = 60});
    assert_non_null(strstr(shown, "Cost       9,259.2525 USD\n\nMessages per day\n1.6M ┤"));
    assert_non_null(strstr(shown, "       2026-11-14"));
    assert_non_null(strstr(shown, "2026-11-16\n\nBEGINS (UTC)"));
    show(&shown_usage, usage, (struct report_style){.plot = true, .ascii = true, .width = 60});
    for (const char *c = shown; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
}

/* Hours, and a mode, and rates that there are none of. */
static void test_delivery(void **state)
{
    static const char json[] =
        "{\"livemode\":true,\"period\":{\"start\":\"2026-11-15T15:00:00.000Z\","
        "\"end\":\"2026-11-15T17:00:00.000Z\",\"interval\":\"hour\"},"
        "\"totals\":{\"total\":5,\"scheduled\":0,\"queued\":0,\"sent\":1,\"delivered\":3,"
        "\"failed\":1,\"cancelled\":0,\"deliveryRate\":0.75,\"failureRate\":0.25,"
        "\"averageDeliverySeconds\":1.25,\"p95DeliverySeconds\":200},\"data\":["
        "{\"date\":\"2026-11-15T15:00:00.000Z\",\"total\":4,\"scheduled\":0,\"queued\":0,"
        "\"sent\":0,\"delivered\":3,\"failed\":1,\"cancelled\":0,\"deliveryRate\":0.75,"
        "\"failureRate\":0.25,\"averageDeliverySeconds\":1.25,\"p95DeliverySeconds\":200},"
        "{\"date\":\"2026-11-15T16:00:00.000Z\",\"total\":1,\"scheduled\":0,\"queued\":0,"
        "\"sent\":1,\"delivered\":0,\"failed\":0,\"cancelled\":0,\"deliveryRate\":null,"
        "\"failureRate\":null,\"averageDeliverySeconds\":null,\"p95DeliverySeconds\":null}],"
        "\"failures\":[{\"errorCode\":\"unroutable\",\"errorMessage\":\"No way there.\","
        "\"count\":1}],\"byCountry\":[],\"byNumberType\":[]}";

    show(&shown_delivery, json, (struct report_style){.plot = true, .width = 80});
    assert_non_null(strstr(shown, "Delivery of live messages, 2026-11-15 15:00 to 2026-11-15 17:00 "
                                  "UTC, by hour\n"));
    assert_non_null(strstr(shown, "Delivery rate           75 %\n"));
    assert_non_null(strstr(shown, "Delivery time           1.25 s\n"));
    assert_non_null(strstr(shown, "  of 95 % up to about   3 min 20 s\n"));
    assert_non_null(strstr(shown, "Delivered per hour\n"));
    assert_non_null(strstr(shown, "Failed per hour\n"));
    assert_non_null(strstr(
        shown, "BEGINS (UTC)      MESSAGES  DELIVERED  FAILED  SENT  RATE    TIME        95 %\n"
               "2026-11-15 15:00         4          3       1     0  75 %  1.25 s  3 min 20 s\n"
               "2026-11-15 16:00         1          0       0     1     -       -           -\n"));
    assert_non_null(strstr(shown, "ERROR       MESSAGES  MEANING\n"
                                  "unroutable         1  No way there.\n"));
}

static void test_costs(void **state)
{
    static const char json[] =
        "{\"livemode\":true,\"period\":{\"start\":\"2026-09-01T00:00:00.000Z\","
        "\"end\":\"2026-11-01T00:00:00.000Z\",\"interval\":\"month\"},\"currency\":\"USD\","
        "\"totals\":{\"amount\":12345.678901,\"messages\":2,\"averagePerMessage\":6172.839451,"
        "\"averagePerSegment\":null},\"data\":["
        "{\"date\":\"2026-09-01T00:00:00.000Z\",\"amount\":12345.678901,\"messages\":2},"
        "{\"date\":\"2026-10-01T00:00:00.000Z\",\"amount\":0,\"messages\":0}],"
        "\"byCountry\":[],\"byNumberType\":[],"
        "\"byType\":[{\"type\":\"sms\",\"amount\":12345.678901,\"messages\":2}],"
        "\"projectedMonthTotal\":null}";

    show(&shown_costs, json, (struct report_style){.plot = true, .width = 80});
    assert_non_null(
        strstr(shown, "Costs of live messages, 2026-09-01 to 2026-10-31 UTC, by month"));
    assert_non_null(strstr(shown, "Cost                       12,345.678901 USD\n"));
    assert_non_null(strstr(shown, "Average of a segment       -\n"));
    assert_non_null(strstr(shown, "This month, if it goes on  -\n"));
    assert_non_null(strstr(shown, "$16k ┤"));
    assert_non_null(strstr(shown, "BEGINS (UTC)           COST  MESSAGES\n"
                                  "2026-09       12,345.678901         2\n"
                                  "1 month with nothing is left out.\n"));
    assert_non_null(strstr(shown, "By type of message\nTYPE           COST  MESSAGES\n"));
}

static void test_nothing(void **state)
{
    static const char json[] =
        "{\"livemode\":false,\"period\":{\"start\":\"2026-11-14T00:00:00.000Z\","
        "\"end\":\"2026-11-15T00:00:00.000Z\",\"interval\":\"day\"},\"currency\":\"USD\","
        "\"totals\":{},\"data\":[{\"date\":\"2026-11-14T00:00:00.000Z\",\"amount\":0,"
        "\"messages\":0}]}";

    show(&shown_costs, json, (struct report_style){.plot = true, .width = 80});
    assert_non_null(strstr(shown, "\nThere was nothing in this time.\n"));
}

/* Whatever a server may answer, nothing breaks. */
static void test_strange_answers(void **state)
{
    static const char strange[] =
        "{\"period\":{\"start\":\"\\u001b[2J\",\"end\":7,\"interval\":[]},\"data\":[{\"date\":1,"
        "\"messages\":-5,\"cost\":{\"amount\":\"x\"}}]}";
    static const char *const answers[] = {
        "{}", "[]", "{\"data\":5}", "{\"data\":[1,null,[],{}]}", strange,
    };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        show(&shown_usage, answers[i], (struct report_style){.plot = true, .width = 80});
        assert_null(strchr(shown, '\033'));
        show(&shown_delivery, answers[i], (struct report_style){.plot = true, .width = 80});
        show(&shown_costs, answers[i], (struct report_style){.plot = true, .width = 80});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_usage, tear_down),
        cmocka_unit_test_teardown(test_plot, tear_down),
        cmocka_unit_test_teardown(test_delivery, tear_down),
        cmocka_unit_test_teardown(test_costs, tear_down),
        cmocka_unit_test_teardown(test_nothing, tear_down),
        cmocka_unit_test_teardown(test_strange_answers, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
