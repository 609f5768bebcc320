#include "api/test_webhook.h"

#include <stdio.h>

void test_keep_id(const char *path, char id[TEST_ID_SIZE])
{
    assert_true(snprintf(id, TEST_ID_SIZE, "%s", test_member(path)) == TEST_ID_SIZE - 1);
}

int64_t test_number(const char *id)
{
    char prefix[5];
    int64_t number;

    snprintf(prefix, sizeof prefix, "%s", id);
    assert_true(public_id_parse(api_ids(test_api), prefix, str_of(id), &number));
    return number;
}

struct http_request *test_at(const char *key, const char *body, const char *format, ...)
{
    char head[512];
    va_list args;

    va_start(args, format);
    vsnprintf(head, sizeof head, format, args);
    va_end(args);
    return test_call(key, head, body);
}

void test_webhook(const char *key, const char *body, char id[TEST_ID_SIZE])
{
    struct http_request *r =
        test_call(key, "POST /v1/webhooks", body ? body : "{\"url\":\"" HOOK_URL "\"}");

    if (r->status != 201)
        fail_msg("%s", test_body());
    test_keep_id("webhookId", id);
}

void test_message(const char *key, const char *more, char id[TEST_ID_SIZE])
{
    char body[512];

    snprintf(body, sizeof body, "{\"to\":\"+15551234567\",\"text\":\"x\"%s}", more ? more : "");
    if (test_call(key, "POST /v1/send", body)->status != 201)
        fail_msg("%s", test_body());
    test_keep_id("messageId", id);
}

static int move_message(struct store *s, void *move)
{
    return store_move(s, move) == 1 ? 0 : -1;
}

void test_move(const char *message, enum message_status from, enum message_status to)
{
    test_now_us += 1000000;
    struct message_move move = {.id = test_number(message),
                                .from = status_bit(from),
                                .to = to,
                                .failure = to == STATUS_FAILED ? FAILURE_UNREACHABLE : FAILURE_NONE,
                                .at_us = test_now_us};
    test_write(move_message, &move);
}

struct trial {
    struct attempt_record attempt;
    enum delivery_state state;
    int64_t due_us;
};

static int note_try(struct store *s, void *trial)
{
    struct trial *t = trial;
    return store_delivery_tried(s, &t->attempt, t->state, t->attempt.number, t->due_us) == 1 ? 0
                                                                                             : -1;
}

void test_tried(const char *delivery, struct attempt_record a, enum delivery_state state,
                int64_t due_us)
{
    struct trial t = {a, state, due_us};

    t.attempt.delivery = test_number(delivery);
    test_write(note_try, &t);
}

struct standing {
    int64_t id;
    void (*change)(struct endpoint_record *e);
};

static int change_standing(struct store *s, void *standing)
{
    struct standing *t = standing;
    struct endpoint_record e;
    struct arena a;

    arena_init(&a, 1 << 16);
    int r = store_endpoint_find(s, 0, t->id, &a, &e);
    if (r == 0) {
        t->change(&e);
        r = store_endpoint_put(s, &e, false);
    }
    arena_done(&a);
    return r;
}

void test_endpoint(const char *id, void (*change)(struct endpoint_record *e))
{
    struct standing t = {test_number(id), change};
    test_write(change_standing, &t);
}
