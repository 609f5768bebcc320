/* GET /v1/test/inbox: what was delivered to a number in test mode.
 *
 * A call that waits is parked: its request is suspended and lies in its worker's list. Ten times a
 * second the worker looks whether the store has something new for it, its time is over, its client
 * has gone or the server drains; then the request is resumed. No thread waits, and looking takes no
 * more than a tenth of the worker's time: who was not looked at is the first the next time. */
#include "api/call.h"
#include "messaging/check.h"
#include "messaging/code.h"

enum {
    WAIT_MAX_S = 30,
    PARKED_MAX = 128, /* per worker */
    LOOK_US = 10000,  /* for all of them, ten times a second */
    SHOWN_MAX = 100,  /* newest messages that were delivered to the number */
    LOOK_MAX = 1000   /* newest messages to the number, of which many may have failed */
};

struct inbox_query {
    struct page_query page; /* its cursor is not used */
    struct str to;
    int64_t since_us, wait_s;
    bool extract;
};

struct inbox {
    struct message *messages;
    size_t count;
    bool has_code;
    struct code code;
};

/* A parked call; lives in its request's arena. */
struct inbox_wait {
    struct call call;
    struct inbox_query query;
    int64_t account;
    uint64_t commits; /* of the store when it was last looked at */
    struct inbox_wait *next;
};

/* ---- the query ---- */

static bool read_to(struct call *c, struct str value, void *out, struct problem *p)
{
    struct inbox_query *q = out;

    q->to = query_number(c, value);
    return check_number(q->to, "to", &c->http->arena, p);
}

static bool read_since(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_time(value, "since", &((struct inbox_query *)out)->since_us, p);
}

static bool read_wait(struct call *c, struct str value, void *out, struct problem *p)
{
    uint64_t seconds;

    if (!str_to_u64(value, &seconds) || seconds > WAIT_MAX_S)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "wait",
                           "wait must be a whole number of seconds from 0 to 30.");
    ((struct inbox_query *)out)->wait_s = (int64_t)seconds;
    return true;
}

static bool read_extract(struct call *c, struct str value, void *out, struct problem *p)
{
    if (!str_is(value, "code"))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "extract",
                           "extract must be 'code'; nothing else can be extracted.");
    ((struct inbox_query *)out)->extract = true;
    return true;
}

static const struct query_field fields[] = {
    {"to", read_to},           {"since", read_since},      {"wait", read_wait},
    {"extract", read_extract}, {"limit", page_read_limit},
};

static bool read_query(struct call *c, struct inbox_query *q, struct problem *p)
{
    *q = (struct inbox_query){.page.limit = PAGE_LIMIT_DEFAULT};
    if (!query_read(c, fields, sizeof fields / sizeof *fields, q, p))
        return false;
    return q->to.p || problem_set(p, PROBLEM_MISSING_REQUIRED_FIELD, "to",
                                  "The parameter 'to' is required: the number of the handset.");
}

/* ---- looking ---- */

static void extract_code(struct inbox *inbox)
{
    for (size_t i = 0; i < inbox->count && !inbox->has_code; i++)
        inbox->has_code = code_find(inbox->messages[i].text, &inbox->code);
}

/* Into the worker's scratch: what a call that waits has seen need not be kept. */
static int inbox_read(struct api_worker *w, int64_t account, const struct inbox_query *q,
                      struct inbox *ret)
{
    struct message_filter filter = {.statuses = status_bit(STATUS_DELIVERED),
                                    .to = q->to,
                                    .direction = DIRECTION_OUTBOUND,
                                    .look_max = LOOK_MAX};
    struct message_page page;
    /* The newest messages are not always the last ones delivered. */
    size_t limit = q->since_us ? SHOWN_MAX : q->page.limit;

    arena_reset(&w->scratch);
    int failed =
        store_message_page(w->reader, account, MODE_TEST, &filter, 0, limit, &w->scratch, &page);

    if (failed)
        return failed;
    *ret = (struct inbox){.messages = page.messages};
    for (size_t i = 0; i < page.count && ret->count < q->page.limit; i++)
        if (page.messages[i].delivered_us >= q->since_us)
            ret->messages[ret->count++] = page.messages[i];
    if (q->extract)
        extract_code(ret);
    return 0;
}

/* Whether there is what the caller waits for. */
static bool inbox_has(const struct inbox *inbox, const struct inbox_query *q)
{
    return q->extract ? inbox->has_code : inbox->count > 0;
}

static void answer_inbox(struct call *c, const struct inbox *inbox, const struct inbox_query *q)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "data");
    json_begin_array(&w);
    for (size_t i = 0; i < inbox->count; i++)
        message_put(&w, api_ids(c->api), &inbox->messages[i]);
    json_end(&w);
    if (q->extract) {
        json_key(&w, "code");
        if (inbox->has_code)
            json_put_string(&w, str_of(inbox->code.digits));
        else
            json_put_null(&w);
    }
    json_end(&w);
}

/* ---- waiting ---- */

/* Whatever there is by now. */
static void finish_wait(struct http_request *r)
{
    struct inbox_wait *wait = r->continuation;
    struct inbox inbox;
    int failed = inbox_read(wait->call.worker, wait->account, &wait->query, &inbox);

    if (failed)
        answer_store_trouble(&wait->call, failed);
    else
        answer_inbox(&wait->call, &inbox, &wait->query);
}

static bool is_over(const struct inbox_wait *wait)
{
    int64_t now_us = clock_now_us(wait->call.api->options.clock);
    int64_t waited_us = now_us - wait->call.now_us;

    /* A clock that was put back would let it wait for ever. */
    return waited_us < 0 || waited_us >= wait->query.wait_s * 1000000 ||
           http_request_must_end(wait->call.http);
}

/* True also when the store cannot be read: the answer will say so. */
static bool has_come(struct inbox_wait *wait, uint64_t commits)
{
    struct api_worker *w = wait->call.worker;
    struct inbox inbox;

    wait->commits = commits;
    int failed = inbox_read(w, wait->account, &wait->query, &inbox);
    return failed || inbox_has(&inbox, &wait->query);
}

struct wait_list {
    struct inbox_wait *first, **last;
};

static void wait_list_add(struct wait_list *l, struct inbox_wait *wait)
{
    wait->next = NULL;
    *l->last = wait;
    l->last = &wait->next;
}

void inbox_look(struct api_worker *w)
{
    uint64_t commits = store_commits(w->api->options.store);
    struct wait_list missed = {NULL, &missed.first}, looked_at = {NULL, &looked_at.first};
    int64_t end_us = clock_monotonic_us() + LOOK_US;

    for (struct inbox_wait *wait = w->waits, *next; wait; wait = next) {
        next = wait->next;
        bool look = wait->commits != commits && clock_monotonic_us() < end_us;
        if (is_over(wait) || (look && has_come(wait, commits))) {
            w->wait_count--;
            http_request_resume(wait->call.http);
        } else {
            wait_list_add(look ? &looked_at : &missed, wait);
        }
    }
    *missed.last = looked_at.first;
    w->waits = missed.first;
}

static void answer_too_many(struct call *c)
{
    answer_problem(c, &(struct problem){.code = PROBLEM_QUEUE_FULL,
                                        .message = "Too many requests are waiting for messages; "
                                                   "try again in 1 second, or without 'wait'.",
                                        .retry_after_s = 1});
}

static void park(struct call *c, const struct inbox_query *q, uint64_t commits)
{
    struct api_worker *w = c->worker;
    struct inbox_wait *wait =
        w->wait_count < PARKED_MAX ? arena_new(&c->http->arena, struct inbox_wait) : NULL;

    if (!wait) {
        answer_too_many(c);
        return;
    }
    *wait = (struct inbox_wait){
        .call = *c, .query = *q, .account = c->key->account, .commits = commits, .next = w->waits};
    wait->call.key = NULL; /* the worker may forget it meanwhile */
    w->waits = wait;
    w->wait_count++;
    c->http->continuation = wait;
    http_request_suspend(c->http, finish_wait);
}

void inbox_get(struct call *c)
{
    uint64_t commits = store_commits(c->api->options.store); /* before looking: none is missed */
    struct problem p = {0};
    struct inbox_query q;
    struct inbox inbox;

    if (!read_query(c, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed = inbox_read(c->worker, c->key->account, &q, &inbox);
    if (failed)
        answer_store_trouble(c, failed);
    else if (q.wait_s > 0 && !inbox_has(&inbox, &q))
        park(c, &q, commits);
    else
        answer_inbox(c, &inbox, &q);
}
