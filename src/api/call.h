/* One call of the API, inside api/ only: who calls, what about, and how to answer. */
#pragma once

#include "api/api.h"
#include "base/siphash.h"
#include "messaging/arrival_media.h"
#include "messaging/compose.h"
#include "messaging/key.h"
#include "view/message_json.h"
#include "view/public_id.h"
#include "json/read.h"
#include "json/write.h"

#include <stdatomic.h>

enum { MAINTENANCE_RETRY_S = 60 };

struct key_cache;
struct throttle;
struct stream_seats;
struct scribe;
struct event_streams;
struct stats_streams;

struct api {
    struct api_options options;
    struct throttle *throttle;
    struct stream_seats *seats;
    struct scribe *scribe;
    _Atomic bool maintenance;
    _Atomic int logged_requests;               /* CONFIG_REQUESTS_… */
    _Atomic(const struct routing *) routing;   /* of live mode; NULL: none */
    _Atomic(const struct price_list *) prices; /* NULL: the built-in ones */
    char docs_url[256];                        /* not changed once requests come */
    struct buf errors_page;
    pthread_mutex_t trouble_lock;
    char trouble[STORE_WHY_SIZE]; /* "" = none */
};

/* The cipher of public ids. */
static inline const struct id_cipher *api_ids(const struct api *a)
{
    return store_cipher(a->options.store);
}

/* Per HTTP worker; touched by its thread only. */
struct api_worker {
    struct api *api;
    struct store_reader *reader;
    struct key_cache *keys;
    struct arena scratch;     /* for a moment's look */
    struct inbox_wait *waits; /* calls that wait for messages (inbox.c) */
    size_t wait_count;
    struct event_streams *events;
    struct stats_streams *stats;
};

/* The request headers that calls look at; p == NULL where there is none. */
struct call_headers {
    struct str authorization, content_type, idempotency_key;
    bool two_authorizations, two_content_types, two_idempotency_keys;
};

struct call {
    struct http_request *http;
    struct api *api;
    struct api_worker *worker;
    const struct key_record *key; /* NULL on routes without a key, and once suspended */
    struct str parameter;         /* what stood in the place of {…} in the path, decoded */
    struct str second;            /* the same of the second {…} */
    int64_t now_us;               /* when the call began: the clock is read once */
    struct call_headers headers;
};

typedef void call_handler(struct call *c);

/* ---- authentication (auth.c) ---- */

struct key_cache *key_cache_new(void);
void key_cache_free(struct key_cache *k);
/* Sets c->key, or fills p and returns false. */
bool call_authenticate(struct call *c, struct problem *p);
/* The same without a word about why not, and without counting failures. */
bool call_find_key(struct call *c);
/* All of c->headers, in one pass. */
void call_read_headers(struct call *c);

/* ---- answers (answer.c) ---- */

/* The word for `error` that goes with a status: "validation_error". */
const char *error_type(unsigned status);
void answer_problem(struct call *c, const struct problem *p);
/* The object that describes a problem. */
void problem_put(struct json_writer *w, const struct call *c, const struct problem *p);
void answer_simple_problem(struct call *c, enum problem_code code, const char *field,
                           const char *message);
/* A writer onto the answer's body, with the status set. */
struct json_writer answer_json(struct call *c, unsigned status);
/* An error of the store: 503, logged. */
void answer_store_trouble(struct call *c, int error);

/* ---- bodies (body.c) ---- */

/* A body's fields, those that must be there first. */
struct body_table {
    const struct json_field *fields;
    size_t count, required;
    bool json_only;
};
#define BODY_TABLE(fields, required)                                                               \
    {                                                                                              \
        (fields), sizeof(fields) / sizeof *(fields), (required), false                             \
    }

/* More than the memory of a request holds. False. */
bool body_too_many_values(struct problem *p);

/* Decodes the call's body, JSON or form, into `out`, which is zeroed or holds defaults. False with
 * the first problem, in the order that the API promises: content type, syntax, missing fields,
 * types. Where nothing is required, no body at all is one without fields. */
bool body_decode(struct call *c, const struct body_table *table, void *out, struct problem *p);
/* The part behind the syntax: what a decoder's result means. */
bool body_judge(const struct body_table *table, enum json_result result,
                const struct json_error *error, const void *out, struct arena *a,
                struct problem *p);

/* ---- query strings (query.c) ---- */

/* A parameter that a route knows; one given twice, or not known, is 400 invalid_parameter. `value`
 * is UTF-8 without NUL. */
struct query_field {
    const char *name;
    bool (*read)(struct call *c, struct str value, void *out, struct problem *p);
};
enum { QUERY_FIELDS_MAX = 32 };
bool query_read(struct call *c, const struct query_field *fields, size_t count, void *out,
                struct problem *p);

/* A phone number: the + in front of it becomes a space where a client forgot to encode it. */
struct str query_number(struct call *c, struct str value);
/* The parameter `from`: a number, or a sender's name. */
bool query_sender(struct call *c, struct str value, struct str *ret, struct problem *p);
/* The parameter `tag`. */
bool query_tag(struct str value, struct str *ret, struct problem *p);
/* A time; else invalid_date_range. */
bool query_time(struct str value, const char *field, int64_t *ret_us, struct problem *p);

/* ---- pages (page.c): limit, cursor, and the pagination envelope of every list ---- */

enum { PAGE_LIMIT_DEFAULT = 50, PAGE_LIMIT_MAX = 100, PAGE_NO_TOTAL = -1 };

struct page_query {
    int64_t cursor; /* 0 = from the start */
    size_t limit;
};
/* For tables of query_field; `out` begins with a struct page_query. */
bool page_read_limit(struct call *c, struct str value, void *out, struct problem *p);
/* The cursor has the prefix of the list's ids, "msg_". */
bool page_read_cursor(struct call *c, struct str value, const char *prefix, int64_t *ret,
                      struct problem *p);
/* The problem of a cursor that leads nowhere; false. */
bool page_cursor_problem(struct problem *p);
/* "pagination": {…}; ids 0 become null; PAGE_NO_TOTAL: lists that nobody counts. */
void page_put(struct json_writer *w, struct call *c, const char *prefix, int64_t next,
              int64_t previous, int64_t total);

/* ---- calls that write (writing.c, once.c) ---- */

struct writing;

/* What a call that writes does. */
struct writing_ops {
    /* On the scribe's thread, before the writer hears of it; it may wait for the disk. 0, or the
     * negative errno for which nothing is accepted; may be NULL. */
    int (*prepare)(struct writing *w);
    /* On the writer's thread, inside the transaction. 0, or the store's negative errno, which fails
     * the whole batch of requests. To refuse only this request, fill w->problem and return 0
     * before anything was written. */
    int (*apply)(struct writing *w, struct store *s);
    /* On the writer's thread when it is durable and was neither refused nor a repetition; may be
     * NULL. */
    void (*written)(struct writing *w);
    /* The body of the answer, from what `w` holds and nothing else: on the worker's thread, or,
     * when there is an Idempotency-Key under which it must be kept, on the writer's, inside the
     * transaction. */
    void (*render)(const struct writing *w, struct json_writer *out);
    /* On the worker's thread, before the answer: `accepted`, or refused, lost or a repetition. May
     * be NULL; only with `prepare`, and when that went well. */
    void (*over)(struct writing *w, bool accepted);
    unsigned status; /* 200 or 201; apply may set w->status to another */
    bool secret;     /* the body holds a secret: it is kept sealed under the Idempotency-Key */
};

/* A call on its way to disk. Begins the handler's own struct, which lives in the request's arena;
 * the writer's thread may use that arena meanwhile. */
struct writing {
    struct write_job job;
    const struct writing_ops *ops;
    struct call call; /* call.key is NULL from writing_start on: the worker may forget it */
    int64_t account;
    enum mode mode;
    unsigned status;        /* of the answer */
    int result;             /* of the store */
    bool prepared;          /* by ops->prepare */
    struct problem problem; /* the writer's refusal; code PROBLEM_NONE = none */
    /* Why the request cannot be fulfilled now, which says nothing about whether it was before: a
     * repetition gets its answer all the same. Set before writing_once; PROBLEM_NONE = none. */
    struct problem refusal;
    /* With an Idempotency-Key: */
    bool has_once, replayed;
    struct once_record once; /* apply sets once.message when the answer is that message as accepted;
                                then no body is kept */
};

/* The handler's struct of `size` bytes, zeroed, with account, mode and call filled in; NULL when
 * memory is short, which is answered. */
void *writing_new(struct call *c, size_t size);
/* Suspends the request and hands the job to the writer. `weight`: how many rows it stands for. */
void writing_start(struct writing *w, const struct writing_ops *ops, unsigned weight);
/* For the scribe: prepares the call, and hands it on to the writer. */
void writing_prepare(struct letter *writing);

/* Reads the Idempotency-Key, if there is one, for a request with this body. False with a problem
 * when it is malformed, or when there is none and so no repetition that w->refusal would not stop.
 * Equal bodies are equal whatever their format and the order of fields. */
bool writing_once(struct writing *w, const struct body_table *table, const void *body,
                  struct problem *p);

/* The parts of writing_once, for bodies that one table does not describe: the key... */
bool once_read(struct writing *w, struct problem *p);
/* ...and, only when w->has_once, what the body comes to. */
void once_print_begin(const struct writing *w, struct siphash *print);
void once_print_body(struct writing *w, struct siphash *print, const struct body_table *table,
                     const void *body);
void once_print_end(struct writing *w, struct siphash *print);

/* For writing.c. On the writer's thread: looks whether the request was answered before; then it is
 * a replay, or w->problem says that it was another request. */
int once_find(struct writing *w, struct store *s);
/* Keeps the answer, which is rendered here. */
int once_keep(struct writing *w, struct store *s);
/* On the worker's thread: answers once more. */
void once_answer(struct writing *w);

/* ---- media that a test brings (inbound_media.c) ---- */

struct inbound_media {
    struct arrival_media files[MEDIA_MAX];
    struct str contents[MEDIA_MAX]; /* of the request's arena */
    size_t count;
};

enum { INBOUND_MEDIA_BYTES = 3000000 }; /* of all files together */

/* Of the array `media` as it stands in the body: all but where the files lie. */
bool inbound_media_read(struct str array, struct arena *a, struct inbound_media *ret,
                        struct problem *p);

/* ---- sending (send_body.c, send.c, dry_run.c) ---- */

/* The fields of a struct send_request. */
extern const struct body_table send_table;
/* What messages of a mode go out with. */
const struct routing *api_routing(const struct api *a, enum mode mode);
struct send_context send_context_of(const struct call *c);
/* On the writer's thread: takes the price from the balance and accepts; or refuses, with a problem,
 * and has written nothing. */
int send_accept(struct store *s, struct message *m, struct arena *a, struct problem *p);
void dry_run_answer(struct call *c, const struct message *m);
/* The senders and routes that were passed over for a message and why, as an array. */
void routes_refused_put(struct json_writer *w, const struct call *c, const struct message *m);

/* ---- keys as JSON (key_json.c) ---- */

void key_put(struct json_writer *w, const struct api *a, const struct key_record *k,
             const struct key_usage *usage, int64_t now_us);
/* The same inside an object that the caller begins and ends. */
void key_put_fields(struct json_writer *w, const struct api *a, const struct key_record *k,
                    const struct key_usage *usage, int64_t now_us);
/* The key that the path names (keys.c); false when there is none, which is answered. */
bool key_of_call(struct call *c, struct key_record *ret);

/* The message that the path names; false when the answer says that there is none. */
bool message_find(struct call *c, struct message *ret);

/* ---- which messages (message_filter.c) ---- */

struct message_query {
    struct page_query page;
    struct message_filter filter;
};
bool message_query_read(struct call *c, struct message_query *q, struct problem *p);

/* ---- routes (routes.c) ---- */

/* Notes what each route is about; once, before any request. */
void routes_prepare(void);
/* The index-th route, "POST" and "/v1/send"; false behind the last one. */
bool route_at(size_t index, const char **ret_method, const char **ret_path);

/* ---- limits (allowance.c) ---- */

/* Takes one from the key's limits and shows what is left; whether there was one. */
bool allowance_take(struct call *c, struct limit_view *ret);
/* The same view without taking. */
void allowance_show(struct call *c);
/* False when none was granted, which is answered. */
bool allowance_check(struct call *c, const struct limit_view *view, bool granted);

/* ---- the inbox of test numbers (inbox.c) ---- */

/* Answers the calls whose waiting is over; ten times a second. */
void inbox_look(struct api_worker *w);

/* ---- resources ---- */

call_handler send_create;
call_handler batch_create, batch_get;
call_handler messages_list, messages_get, messages_cancel, messages_events, messages_media;
call_handler inbound_create;
call_handler inbox_get;
call_handler events_get;
call_handler rate_limits_get;
call_handler analytics_usage, analytics_delivery, analytics_costs;
call_handler stats_live_get;
call_handler keys_list, keys_create, keys_get, keys_rotate, keys_revoke;
call_handler opt_outs_list, opt_outs_create, opt_outs_get, opt_outs_remove;
call_handler webhooks_list, webhooks_create, webhooks_get, webhooks_change, webhooks_remove;
call_handler webhook_secret_rotate, message_secret_rotate, webhook_try, event_types_list;
call_handler deliveries_list, deliveries_get, delivery_retry, deliveries_redeliver;
call_handler service_openapi, service_livez, service_readyz, service_docs, service_errors_page;
