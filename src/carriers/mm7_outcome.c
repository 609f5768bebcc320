#include "carriers/mm7_outcome.h"

#include "base/utf8.h"
#include "carriers/mm7_reference.h"

/* Room for an answer of 256 KiB, and what reading it takes. */
enum { ANSWER_MEMORY = 2 << 20, TOLD_MAX = 120 };

void mm7_outcome_set(struct mm7_outcome *ret, enum carrier_outcome outcome, enum failure failure,
                     enum mm7_shows shows, const char *detail)
{
    *ret = (struct mm7_outcome){.outcome = outcome, .failure = failure, .shows = shows};
    str_format(ret->detail, sizeof ret->detail, "%s", detail);
}

/* ---- an answer of HTTP, which says nothing of MM7 ---- */

static const struct {
    unsigned first, last;
    enum carrier_outcome outcome;
    enum failure failure;
    enum mm7_shows shows;
    const char *why; /* the end of a sentence */
} statuses[] = {
    {200, 299, CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT, MM7_SHOWS_ILL,
     " with something that is no answer of MM7."},
    {300, 399, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL,
     "; redirects are not followed."},
    {401, 401, CARRIER_UNTRIED, FAILURE_NONE, MM7_SHOWS_CLOSED,
     ": check username and password, or the token."},
    {403, 403, CARRIER_UNTRIED, FAILURE_NONE, MM7_SHOWS_CLOSED,
     ": check the credentials, and that your address is allowed."},
    {408, 408, CARRIER_LATER, FAILURE_UPSTREAM_TIMEOUT, MM7_SHOWS_ILL, "."},
    {429, 429, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_BUSY, "."},
    /* These are about one message, not about the MMSC. */
    {413, 413, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL, "."},
    {415, 415, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL, "."},
    {422, 422, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL, "."},
    {400, 499, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL, "."},
    {500, 599, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL, "."},
    {0, 999, CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT, MM7_SHOWS_ILL, ", which means nothing."},
};

static void judge_http(struct mm7_outcome *ret, unsigned status)
{
    size_t i = 0;

    while (status < statuses[i].first || status > statuses[i].last)
        i++;
    mm7_outcome_set(ret, statuses[i].outcome, statuses[i].failure, statuses[i].shows, "");
    str_format(ret->detail, sizeof ret->detail, "The carrier answered with HTTP %u%s", status,
               statuses[i].why);
}

/* ---- an answer of MM7 ---- */

/* By what is at fault: what is permanent is so on every route, because who fails at a message may
 * have it, or fail at it again; only what is wrong between us and this one MMSC goes another way.
 */
static const struct {
    enum carrier_outcome outcome;
    enum failure failure;
} faults[] = {
    [MM7_FAIL_NONE] = {CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR},
    [MM7_FAIL_ADDRESS] = {CARRIER_REFUSED, FAILURE_INVALID_DESTINATION},
    [MM7_FAIL_CONTENT] = {CARRIER_REFUSED, FAILURE_CARRIER_REJECTED},
    [MM7_FAIL_REFUSED] = {CARRIER_REFUSED, FAILURE_CARRIER_REJECTED},
    [MM7_FAIL_ACCOUNT] = {CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR},
    [MM7_FAIL_MANY] = {CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR},
    [MM7_FAIL_CARRIER] = {CARRIER_REFUSED, FAILURE_UPSTREAM_ERROR},
};

static void took(struct mm7_outcome *ret, struct str message_id)
{
    char room[REFERENCE_MAX];
    struct str id = mm7_reference(message_id, room);

    mm7_outcome_set(ret, CARRIER_TOOK, FAILURE_NONE, MM7_SHOWS_WELL, "");
    ret->id_size = id.n;
    memcpy(ret->id, id.p ? id.p : "", id.n);
}

static struct str told(struct str text)
{
    return utf8_shown(str_trim(text), TOLD_MAX);
}

/* "The carrier answered 2002 Address Error: no such number" */
static void tell_code(struct mm7_outcome *ret, const struct mm7_heard *heard)
{
    const char *usual = mm7_status_text(heard->code);
    struct str text = told(heard->status_text), details = told(heard->details);

    if (!text.n && usual)
        text = str_of(usual);
    str_format(ret->detail, sizeof ret->detail, "The carrier answered %u%s%.*s%s%.*s.", heard->code,
               text.n ? " " : "", STR_FMT(text), details.n ? ": " : "", STR_FMT(details));
}

static void judge_code(struct mm7_outcome *ret, const struct mm7_heard *heard)
{
    struct mm7_verdict v = mm7_status_verdict(heard->code);

    switch (v.class) {
    case MM7_CLASS_OK:
        took(ret, heard->message_id);
        return;
    case MM7_CLASS_RETRY:
        mm7_outcome_set(ret, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_BUSY, "");
        break;
    case MM7_CLASS_PERMANENT:
        mm7_outcome_set(ret, faults[v.fail].outcome, faults[v.fail].failure, MM7_SHOWS_WELL, "");
        break;
    }
    tell_code(ret, heard);
}

/* "env:Server" or "{namespace}Server", with SOAP 1.1's finer words behind a dot, or SOAP 1.2's
 * Receiver. */
static bool is_servers(struct str code)
{
    size_t start = 0;

    for (size_t i = 0; i < code.n; i++)
        if (strchr(":}#/", code.p[i]))
            start = i + 1;
    struct str rest = str_skip(code, start), word = str_cut(&rest, '.');
    return str_eq_nocase(word, STR("Server")) || str_eq_nocase(word, STR("Receiver"));
}

/* A Fault that has no status of MM7 inside: its code says who is to blame. */
static void judge_fault(struct mm7_outcome *ret, const struct mm7_heard *heard)
{
    struct str text = told(heard->fault_text);

    if (is_servers(heard->fault_code))
        mm7_outcome_set(ret, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL, "");
    else
        mm7_outcome_set(ret, CARRIER_ELSEWHERE, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_WELL, "");
    str_format(ret->detail, sizeof ret->detail, "The carrier answered with a fault%s%.*s.",
               text.n ? ": " : "", STR_FMT(text));
}

/* False when it says nothing that is meant for us. */
static bool judge_heard(struct mm7_outcome *ret, const struct mm7_heard *heard)
{
    if (heard->code)
        judge_code(ret, heard);
    else if (heard->is_fault)
        judge_fault(ret, heard);
    else if (heard->kind == MM7_SUBMIT_RSP && str_trim(heard->message_id).n)
        took(ret, heard->message_id);
    else
        return false;
    return true;
}

static void judge_answer(struct mm7_outcome *ret, const struct loop_http_reply *reply)
{
    struct mm7_part parts[MIME_PARTS_MAX];
    size_t count = MIME_PARTS_MAX;
    struct mm7_heard heard;
    char why[MM7_WHY_SIZE];
    struct arena memory;

    judge_http(ret, reply->status);
    if (ret->shows == MM7_SHOWS_CLOSED || reply->body.n == 0)
        return;
    arena_init(&memory, ANSWER_MEMORY);
    if (mm7_read(&heard, &memory, reply->content_type, reply->body, parts, &count, why) == 0)
        judge_heard(ret, &heard);
    arena_done(&memory);
}

/* ---- no answer ---- */

static void judge_silence(struct mm7_outcome *ret, const struct loop_http_reply *reply,
                          enum mm7_sent sent)
{
    switch (sent) {
    case MM7_SENT_NOTHING:
        mm7_outcome_set(ret, CARRIER_UNTRIED, FAILURE_NONE, MM7_SHOWS_AWAY, reply->why);
        return;
    case MM7_SENT_PART:
        mm7_outcome_set(ret, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, MM7_SHOWS_ILL, reply->why);
        return;
    case MM7_SENT_WHOLE:
        mm7_outcome_set(ret, CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT, MM7_SHOWS_ILL, reply->why);
        return;
    }
}

void mm7_outcome_read(struct mm7_outcome *ret, const struct loop_http_reply *reply,
                      enum mm7_sent sent)
{
    if (reply->outcome == LOOP_HTTP_ANSWERED)
        judge_answer(ret, reply);
    else
        judge_silence(ret, reply, sent);
}
