/* Many messages at once. */
#include "media/test_media.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { PEERS = 6 };

static struct test_peer peers[PEERS];

static int set_up(void **state)
{
    for (int i = 0; i < PEERS; i++)
        peers[i] = (struct test_peer){.fd = -1};
    return test_media_set_up(state);
}

static int tear_down(void **state)
{
    for (int i = 0; i < PEERS; i++)
        test_peer_close(&peers[i]);
    return test_media_tear_down(state);
}

static void accept_one(struct test_peer *p)
{
    assert_true(test_peer_accept(p, &test_media_server, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(p);
}

static void give(struct test_peer *p)
{
    test_media_content("image/jpeg", test_jpeg(1000));
    test_peer_send(p, buf_str(&test_answer));
}

static bool nobody_comes(void)
{
    return !test_peer_accept(&peers[PEERS - 1], &test_media_server, 100);
}

static const char url[] = "https://localhost:%u/a", other_url[] = "https://127.0.0.1:%u/a";

/* Two that are told apart only by their numbers. */
static void test_each_has_its_own_answer(void **state)
{
    int64_t first = test_media_wanted(url), second;

    accept_one(&peers[0]);
    second = test_media_wanted(url);
    accept_one(&peers[1]);
    give(&peers[1]);
    assert_int_equal(test_media_answer(second), FAILURE_NONE);
    assert_false(test_media_answered(first));
    assert_int_equal(media_desk_count(test_desk).held, 1);
    assert_int_equal(media_desk_count(test_desk).flying, 1);
    test_peer_send(&peers[0], STR("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"));
    assert_int_equal(test_media_answer(first), FAILURE_MEDIA_UNREACHABLE);
    assert_int_equal(media_desk_count(test_desk).held, 0);
    assert_int_equal(media_desk_count(test_desk).failures, 1);
}

/* ---- bounds ---- */

/* One that another account wants. */
static int64_t wanted_by(int64_t account, const char *urls)
{
    test_media_account = account;
    return test_media_wanted(urls);
}

static int64_t message_of(int64_t account, const char *urls)
{
    test_media_account = account;
    return test_media_message(urls);
}

static void test_only_so_many_messages(void **state)
{
    test_desk_limited(16, 2);
    int64_t first = wanted_by(1, url), second = wanted_by(2, other_url), third = message_of(3, url);

    assert_int_equal(test_media_ask(third), -EAGAIN);
    assert_int_equal(test_media_readies(), 0);
    accept_one(&peers[0]);
    accept_one(&peers[1]);
    give(&peers[0]);
    give(&peers[1]);
    assert_int_equal(test_media_answer(first), FAILURE_NONE);
    assert_int_equal(test_media_answer(second), FAILURE_NONE);
    assert_int_equal(test_media_readies(), 1); /* once for the one that was refused */
    assert_int_equal(test_media_ask(third), 0);
    assert_false(test_media_answered(third));
}

static void test_only_so_many_connections(void **state)
{
    test_desk_limited(2, 0);
    int64_t first = wanted_by(1, url), second = wanted_by(2, other_url),
            third = wanted_by(3, other_url);

    accept_one(&peers[0]);
    accept_one(&peers[1]);
    assert_true(nobody_comes());
    assert_int_equal(media_desk_count(test_desk).flying, 2);
    give(&peers[0]);
    give(&peers[1]);
    assert_int_equal(test_media_answer(first), FAILURE_NONE);
    assert_int_equal(test_media_answer(second), FAILURE_NONE);
    struct test_peer *kept =
        memmem(peers[0].in.p, peers[0].in.n, "Host: 127", 9) ? &peers[0] : &peers[1];
    buf_clear(&kept->in);
    test_peer_await_request(kept);
    give(kept);
    assert_int_equal(test_media_answer(third), FAILURE_NONE);
}

/* ---- shares ---- */

/* A host that hangs, however it is written, does not have all the connections, */
static void test_a_share_for_one_host(void **state)
{
    test_desk_limited(6, 0);
    for (int64_t i = 0; i < 4; i++)
        wanted_by(10 + i, i % 2 ? url : "https://LocalHost:%u/a");
    accept_one(&peers[0]);
    accept_one(&peers[1]);
    assert_true(nobody_comes());
    int64_t other = wanted_by(10, other_url);
    accept_one(&peers[2]);
    give(&peers[2]);
    assert_int_equal(test_media_answer(other), FAILURE_NONE);
}

/* nor has an account whose hosts all hang. */
static void test_a_share_for_one_account(void **state)
{
    test_desk_limited(8, 0);
    for (int i = 0; i < 5; i++)
        wanted_by(1, i < 3 ? other_url : url);
    for (int i = 0; i < 4; i++)
        accept_one(&peers[i]);
    assert_true(nobody_comes());
    int64_t other = wanted_by(2, url);
    accept_one(&peers[4]);
    give(&peers[4]);
    assert_int_equal(test_media_answer(other), FAILURE_NONE);
}

/* Nor does either have all the places, so that those who come later are taken. */
static void test_a_share_of_the_places(void **state)
{
    test_desk_limited(16, 6);
    wanted_by(1, url);
    wanted_by(1, url);
    assert_int_equal(test_media_ask(message_of(1, url)), -EAGAIN);
    wanted_by(1, other_url);
    assert_int_equal(test_media_ask(message_of(1, "https://127.0.0.2:%u/a")), -EAGAIN);
    assert_int_equal(test_media_ask(message_of(2, "https://127.0.0.2:%u/a")), 0);
}

/* Test messages leave three quarters to live ones, of the places too, */
static void test_a_share_for_tests(void **state)
{
    test_desk_limited(4, 8);
    test_media_mode = MODE_TEST;
    wanted_by(1, url);
    wanted_by(2, other_url);
    assert_int_equal(test_media_ask(message_of(3, "https://127.0.0.2:%u/a")), -EAGAIN);
    accept_one(&peers[0]);
    assert_true(nobody_comes());
    test_media_mode = MODE_LIVE;
    int64_t live = wanted_by(1, other_url);
    accept_one(&peers[1]);
    give(&peers[1]);
    assert_int_equal(test_media_answer(live), FAILURE_NONE);
}

/* and come after them. */
static void test_live_ones_go_first(void **state)
{
    test_desk_limited(1, 0);
    int64_t first = wanted_by(1, other_url);

    accept_one(&peers[0]);
    test_media_mode = MODE_TEST;
    int64_t tested = wanted_by(1, other_url);
    test_media_mode = MODE_LIVE;
    int64_t live = wanted_by(2, other_url);
    give(&peers[0]);
    assert_int_equal(test_media_answer(first), FAILURE_NONE);
    buf_clear(&peers[0].in);
    test_peer_await_request(&peers[0]);
    give(&peers[0]);
    assert_int_equal(test_media_answer(live), FAILURE_NONE);
    assert_false(test_media_answered(tested));
}

/* Who shares a host with an account that floods it is next when there is room. */
static void test_who_has_least_is_next(void **state)
{
    test_desk_limited(4, 0);
    for (int i = 0; i < 4; i++)
        wanted_by(1, other_url);
    accept_one(&peers[0]);
    accept_one(&peers[1]);
    int64_t other = wanted_by(2, other_url);
    give(&peers[0]);
    buf_clear(&peers[0].in);
    test_peer_await_request(&peers[0]);
    give(&peers[0]);
    assert_int_equal(test_media_answer(other), FAILURE_NONE);
}

/* ---- forgetting ---- */

static void test_what_is_forgotten_ends(void **state)
{
    int64_t message = test_media_wanted(url);

    accept_one(&peers[0]);
    test_media_forget(message);
    assert_true(test_peer_ends(&peers[0]));
    test_media_idle();
    assert_false(test_media_answered(message));
    assert_int_equal(test_media_files(), 0);
    test_media_forget(message); /* and once more does no harm */
    test_media_forget(12345);
}

static void test_what_waits_can_be_forgotten(void **state)
{
    test_desk_limited(1, 0);
    int64_t first = test_media_wanted(url), second = test_media_wanted(url);

    accept_one(&peers[0]);
    test_media_forget(second);
    give(&peers[0]);
    assert_int_equal(test_media_answer(first), FAILURE_NONE);
    test_media_idle();
    assert_false(test_media_answered(second));
}

/* With the writer it is too late: the files are kept, but nobody is told. */
static void test_what_is_with_the_writer_is_kept(void **state)
{
    struct media_record m;
    int64_t message = test_media_wanted(url);

    accept_one(&peers[0]);
    test_close_gate();
    give(&peers[0]);
    while (media_desk_count(test_desk).files == 0)
        test_loop_settle();
    while (media_desk_count(test_desk).flying > 0)
        test_loop_settle();
    test_loop_settle();
    test_media_forget(message);
    test_loop_settle();
    test_open_gate();
    test_media_idle();
    assert_false(test_media_answered(message));
    size_t kept = test_media_kept(message, 1, &m, NULL) == 0;
    assert_int_equal(test_media_files(), kept); /* all or nothing */
}

/* The engine's thread is busy while the answer comes, and then wants the message no more: what it
 * finds in its mailbox is old. That the answer is in there is known when the next wish is seen to
 * be begun. */
static void forget_too_late(void *context)
{
    const struct media_port *port = media_desk_port(test_desk);
    struct message next = {.id = 77, .media = str_of(context)};

    test_peer_send(&peers[0], STR("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"));
    while (media_desk_count(test_desk).failures == 0)
        usleep(100);
    assert_int_equal(port->fetch(port->context, &next, &test_profile), 0);
    accept_one(&peers[1]);
    port->forget(port->context, 76);
}

static void test_an_answer_that_is_too_late(void **state)
{
    char text[64];
    struct message first = {.id = 76};

    snprintf(text, sizeof text, "https://127.0.0.1:%u/a", test_media_server.port);
    first.media = str_of(text);
    test_media_ask_this(&first);
    accept_one(&peers[0]);
    test_loop_do(forget_too_late, text);
    test_loop_settle();
    assert_false(test_media_answered(76));
    assert_int_equal(media_desk_count(test_desk).held, 1);
}

/* ---- the end ---- */

static void test_an_end_in_the_midst(void **state)
{
    test_media_wanted(url);
    test_media_wanted("https://localhost:%u/a\nhttps://localhost:%u/b");
    test_media_wanted(url);
    for (int i = 0; i < 3; i++)
        accept_one(&peers[i]);
    give(&peers[0]);
    test_peer_send(&peers[1], STR("HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n"));
    test_peer_send(&peers[2], STR("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\xff\xd8\xff"));
    test_desk_end();
    assert_in_range(test_media_files(), 0, 1); /* only what was kept in time */
}

static void test_an_end_before_the_beginning(void **state)
{
    for (int i = 0; i < 5; i++)
        test_media_wanted(url);
    test_media_forget(1);
    test_desk_end();
    assert_int_equal(test_media_files(), 0);
}

/* ---- what it is made of ---- */

static void test_a_faulty_authority(void **state)
{
    struct loop *l;
    struct media_desk *d;
    char why[LOOP_HTTP_WHY_SIZE];

    assert_int_equal(loop_new(&l), 0);
    struct media_desk_options options = {.loop = l,
                                         .engine = l,
                                         .store = test_media_store,
                                         .ca_file = "/nowhere/ca.pem",
                                         .connections = 1,
                                         .timeout_ms = 1};
    assert_true(media_desk_new(&d, &options, why) < 0);
    assert_null(d);
    assert_non_null(strstr(why, "/nowhere/ca.pem"));
    loop_free(l);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_each_has_its_own_answer),     TEST(test_only_so_many_messages),
        TEST(test_only_so_many_connections),    TEST(test_a_share_for_one_host),
        TEST(test_a_share_for_one_account),     TEST(test_a_share_of_the_places),
        TEST(test_a_share_for_tests),           TEST(test_live_ones_go_first),
        TEST(test_who_has_least_is_next),       TEST(test_what_is_forgotten_ends),
        TEST(test_what_waits_can_be_forgotten), TEST(test_what_is_with_the_writer_is_kept),
        TEST(test_an_answer_that_is_too_late),  TEST(test_an_end_in_the_midst),
        TEST(test_an_end_before_the_beginning), TEST(test_a_faulty_authority),
    };
#undef TEST

    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
