#include "base/file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], path[128];

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/skylark-file-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/thing", folder);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder); /* fails when a temporary file was left behind */
}

static void check_content(struct str want)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 1 << 20);
    assert_int_equal(file_read(path, &b), 0);
    assert_int_equal(b.n, want.n);
    assert_memory_equal(b.p, want.p, want.n);
    assert_int_equal(b.p[b.n], '\0');
}

static void test_replace_and_read(void **state)
{
    static char big[100000];
    struct stat st;

    memset(big, 'x', sizeof big);
    assert_int_equal(file_replace(path, (struct str){big, sizeof big}, 0644), 0);
    check_content((struct str){big, sizeof big});
    assert_int_equal(file_replace(path, STR("short"), 0600), 0);
    check_content(STR("short"));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_failures(void **state)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 5000);
    assert_int_equal(file_read("/nowhere/at/all", &b), -ENOENT);
    assert_int_equal(file_replace("/nowhere/at/all", STR("x"), 0600), -ENOENT);
    static char big[6000];
    assert_int_equal(file_replace(path, (struct str){big, sizeof big}, 0600), 0);
    assert_int_equal(file_read(path, &b), -EFBIG);
}

static void test_make_folder(void **state)
{
    char deep[160], middle[160];
    struct stat st;

    snprintf(middle, sizeof middle, "%s/one", folder);
    str_format(deep, sizeof deep, "%s/two", middle);
    assert_int_equal(file_make_folder(deep), 0);
    assert_int_equal(file_make_folder(deep), 0);
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(rmdir(deep), 0);
    str_format(deep, sizeof deep, "%s/three//", middle);
    assert_int_equal(file_make_folder(deep), 0);
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(rmdir(deep), 0);
    assert_int_equal(rmdir(middle), 0);
    assert_int_equal(file_replace(path, STR("x"), 0600), 0);
    snprintf(deep, sizeof deep, "%s/two", path);
    assert_int_equal(file_make_folder(deep), -ENOTDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace_and_read),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_make_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
