#include "carriers/mm7_outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct mm7_outcome outcome;

#define SOAP(inside)                                                                               \
    "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>" inside            \
    "</e:Body></e:Envelope>"

static void answered(unsigned status, const char *body)
{
    struct loop_http_reply reply = {.outcome = LOOP_HTTP_ANSWERED,
                                    .status = status,
                                    .content_type = STR("text/xml"),
                                    .body = str_of(body)};

    mm7_outcome_read(&outcome, &reply, MM7_SENT_WHOLE);
}

static void expect(enum carrier_outcome wanted, enum failure failure, enum mm7_shows shows)
{
    assert_int_equal(outcome.outcome, wanted);
    assert_int_equal(outcome.failure, failure);
    assert_int_equal(outcome.shows, shows);
}

static void coded(unsigned status, const char *element, unsigned code)
{
    char body[1024];

    snprintf(body, sizeof body,
             SOAP("<%s><Status><StatusCode>%u</StatusCode><Details>Because</Details></Status>"
                  "<MessageID> abc-1 </MessageID></%s>"),
             element, code, element);
    answered(status, body);
}

static void what_is_taken_has_its_id(void **state)
{
    coded(200, "SubmitRsp", 1000);
    expect(CARRIER_TOOK, FAILURE_NONE, MM7_SHOWS_WELL);
    assert_true(str_is((struct str){outcome.id, outcome.id_size}, "abc-1"));
    coded(200, "SubmitRsp", 1100);
    expect(CARRIER_TOOK, FAILURE_NONE, MM7_SHOWS_WELL);
    coded(500, "SubmitRsp", 1000);
    expect(CARRIER_TOOK, FAILURE_NONE, MM7_SHOWS_WELL);
    answered(200, SOAP("<SubmitRsp><MessageID>only</MessageID></SubmitRsp>"));
    expect(CARRIER_TOOK, FAILURE_NONE, MM7_SHOWS_WELL);
    answered(200, SOAP("<SubmitRsp><Status><StatusCode>1000</StatusCode></Status></SubmitRsp>"));
    expect(CARRIER_TOOK, FAILURE_NONE, MM7_SHOWS_WELL);
    assert_int_equal(outcome.id_size, 0);
}

static void codes_are_classed(void **state)
{
    static const struct {
        unsigned code;
        enum carrier_outcome outcome;
        enum failure failure;
        enum mm7_shows shows;
    } rows[] = {
        {2000, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED, MM7_SHOWS_WELL},
        {2001, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED, MM7_SHOWS_WELL},
        {2002, CARRIER_REFUSED, FAILURE_INVALID_DESTINATION, MM7_SHOWS_WELL},
        {2003, CARRIER_REFUSED, FAILURE_INVALID_DESTINATION, MM7_SHOWS_WELL},
        {2004, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED, MM7_SHOWS_WELL},
        {2007, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED, MM7_SHOWS_WELL},
        {3000, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_BUSY},
        {3001, CARRIER_REFUSED, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL},
        {3002, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED, MM7_SHOWS_WELL},
        {3003, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL},
        {4000, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_BUSY},
        {4001, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL},
        {4004, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED, MM7_SHOWS_WELL},
        {4005, CARRIER_REFUSED, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL},
        {4006, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_BUSY},
        {3999, CARRIER_REFUSED, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL}, /* nobody knows it */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        coded(200, "SubmitRsp", rows[i].code);
        expect(rows[i].outcome, rows[i].failure, rows[i].shows);
        coded(500, "RSErrorRsp", rows[i].code);
        expect(rows[i].outcome, rows[i].failure, rows[i].shows);
    }
    coded(200, "SubmitRsp", 2002);
    assert_string_equal(outcome.detail, "The carrier answered 2002 Address Error: Because.");
}

/* What the table of facts says of a code, and what becomes of a message then. */
static enum carrier_outcome outcome_of_fact(struct str word)
{
    static const struct {
        const char *word;
        enum carrier_outcome outcome;
    } rows[] = {{"accepted", CARRIER_TOOK},        {"accepted-partial", CARRIER_TOOK},
                {"permanent", CARRIER_REFUSED},    {"ambiguous", CARRIER_REFUSED},
                {"temporary", CARRIER_LATER},      {"config", CARRIER_ELSEWHERE},
                {"retry-split", CARRIER_ELSEWHERE}}; /* ours have one recipient already */

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_is(word, rows[i].word))
            return rows[i].outcome;
    fail_msg("'%.*s' is no class", STR_FMT(word));
    return CARRIER_SILENT;
}

static void every_code_is_classed_as_the_facts_say(void **state)
{
    static char line[512];
    char path[512];
    unsigned rows = 0;

    snprintf(path, sizeof path, "%s/tests/data/mm7/status_codes.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_trim(str_of(line));
        unsigned code = (unsigned)strtoul(str_cut(&rest, ',').p, NULL, 10);
        str_cut(&rest, ',');
        coded(200, "SubmitRsp", code);
        if (outcome.outcome != outcome_of_fact(str_cut(&rest, ',')))
            fail_msg("%u has outcome %d", code, outcome.outcome);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 23);
}

static void faults_blame_one_side(void **state)
{
    answered(500, SOAP("<e:Fault><faultcode>e:Server</faultcode><faultstring>Sorry"
                       "</faultstring></e:Fault>"));
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL);
    assert_string_equal(outcome.detail, "The carrier answered with a fault: Sorry.");
    answered(500, SOAP("<e:Fault><faultcode>s:Server.userException</faultcode></e:Fault>"));
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL);
    answered(500, SOAP("<e:Fault><faultcode>{http://schemas.xmlsoap.org/soap/envelope/}Server"
                       "</faultcode></e:Fault>"));
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL);
    answered(500, SOAP("<e:Fault><Code><Value>e:Receiver</Value></Code></e:Fault>"));
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL);
    answered(500, SOAP("<e:Fault><faultcode>e:Client</faultcode></e:Fault>"));
    expect(CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL);
    answered(500, SOAP("<e:Fault><faultcode>Client.Server</faultcode></e:Fault>"));
    expect(CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL);
    answered(500, SOAP("<e:Fault><faultcode>e:Client</faultcode><detail><RSErrorRsp><Status>"
                       "<StatusCode>4006</StatusCode></Status></RSErrorRsp></detail></e:Fault>"));
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_BUSY);
}

static void without_mm7_the_status_counts(void **state)
{
    static const struct {
        unsigned status;
        enum carrier_outcome outcome;
        enum mm7_shows shows;
        const char *detail;
    } rows[] = {
        {200, CARRIER_SILENT, MM7_SHOWS_ILL, "no answer of MM7"},
        {302, CARRIER_ELSEWHERE, MM7_SHOWS_ILL, "redirects are not followed"},
        {400, CARRIER_ELSEWHERE, MM7_SHOWS_ILL, "HTTP 400."},
        {401, CARRIER_UNTRIED, MM7_SHOWS_CLOSED, "check username and password"},
        {403, CARRIER_UNTRIED, MM7_SHOWS_CLOSED, "address is allowed"},
        {404, CARRIER_ELSEWHERE, MM7_SHOWS_ILL, "HTTP 404."},
        {413, CARRIER_ELSEWHERE, MM7_SHOWS_WELL, "HTTP 413."},
        {408, CARRIER_LATER, MM7_SHOWS_ILL, "HTTP 408."},
        {429, CARRIER_LATER, MM7_SHOWS_BUSY, "HTTP 429."},
        {500, CARRIER_LATER, MM7_SHOWS_ILL, "HTTP 500."},
        {503, CARRIER_LATER, MM7_SHOWS_ILL, "HTTP 503."},
        {99, CARRIER_SILENT, MM7_SHOWS_ILL, "means nothing"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answered(rows[i].status, i % 2 ? "" : "<html>Sorry</html>");
        assert_int_equal(outcome.outcome, rows[i].outcome);
        assert_int_equal(outcome.shows, rows[i].shows);
        if (!strstr(outcome.detail, rows[i].detail))
            fail_msg("'%s' is not in '%s'", rows[i].detail, outcome.detail);
    }
    coded(401, "SubmitRsp", 1000); /* whoever says so was not let in */
    expect(CARRIER_UNTRIED, FAILURE_NONE, MM7_SHOWS_CLOSED);
    answered(200, SOAP("<DeliverRsp/>"));
    expect(CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT, MM7_SHOWS_ILL);
}

static void without_an_answer_it_counts_what_went_out(void **state)
{
    struct loop_http_reply reply = {.outcome = LOOP_HTTP_TIMED_OUT, .why = "Too slow."};

    mm7_outcome_read(&outcome, &reply, MM7_SENT_NOTHING);
    expect(CARRIER_UNTRIED, FAILURE_NONE, MM7_SHOWS_AWAY);
    mm7_outcome_read(&outcome, &reply, MM7_SENT_PART);
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL);
    mm7_outcome_read(&outcome, &reply, MM7_SENT_WHOLE);
    expect(CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT, MM7_SHOWS_ILL);
    assert_string_equal(outcome.detail, "Too slow.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_has_its_id),
        cmocka_unit_test(codes_are_classed),
        cmocka_unit_test(every_code_is_classed_as_the_facts_say),
        cmocka_unit_test(faults_blame_one_side),
        cmocka_unit_test(without_mm7_the_status_counts),
        cmocka_unit_test(without_an_answer_it_counts_what_went_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
