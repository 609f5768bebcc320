/* What the tests about webhooks share. */
#pragma once

#include "api/test_api.h"
#include "api/webhook.h"

#define OTHER_KEY "sl_test_otherotherotherotherotherotherot" /* of OTHER_ACCOUNT */
#define HOOK_URL  "https://hooks.example.com/a"

enum { TEST_ID_SIZE = PUBLIC_ID_SIZE + 1 };

/* Makes a webhook; `body` NULL: of HOOK_URL and with nothing else said. */
void test_webhook(const char *key, const char *body, char id[TEST_ID_SIZE]);
/* Sends a message; `more` is what stands behind to and text in the body, ",\"a\":1". */
void test_message(const char *key, const char *more, char id[TEST_ID_SIZE]);
/* The id at a path of the last answer. */
void test_keep_id(const char *path, char id[TEST_ID_SIZE]);
/* The number behind a public id. */
int64_t test_number(const char *id);

/* A call whose path has ids in it: test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id). */
struct http_request *test_at(const char *key, const char *body, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The message goes from one status to another, a second later. */
void test_move(const char *message, enum message_status from, enum message_status to);
/* Notes how a try went; a->delivery is filled in. */
void test_tried(const char *delivery, struct attempt_record a, enum delivery_state state,
                int64_t due_us);
/* Changes how an endpoint stands. */
void test_endpoint(const char *id, void (*change)(struct endpoint_record *e));
