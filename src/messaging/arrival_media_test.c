#include "messaging/arrival_media.h"

#include "messaging/test_engine.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int set_up(void **state)
{
    test_engine_start();
    return 0;
}

static int tear_down(void **state)
{
    test_engine_stop();
    return 0;
}

static struct arrival_media media[MEDIA_MAX];

static void keep(const char *type, const char *first, const char *second)
{
    struct str contents[] = {str_of(first), str_of(second)};

    for (int i = 0; i < 2; i++)
        snprintf(media[i].record.type, sizeof media[i].record.type, "%s", type);
    assert_int_equal(arrival_media_keep(test_store, contents, media, 2), 0);
}

static bool is_there(const struct arrival_media *m)
{
    return access(m->path, F_OK) == 0;
}

/* ---- types ---- */

#define SIXTY "012345678901234567890123456789012345678901234567890123456789"

static void test_types(void **state)
{
    static const struct {
        const char *said, *kept; /* NULL: it is none */
    } table[] = {
        {"image/png", "image/png"},
        {"IMAGE/Png", "image/png"},
        {" image/png ; name=\"a/b.png\"", "image/png"},
        {"image/jpg", "image/jpeg"},
        {"image/JPG;x", "image/jpeg"},
        {"application/vnd.wap.mms-message+x", "application/vnd.wap.mms-message+x"},
        {"x/y" SIXTY, "x/y" SIXTY},
        {"xx/y" SIXTY, NULL},
        {"", NULL},
        {"image", NULL},
        {"image/", NULL},
        {"/png", NULL},
        {"image/p/g", NULL},
        {"image/p g", NULL},
        {"image/p\ng", NULL},
        {"im\xc3\xa4ge/png", NULL},
    };
    char out[MEDIA_TYPE_MAX + 1];

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(arrival_media_type(str_of(table[i].said), out), table[i].kept != NULL);
        if (table[i].kept)
            assert_string_equal(out, table[i].kept);
    }
    assert_false(arrival_media_type((struct str){"image/p\0g", 9}, out));
}

static void test_types_of_a_message(void **state)
{
    snprintf(media[0].record.type, sizeof media[0].record.type, "image/png");
    snprintf(media[1].record.type, sizeof media[1].record.type, "%s", "x/y" SIXTY);
    assert_true(str_is(arrival_media_types(media, 2, &test_arena), "image/png\nx/y" SIXTY));
    assert_true(str_is(arrival_media_types(media, 1, &test_arena), "image/png"));
    assert_true(str_is(arrival_media_types(media, 0, &test_arena), ""));
}

/* ---- files ---- */

static void test_kept_and_dropped(void **state)
{
    keep("image/png", "a", "bc");
    assert_true(is_there(&media[0]) && is_there(&media[1]));
    assert_int_equal(media[1].record.size, 2);
    assert_memory_not_equal(media[0].record.hash, media[1].record.hash, MEDIA_HASH_SIZE);
    assert_string_equal(media[0].record.type, "image/png");
    arrival_media_drop(media, 2);
    assert_false(is_there(&media[0]) || is_there(&media[1]));
}

static void test_no_room(void **state)
{
    struct str content = STR("a");

    store_media_reserve(test_store, INT64_MAX);
    assert_int_equal(arrival_media_keep(test_store, &content, media, 1), -ENOSPC);
    assert_int_equal(arrival_media_keep(test_store, NULL, NULL, 0), 0);
    store_media_reserve(test_store, 0);
}

/* ---- the message ---- */

static int64_t accept(bool loose)
{
    struct message m = {.account = 1,
                        .mode = MODE_TEST,
                        .kind = KIND_MMS,
                        .direction = DIRECTION_INBOUND,
                        .status = STATUS_RECEIVED,
                        .from = STR("+15551234567"),
                        .to = STR("+18005551234"),
                        .text = STR(""),
                        .currency = "USD"};

    assert_int_equal(store_begin(test_store), 0);
    int failed = store_accept(test_store, &m);
    if (!failed)
        failed = arrival_media_put(test_store, m.id, media, 2, loose);
    assert_int_equal(store_end(test_store, failed), 0);
    return m.id;
}

static void check(int64_t message, unsigned number, const char *content)
{
    struct media_record read;
    char bytes[16] = "";

    assert_int_equal(store_media_get(test_reader, message, number, &read), 0);
    int fd = store_media_open(test_store, &read);
    assert_int_equal(pread(fd, bytes, sizeof bytes - 1, 0), strlen(content));
    close(fd);
    assert_string_equal(bytes, content);
}

static void test_put(void **state)
{
    keep("image/png", "a", "bc");
    int64_t first = accept(false), second = accept(true);
    check(first, 1, "a");
    check(first, 2, "bc");
    check(second, 1, "a");
    check(second, 2, "bc");
}

/* One picture twice: two numbers, one file. */
static void test_put_the_same_twice(void **state)
{
    keep("image/gif", "same", "same");
    int64_t message = accept(false);
    check(message, 1, "same");
    check(message, 2, "same");
    assert_true(is_there(&media[0]));
    assert_false(is_there(&media[1]));
}

#define MEDIA_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEDIA_TEST(test_types),
        MEDIA_TEST(test_types_of_a_message),
        MEDIA_TEST(test_kept_and_dropped),
        MEDIA_TEST(test_no_room),
        MEDIA_TEST(test_put),
        MEDIA_TEST(test_put_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
