/* One call of the API, inside api/ only: who calls, what about, and how to answer. */
#pragma once

#include "api/api.h"
#include "messaging/key.h"
#include "json/write.h"

struct key_cache;

struct api {
    struct api_options options;
    struct limiter *limiter;
    char docs_url[256]; /* not changed once requests come */
    struct buf errors_page;
    pthread_mutex_t trouble_lock;
    char trouble[STORE_WHY_SIZE]; /* "" = none */
};

/* Per HTTP worker; touched by its thread only. */
struct api_worker {
    struct api *api;
    struct store_reader *reader;
    struct key_cache *keys;
};

struct call {
    struct http_request *http;
    struct api *api;
    struct api_worker *worker;
    const struct key_record *key; /* NULL on routes without a key */
    struct str parameter;         /* what stood in the place of {…} in the route's path */
};

typedef void call_handler(struct call *c);

/* ---- authentication (auth.c) ---- */

struct key_cache *key_cache_new(void);
void key_cache_free(struct key_cache *k);
/* Sets c->key, or fills p and returns false. */
bool call_authenticate(struct call *c, struct problem *p);

/* ---- answers (answer.c) ---- */

/* The word for `error` that goes with a status: "validation_error". */
const char *error_type(unsigned status);
void answer_problem(struct call *c, const struct problem *p);
void answer_simple_problem(struct call *c, enum problem_code code, const char *field,
                           const char *message);
/* A writer onto the answer's body, with the status set. */
struct json_writer answer_json(struct call *c, unsigned status);
/* An error of the store: 503, logged. */
void answer_store_trouble(struct call *c, int error);

/* ---- messages as JSON (message_json.c) ---- */

#define MESSAGE_ID_PREFIX "msg_"
enum { MESSAGE_ID_SIZE = sizeof MESSAGE_ID_PREFIX - 1 + ID_DIGITS };

void message_id_format(const struct api *a, int64_t id, char out[MESSAGE_ID_SIZE]);
bool message_id_parse(const struct api *a, struct str text, int64_t *ret);
void message_put(struct json_writer *w, const struct api *a, const struct message *m);

/* ---- routes (routes.c) ---- */

/* The index-th route, "POST" and "/v1/send"; false behind the last one. */
bool route_at(size_t index, const char **ret_method, const char **ret_path);

/* ---- resources ---- */

call_handler send_create;
call_handler messages_list, messages_get;
call_handler service_openapi, service_livez, service_readyz, service_errors_page;
