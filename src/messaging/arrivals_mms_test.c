/* Messages from handsets that have media. */
#include "messaging/test_arrivals.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* A file as a listener leaves it for us. */
static struct arrival_media file_of(const char *type, const char *content)
{
    struct arrival_media m = {.record.size = (int64_t)strlen(content)};
    int fd = store_media_temporary(test_store, m.path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    store_media_written(test_store, m.path, fd);
    close(fd);
    snprintf(m.record.type, sizeof m.record.type, "%s", type);
    memcpy(m.record.hash, content, strlen(content)); /* good enough to tell them apart */
    return m;
}

static bool is_left(const struct arrival_media *m)
{
    return access(m->path, F_OK) == 0;
}

static struct arrival with_media(const char *text, const struct arrival_media *media, size_t count)
{
    struct arrival a = test_whole(text);

    a.mms = true;
    a.subject = STR("Holiday");
    a.media = media;
    a.media_count = count;
    return a;
}

static void assert_content(int64_t message, unsigned number, const char *type, const char *content)
{
    struct media_record m;
    char read_back[64];

    assert_int_equal(store_media_get(test_reader, message, number, &m), 0);
    assert_string_equal(m.type, type);
    int fd = store_media_open(test_store, &m);
    assert_true(fd >= 0);
    ssize_t n = read(fd, read_back, sizeof read_back);
    close(fd);
    assert_true(str_is((struct str){read_back, (size_t)n}, content));
}

static void test_an_mms(void **state)
{
    struct arrival_media media[] = {file_of("image/jpeg", "a cat"), file_of("video/mp4", "a dog")};

    assert_int_equal(test_take(with_media("Look!", media, 2)), 0);
    struct message_page p = test_received(SHOP);
    assert_int_equal(p.count, 1);
    struct message *m = &p.messages[0];
    assert_int_equal(m->kind, KIND_MMS);
    assert_int_equal(m->direction, DIRECTION_INBOUND);
    assert_int_equal(m->status, STATUS_RECEIVED);
    assert_int_equal(m->segments, 1);
    assert_true(str_is(m->text, "Look!"));
    assert_true(str_is(m->subject, "Holiday"));
    assert_true(str_is(m->media, "image/jpeg\nvideo/mp4"));
    assert_content(m->id, 1, "image/jpeg", "a cat");
    assert_content(m->id, 2, "video/mp4", "a dog");
    struct arrival_media again = file_of("image/jpeg", "a cat");
    assert_int_equal(test_take(with_media("Look!", &again, 1)), 0);
    assert_content(test_received(SHOP).messages[0].id, 1, "image/jpeg", "a cat");
    assert_false(is_left(&again)); /* what is kept already is not kept twice */
}

/* Its text may be long: it is one message all the same. */
static void test_an_mms_of_text_only(void **state)
{
    static char text[1001];

    memset(text, 'x', 1000);
    struct arrival a = with_media(text, NULL, 0);
    a.total = a.number = 2; /* of no matter */
    assert_int_equal(test_take(a), 0);
    struct message_page p = test_received(SHOP);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].kind, KIND_MMS);
    assert_int_equal(p.messages[0].segments, 1);
    assert_int_equal(p.messages[0].media.n, 0);
}

static void test_an_mms_with_a_keyword(void **state)
{
    struct arrival_media media = file_of("image/gif", "bye");

    assert_int_equal(test_take(with_media("stop", &media, 1)), 0);
    assert_true(test_is_out("+15551234567"));
    assert_content(test_received(SHOP).messages[0].id, 1, "image/gif", "bye");
}

/* The message and its files are there together, or not at all; no file is left over. */
static void test_an_mms_that_was_not_written(void **state)
{
    struct arrival_media media = file_of("image/gif", "x");

    test_fail_commits(1);
    assert_int_equal(test_take(with_media("STOP", &media, 1)), -EIO);
    assert_int_equal(test_received(SHOP).count, 0);
    assert_false(is_left(&media) || test_is_out("+15551234567"));
    media = file_of("image/gif", "x");
    assert_int_equal(test_take(with_media("STOP", &media, 1)), 0);
    assert_content(test_received(SHOP).messages[0].id, 1, "image/gif", "x");
}

static void test_an_mms_that_the_writer_refuses(void **state)
{
    struct test_answer answers[TEST_WAITING_MAX] = {0}, last = {0};
    struct arrival_media media = file_of("image/gif", "x");
    struct arrival filler = test_whole("x"), a = with_media("y", &media, 1);

    test_close_gate();
    for (size_t i = 0; i < TEST_WAITING_MAX; i++)
        arrivals_take(test_arrivals, &filler, test_note_answer, &answers[i]);
    arrivals_take(test_arrivals, &a, test_note_answer, &last);
    test_open_gate();
    test_settle();
    assert_int_equal(last.count, 1);
    assert_int_equal(last.result, -EAGAIN);
    assert_false(is_left(&media));
}

/* What its history says of media. */
static void assert_noted(struct arrival a, const char *const *details, size_t expected)
{
    struct event_record *events;
    size_t count;

    assert_int_equal(test_take(a), 0);
    int64_t message = test_received(SHOP).messages[0].id;
    assert_int_equal(store_event_list(test_reader, message, &test_arena, &events, &count), 0);
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(events[i].kind, EVENT_MEDIA);
        assert_true(str_is(events[i].detail, details[i]));
    }
}

static void test_what_is_not_shown(void **state)
{
    static const char *const details[] = {
        "3 more media files came with it; only 2 are kept.",
        "The text is longer than is shown; media file 3 has all of it."};
    struct arrival_media media[] = {file_of("image/gif", "x"), file_of("image/gif", "y"),
                                    file_of("text/plain", "all")};
    struct arrival a = with_media("y", media, 2);

    a.media_dropped = 3;
    assert_noted(a, details, 1);
    media[0] = file_of("image/gif", "x");
    media[1] = file_of("image/gif", "y");
    a = with_media("al", media, 3);
    a.text_cut = true;
    assert_noted(a, details + 1, 1);
    media[0] = file_of("image/gif", "x");
    media[1] = file_of("image/gif", "y");
    media[2] = file_of("text/plain", "all");
    a.media_dropped = 3;
    assert_noted(a, details, 2);
}

/* ---- those that come again ---- */

static struct arrival brought(const char *transaction, const char *text,
                              const struct arrival_media *media)
{
    struct arrival a = with_media(text, media, media ? 1 : 0);

    a.transaction = str_of(transaction);
    return a;
}

/* It is one message, with one file, also when we have forgotten all that we knew; and it is told
 * that it is on disk. */
static void test_an_mms_that_comes_again(void **state)
{
    struct arrival_media media = file_of("image/gif", "x");

    assert_int_equal(test_take(brought("t-1", "hi", &media)), 0);
    for (int i = 0; i < 2; i++) {
        struct arrival_media again = file_of("image/gif", "x");
        assert_int_equal(test_take(brought("t-1", "hi", &again)), 1);
        assert_int_equal(test_received(SHOP).count, 1);
        assert_false(is_left(&again));
        arrivals_free(test_arrivals);
        test_open_arrivals();
    }
    assert_content(test_received(SHOP).messages[0].id, 1, "image/gif", "x");
}

/* STOP, then START: the first one comes again, and what it wanted is not done again. */
static void test_an_old_wish_that_comes_again(void **state)
{
    assert_int_equal(test_take(brought("t-1", "STOP", NULL)), 0);
    assert_int_equal(test_take(brought("t-2", "START", NULL)), 0);
    assert_int_equal(test_take(brought("t-1", "STOP", NULL)), 1);
    assert_int_equal(test_received(SHOP).count, 2);
    assert_false(test_is_out("+15551234567"));
}

/* Both are on their way to the disk. */
static void test_twice_at_once(void **state)
{
    struct arrival_media media[] = {file_of("image/gif", "x"), file_of("image/gif", "x")};
    struct arrival first = brought("t-1", "hi", &media[0]),
                   second = brought("t-1", "hi", &media[1]);
    struct test_answer answers[2] = {0};

    test_close_gate();
    arrivals_take(test_arrivals, &first, test_note_answer, &answers[0]);
    arrivals_take(test_arrivals, &second, test_note_answer, &answers[1]);
    test_open_gate();
    test_settle();
    assert_int_equal(answers[0].count + answers[1].count, 2);
    assert_int_equal(answers[0].result, 0);
    assert_int_equal(answers[1].result, 1);
    assert_int_equal(test_received(SHOP).count, 1);
    assert_content(test_received(SHOP).messages[0].id, 1, "image/gif", "x");
}

static void test_what_was_not_written_comes_again(void **state)
{
    test_fail_commits(1);
    assert_int_equal(test_take(brought("t-1", "hi", NULL)), -EIO);
    assert_int_equal(test_take(brought("t-1", "hi", NULL)), 0);
    assert_int_equal(test_received(SHOP).count, 1);
}

static struct arrival to_several(const char *text, const struct arrival_media *media, struct str to,
                                 const struct str *others, size_t count)
{
    struct arrival a = with_media(text, media, media ? 1 : 0);

    a.to = to;
    a.others = others;
    a.other_count = count;
    a.transaction = str_of(text);
    return a;
}

/* Whoever stands first: those that are ours get it, each in his own account. */
static void test_a_group(void **state)
{
    static const struct str others[] = {STR("+18005551234"), STR("18005550144"),
                                        STR("+15550009999"), STR("+18005550144"),
                                        STR("+18005550145")};
    struct arrival_media media = file_of("image/gif", "all");

    assert_int_equal(test_take(to_several("STOP", &media, STR("+15550001111"), others, 5)), 0);
    struct message_page shop = test_received(SHOP);
    assert_int_equal(shop.count, 1);
    assert_true(str_is(shop.messages[0].to, "+18005551234"));
    assert_content(shop.messages[0].id, 1, "image/gif", "all");
    struct message_page other = test_received(OTHER);
    assert_int_equal(other.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(str_is(other.messages[i].to, i ? "+18005550144" : "+18005550145"));
        assert_content(other.messages[i].id, 1, "image/gif", "all");
    }
    assert_int_equal(test_received(FIRST_ACCOUNT).count, 0);
    assert_true(test_is_out("+15551234567"));
    media = file_of("image/gif", "all");
    assert_int_equal(test_take(to_several("STOP", &media, STR("+15550001111"), others, 5)), 1);
    assert_int_equal(test_received(OTHER).count, 2);
    assert_false(is_left(&media));
}

/* An MMSC that brings it to each of them by itself names the others, too. */
static void test_a_group_that_is_brought_to_each(void **state)
{
    static const struct str both[] = {STR("+18005550144"), STR("+18005550145")};
    struct arrival_media media[3];

    for (size_t i = 0; i < 3; i++)
        media[i] = file_of("image/gif", "all");
    assert_int_equal(test_take(to_several("hi", &media[0], STR("+15550001111"), &both[0], 1)), 0);
    assert_int_equal(test_take(to_several("hi", &media[1], STR("+15550001111"), &both[1], 1)), 0);
    assert_int_equal(test_received(OTHER).count, 2);
    assert_content(test_received(OTHER).messages[0].id, 1, "image/gif", "all");
    /* One of three is new. */
    static const struct str all[] = {STR("+18005551234"), STR("+18005550144")};
    assert_int_equal(test_take(to_several("hi", &media[2], STR("+18005550145"), all, 2)), 0);
    assert_int_equal(test_received(OTHER).count, 2);
    assert_int_equal(test_received(SHOP).count, 1);
    assert_content(test_received(SHOP).messages[0].id, 1, "image/gif", "all");
    for (size_t i = 1; i < 3; i++)
        assert_false(is_left(&media[i]));
}

static void test_a_group_without_us(void **state)
{
    static const struct str others[] = {STR("+15550009999")};

    assert_int_equal(test_take(to_several("hi", NULL, STR("+15550001111"), others, 1)), 0);
    struct message_page p = test_received(FIRST_ACCOUNT);
    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].to, "+15550001111"));
}

/* All of it is written, or nothing. */
static void test_a_group_that_was_not_written(void **state)
{
    static const struct str others[] = {STR("+18005550144")};
    struct arrival_media media = file_of("image/gif", "x");

    test_fail_commits(1);
    assert_int_equal(test_take(to_several("hi", &media, STR("+18005551234"), others, 1)), -EIO);
    assert_int_equal(test_received(SHOP).count + test_received(OTHER).count, 0);
    assert_false(is_left(&media));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, test_set_up, test_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_mms),
        TEST(test_an_mms_of_text_only),
        TEST(test_an_mms_with_a_keyword),
        TEST(test_an_mms_that_was_not_written),
        TEST(test_an_mms_that_the_writer_refuses),
        TEST(test_what_is_not_shown),
        TEST(test_an_mms_that_comes_again),
        TEST(test_an_old_wish_that_comes_again),
        TEST(test_twice_at_once),
        TEST(test_what_was_not_written_comes_again),
        TEST(test_a_group),
        TEST(test_a_group_that_is_brought_to_each),
        TEST(test_a_group_without_us),
        TEST(test_a_group_that_was_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
