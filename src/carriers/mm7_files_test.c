#include "carriers/mm7_files.h"

#include "messaging/test_engine.h"
#include "net/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static struct mm7_part part(const char *type, struct str bytes)
{
    return (struct mm7_part){.type = str_of(type), .bytes = bytes};
}

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

static bool is_there(const struct arrival_media *m)
{
    return access(m->path, F_OK) == 0;
}

static void test_kept(void **state)
{
    struct mm7_part parts[] = {part("image/jpg", STR("a\0cat")), part("strange", STR("b"))};
    struct mm7_delivered d = {.files = {&parts[0], &parts[1]}, .file_count = 2};
    struct arrival_media media[MEDIA_MAX];
    uint8_t hash[DIGEST_SHA256_SIZE];
    char content[16];

    assert_int_equal(mm7_files_keep(test_store, &d, media), 0);
    assert_string_equal(media[0].record.type, "image/jpeg");
    assert_string_equal(media[1].record.type, "application/octet-stream");
    assert_int_equal(media[0].record.size, 5);
    digest_sha256(parts[0].bytes, hash);
    assert_memory_equal(media[0].record.hash, hash, sizeof hash);
    int fd = open(media[0].path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, content, sizeof content), 5);
    assert_memory_equal(content, "a\0cat", 5);
    close(fd);
    arrival_media_drop(media, 2);
    assert_false(is_there(&media[0]) || is_there(&media[1]));
}

/* The second does not fit on the disk: the first is not left there either. */
static void test_no_room(void **state)
{
    static char large[64 << 10];
    struct mm7_part parts[] = {part("image/png", STR("x")),
                               part("image/png", (struct str){large, sizeof large})};
    struct mm7_delivered d = {.files = {&parts[0], &parts[1]}, .file_count = 2};
    struct arrival_media media[MEDIA_MAX];
    struct rlimit before, less;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    less = before;
    less.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    int failed = mm7_files_keep(test_store, &d, media);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(failed, -EFBIG);
    assert_false(is_there(&media[0]) || is_there(&media[1]));
}

/* What is left of the disk is for messages; one without files needs none of it. */
static void test_reserve(void **state)
{
    struct mm7_part parts[] = {part("image/png", STR("x"))};
    struct mm7_delivered d = {.files = {&parts[0]}, .file_count = 1}, text = {.file_count = 0};
    struct arrival_media media[MEDIA_MAX];

    store_media_reserve(test_store, INT64_MAX);
    assert_int_equal(mm7_files_keep(test_store, &d, media), -ENOSPC);
    assert_int_equal(mm7_files_keep(test_store, &text, media), 0);
    store_media_reserve(test_store, 1);
    assert_int_equal(mm7_files_keep(test_store, &d, media), 0);
    arrival_media_drop(media, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reserve, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
