/* The Idempotency-Key: what counts as the same request, what is kept, and for how long. */
#include "api/test_api.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SEND "POST /v1/send\nIdempotency-Key: "
#define FORM "\nContent-Type: application/x-www-form-urlencoded"
#define BODY "{\"to\":\"+15551234567\",\"text\":\"Hello\"}"

static char first[4096]; /* the first answer's body */

static void send_first(const char *head, const char *body)
{
    assert_int_equal(test_call(TEST_KEY, head, body)->status, 201);
    assert_null(test_header("Idempotency-Replayed"));
    snprintf(first, sizeof first, "%s", test_body());
}

static void assert_replayed(const char *head, const char *body)
{
    assert_int_equal(test_call(TEST_KEY, head, body)->status, 201);
    assert_string_equal(test_body(), first);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
}

static void assert_messages(const char *count)
{
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), count);
}

/* ---- the key ---- */

static void a_repetition_is_the_same_message(void **state)
{
    send_first(SEND "a", BODY);
    assert_replayed(SEND "a", BODY);
    assert_replayed(SEND "a", BODY);
    assert_messages("1");
    assert_int_equal(test_call(TEST_KEY, SEND "b", BODY)->status, 201);
    assert_null(test_header("Idempotency-Replayed"));
    assert_messages("2");
}

static void without_a_key_everything_is_new(void **state)
{
    send_first("POST /v1/send", BODY);
    send_first("POST /v1/send", BODY);
    send_first(SEND, BODY); /* an empty one is none */
    send_first(SEND, BODY);
    assert_messages("4");
}

static void a_replay_counts_against_the_limits(void **state)
{
    assert_int_equal(test_call(SMALL_KEY, SEND "a", BODY)->status, 201);
    assert_int_equal(test_call(SMALL_KEY, SEND "a", BODY)->status, 201);
    assert_string_equal(test_header("X-RateLimit-Remaining"), "0");
    test_call(SMALL_KEY, SEND "a", BODY);
    test_assert_problem(429, "rate_limit_exceeded", NULL);
}

static void keys_are_printable_and_not_long(void **state)
{
    char head[512], longest[257];

    memset(longest, '~', 256);
    longest[256] = '\0';
    snprintf(head, sizeof head, SEND "%s", longest);
    test_call(TEST_KEY, head, BODY);
    test_assert_problem(400, "invalid_idempotency_key", NULL);
    longest[255] = '\0';
    snprintf(head, sizeof head, SEND "%s", longest);
    send_first(head, BODY);
    assert_replayed(head, BODY);
    test_call(TEST_KEY, SEND "caf\xc3\xa9", BODY);
    test_assert_problem(400, "invalid_idempotency_key", NULL);
    test_call(TEST_KEY, SEND "a\tb", BODY);
    test_assert_problem(400, "invalid_idempotency_key", NULL);
    test_call(TEST_KEY, SEND "a\nIdempotency-Key: a", BODY);
    test_assert_problem(400, "invalid_idempotency_key", NULL);
    test_call(TEST_KEY, SEND "\nIdempotency-Key: a", BODY);
    test_assert_problem(400, "invalid_idempotency_key", NULL);
    send_first(SEND "a key with spaces", BODY);
    assert_messages("2");
}

static void accounts_and_modes_are_apart(void **state)
{
    test_add_key("sl_test_otherotherotherotherotherotherothe", MODE_TEST, true, 0, "unlimited", 0);
    send_first(SEND "a", BODY);
    test_call("sl_test_otherotherotherotherotherotherothe", SEND "a", BODY);
    assert_null(test_header("Idempotency-Replayed"));
    assert_string_not_equal(test_body(), first);
}

/* ---- what counts as the same ---- */

static void the_writing_does_not_matter(void **state)
{
    send_first(SEND "a", "{\"to\":\"+15551234567\",\"text\":\"A b\","
                         "\"mediaUrls\":[\"https://a.example/x\",\"https://a.example/y\"]}");
    assert_replayed(SEND "a", "{ \"media_urls\":[\"https://a.example/x\",\"https://a.example/y\"],"
                              "\"unknown\":1,\n\"text\":\"\\u0041 b\", \"to\":\"+15551234567\" }");
    assert_replayed(SEND "a" FORM, "mediaUrls=https://a.example/x&text=A+b&to=%2B15551234567&"
                                   "mediaUrls=https://a.example/y");
    assert_messages("1");
}

static void another_request_is_refused(void **state)
{
    static const char *const others[] = {
        "{\"to\":\"+15551234568\",\"text\":\"Hello\"}",
        "{\"to\":\"+15551234567\",\"text\":\"Hello \"}",
        "{\"to\":\"+15551234567\",\"text\":\"Hello\",\"mediaUrls\":[\"https://a.example/x\"]}",
        "{\"to\":\"+15551234567\",\"text\":\"Hello\",\"mediaUrls\":[]}",
    };

    send_first(SEND "a", BODY);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        test_call(TEST_KEY, SEND "a", others[i]);
        test_assert_problem(400, "idempotency_key_mismatch", NULL);
    }
    assert_replayed(SEND "a", BODY);
    assert_messages("1");
}

static void what_was_refused_is_not_kept(void **state)
{
    test_call(TEST_KEY, SEND "a", "{\"to\":\"+15551234567\",\"text\":\"\"}");
    test_assert_problem(400, "text_required", "text");
    send_first(SEND "a", BODY);
    assert_replayed(SEND "a", BODY);
}

/* ---- what could not be accepted any more was accepted then ---- */

#define OPT_OUT "POST /v1/opt-outs"
#define LATER   "{\"to\":\"+15551234567\",\"text\":\"x\",\"scheduledAt\":\"2025-11-15T01:08:00Z\"}"

static void a_repetition_to_who_has_opted_out_since(void **state)
{
    send_first(SEND "a", BODY);
    assert_int_equal(test_call(TEST_KEY, OPT_OUT, "{\"number\":\"+15551234567\"}")->status, 201);
    assert_replayed(SEND "a", BODY);
    test_call(TEST_KEY, SEND "b", BODY);
    test_assert_problem(400, "recipient_opted_out", "to");
    test_call(TEST_KEY, "POST /v1/send", BODY);
    test_assert_problem(400, "recipient_opted_out", "to");
    assert_messages("1");
}

static void a_repetition_when_the_time_is_near(void **state)
{
    send_first(SEND "a", LATER);
    assert_string_equal(test_member("status"), "scheduled");
    test_now_us += 180 * INT64_C(1000000);
    assert_replayed(SEND "a", LATER);
    test_now_us += 3600 * INT64_C(1000000);
    assert_replayed(SEND "a", LATER);
    test_call(TEST_KEY, SEND "b", LATER);
    test_assert_problem(400, "invalid_scheduled_time", "scheduledAt");
    assert_messages("1");
}

/* Under a key that was used, too, and when the key itself is malformed: what is wrong with the
 * message comes first. */
static void what_is_wrong_comes_before_the_key(void **state)
{
    static const char bad[] = "{\"to\":\"0\",\"text\":\"x\"}";

    send_first(SEND "a", BODY);
    test_call(TEST_KEY, SEND "a", bad);
    test_assert_problem(400, "invalid_phone_number", "to");
    test_call(TEST_KEY, SEND "caf\xc3\xa9", bad);
    test_assert_problem(400, "invalid_phone_number", "to");
    test_call(TEST_KEY, SEND "b", "{\"to\":\"0\",\"text\":\"x\",\"dryRun\":true}");
    test_assert_problem(400, "invalid_phone_number", "to");
    assert_messages("1");
}

/* ---- as accepted, and no longer than a day ---- */

static int move_on(struct store *s, void *id)
{
    static const enum message_status way[] = {STATUS_SENT, STATUS_DELIVERED};

    for (size_t i = 0; i < 2; i++) {
        struct message_move move = {.id = *(int64_t *)id,
                                    .from = i ? 1u << STATUS_SENT : 1u << STATUS_QUEUED,
                                    .to = way[i],
                                    .at_us = test_now_us};
        assert_int_equal(store_move(s, &move), 1);
    }
    return 0;
}

static void a_replay_shows_the_message_as_accepted(void **state)
{
    int64_t id;

    send_first(SEND "a", BODY);
    assert_true(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX,
                                str_of(test_member("messageId")), &id));
    test_now_us += 5000000;
    test_write(move_on, &id);
    assert_replayed(SEND "a", BODY);
    assert_string_equal(test_member("status"), "queued");
}

static const struct sender live_sender = {.address = {"+447700900001", 13},
                                          .type = NUMBER_LOCAL,
                                          .calling_code = 44,
                                          .messages_per_minute = 60};
static const struct routing live_routing = {.senders = {&live_sender, 1, NULL}};

static int call_off(struct store *s, void *id)
{
    struct message_move move = {.id = *(int64_t *)id,
                                .from = 1u << STATUS_QUEUED,
                                .to = STATUS_CANCELLED,
                                .at_us = test_now_us};
    return store_move(s, &move) == 1 ? 0 : -EINVAL;
}

static void with_the_price_that_it_had(void **state)
{
    static const char body[] = "{\"to\":\"+447400123456\",\"text\":\"x\"}";
    char head[128];
    int64_t id;

    api_set_routing(test_api, &live_routing);
    test_call(LIVE_KEY, SEND "a", body);
    assert_true(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX,
                                str_of(test_member("messageId")), &id));
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("messageId"));
    test_write(call_off, &id);
    test_call(LIVE_KEY, head, NULL);
    assert_string_equal(test_member("cost.amount"), "0");
    test_call(LIVE_KEY, SEND "a", body);
    assert_string_equal(test_member("cost.amount"), "0.045");
    assert_string_equal(test_member("status"), "queued");
}

static void keys_hold_for_a_day(void **state)
{
    send_first(SEND "a", BODY);
    test_now_us += ONCE_TIME_US - 1;
    assert_replayed(SEND "a", BODY);
    test_now_us += 2;
    send_first(SEND "a", BODY);
    assert_replayed(SEND "a", BODY);
    assert_messages("2");
}

static int keep_keys_longer(struct store *s, void *context)
{
    struct store_retention longer = *store_retention(s);

    longer.messages_us = 2 * ONCE_TIME_US;
    longer.once_us = 4 * ONCE_TIME_US;
    store_set_retention(s, &longer);
    return 0;
}

/* The configuration does not allow it; should it happen all the same, nothing is sent twice. */
static void a_replay_of_what_is_gone(void **state)
{
    char head[128];
    int64_t id;

    test_write(keep_keys_longer, NULL);
    send_first(SEND "a", BODY);
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("messageId"));
    assert_true(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX,
                                str_of(test_member("messageId")), &id));
    test_write(move_on, &id);
    test_now_us += 2 * ONCE_TIME_US + 120000000;
    do {
        usleep(1000);
        store_reader_rest(test_worker->reader);
        test_call(TEST_KEY, head, NULL);
    } while (!strstr(test_body(), "message_not_found"));
    test_call(TEST_KEY, SEND "a", BODY);
    test_assert_problem(404, "message_not_found", NULL);
    assert_messages("0");
}

/* ---- in the transaction ---- */

static struct store_engine engine;

static int no_keep(struct store *s, const struct once_record *o)
{
    return store_fail(s, -ENOSPC, "no room");
}

static void what_cannot_be_kept_did_not_happen(void **state)
{
    engine = *test_store->engine;
    engine.once_keep = no_keep;
    const struct store_engine *whole = test_set_engine(&engine);
    test_call(TEST_KEY, SEND "a", BODY);
    test_assert_problem(503, "service_unavailable", NULL);
    test_set_engine(whole);
    assert_messages("0");
    send_first(SEND "a", BODY);
    assert_messages("1");
}

/* ---- answers that are kept whole ---- */

struct making {
    struct writing writing;
    struct str name;
    bool has_name;
    int64_t number;
};

static const struct json_field making_fields[] = {
    JSON_FIELD(struct making, name, JSON_TEXT, "name", NULL),
};
static const struct body_table making_table = BODY_TABLE(making_fields, 1);
static int64_t made;
static int64_t told;

static int apply_making(struct writing *w, struct store *s)
{
    struct making *m = (struct making *)w;

    if (str_is(m->name, "refused"))
        problem_set(&w->problem, PROBLEM_INVALID_PARAMETER, "name", "Not this one.");
    else
        m->number = ++made;
    if (str_is(m->name, "there"))
        w->status = 200;
    return 0;
}

static void making_written(struct writing *w)
{
    told++;
}

static void render_making(const struct writing *w, struct json_writer *out)
{
    const struct making *m = (const struct making *)w;

    json_begin_object(out);
    json_key(out, "secretOf");
    json_put_string(out, m->name);
    json_key(out, "number");
    json_put_i64(out, m->number);
    json_end(out);
}

static void make_with(struct http_request *r, const struct writing_ops *ops)
{
    struct call c = {.http = r, .api = test_api, .worker = test_worker, .now_us = test_now_us};
    struct problem p = {0};

    call_read_headers(&c);
    assert_true(call_authenticate(&c, &p));
    struct making *m = writing_new(&c, sizeof *m);
    if (!body_decode(&c, &making_table, m, &p) || !writing_once(&m->writing, &making_table, m, &p))
        answer_problem(&c, &p);
    else
        writing_start(&m->writing, ops, 1);
}

static void make(struct http_request *r)
{
    static const struct writing_ops ops = {
        .apply = apply_making, .written = making_written, .render = render_making, .status = 201};
    make_with(r, &ops);
}

static void make_secret(struct http_request *r)
{
    static const struct writing_ops ops = {.apply = apply_making,
                                           .written = making_written,
                                           .render = render_making,
                                           .status = 201,
                                           .secret = true};
    make_with(r, &ops);
}

#define MAKE(key) "POST /x\nAuthorization: Bearer " TEST_KEY "\nIdempotency-Key: " key

static void an_answer_is_kept_whole(void **state)
{
    http_handler *const handlers[] = {make, make_secret};

    for (size_t i = 0; i < 2; i++) {
        const char *head = i ? MAKE("b") : MAKE("a");
        made = told = 0;
        assert_int_equal(test_run(handlers[i], head, "{\"name\":\"x\"}")->status, 201);
        assert_string_equal(test_body(), "{\"secretOf\":\"x\",\"number\":1}");
        assert_null(test_header("Idempotency-Replayed"));
        assert_int_equal(test_run(handlers[i], head, "{\"name\":\"x\"}")->status, 201);
        assert_string_equal(test_body(), "{\"secretOf\":\"x\",\"number\":1}");
        assert_string_equal(test_header("Idempotency-Replayed"), "true");
        test_run(handlers[i], head, "{\"name\":\"y\"}");
        test_assert_problem(400, "idempotency_key_mismatch", NULL);
        assert_int_equal(made, 1);
        assert_int_equal(told, 1);
    }
}

static void the_status_is_kept_too(void **state)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(test_run(make, MAKE("a"), "{\"name\":\"there\"}")->status, 200);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
}

static void the_writers_refusal_is_not_kept(void **state)
{
    made = told = 0;
    for (int i = 0; i < 2; i++) {
        test_run(make, MAKE("a"), "{\"name\":\"refused\"}");
        test_assert_problem(400, "invalid_parameter", "name");
        assert_null(test_header("Idempotency-Replayed"));
    }
    assert_int_equal(test_run(make, MAKE("a"), "{\"name\":\"x\"}")->status, 201);
    assert_int_equal(told, 1);
}

/* What the store holds of a secret answer. */
static struct str kept;
static struct arena arena;

static int find_kept(struct store *s, void *key)
{
    struct once_record found;
    int r = store_once_find(s, FIRST_ACCOUNT, MODE_TEST, key, &arena, &found);

    kept = found.answer;
    return r;
}

static void secrets_are_sealed(void **state)
{
    http_handler *const handlers[] = {make, make_secret};
    struct siphash hash;
    uint8_t key[SIPHASH_SIZE];

    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < 2; i++) {
        test_run(handlers[i], i ? MAKE("b") : MAKE("a"), "{\"name\":\"x\"}");
        siphash_init(&hash, store_secret(test_store));
        siphash_text(&hash, STR("/x"));
        siphash_text(&hash, i ? STR("b") : STR("a"));
        siphash_done(&hash, key);
        test_write(find_kept, key);
        assert_int_equal(memmem(kept.p, kept.n, "secretOf", 8) == NULL, i);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_repetition_is_the_same_message),
        API_TEST(without_a_key_everything_is_new),
        API_TEST(a_replay_counts_against_the_limits),
        API_TEST(keys_are_printable_and_not_long),
        API_TEST(accounts_and_modes_are_apart),
        API_TEST(the_writing_does_not_matter),
        API_TEST(another_request_is_refused),
        API_TEST(what_was_refused_is_not_kept),
        API_TEST(a_repetition_to_who_has_opted_out_since),
        API_TEST(a_repetition_when_the_time_is_near),
        API_TEST(what_is_wrong_comes_before_the_key),
        API_TEST(a_replay_shows_the_message_as_accepted),
        API_TEST(with_the_price_that_it_had),
        API_TEST(keys_hold_for_a_day),
        API_TEST(a_replay_of_what_is_gone),
        API_TEST(what_cannot_be_kept_did_not_happen),
        API_TEST(an_answer_is_kept_whole),
        API_TEST(the_status_is_kept_too),
        API_TEST(the_writers_refusal_is_not_kept),
        API_TEST(secrets_are_sealed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
