#include "cli/env_file.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void check(const char *before, const char *want)
{
    struct buf out BUF_CLEANUP;

    buf_init(&out, 4096);
    env_file_set(str_of(before), STR("SECRET"), STR("whsec_x"), &out);
    assert_int_equal(out.n, strlen(want));
    assert_memory_equal(out.p, want, out.n);
}

static void test_set(void **state)
{
    check("", "SECRET=whsec_x\n");
    check("A=1\n", "A=1\nSECRET=whsec_x\n");
    check("A=1", "A=1\nSECRET=whsec_x\n");
    check("A=1\nSECRET=old\nB=2\n", "A=1\nSECRET=whsec_x\nB=2\n");
    check("SECRET=old", "SECRET=whsec_x\n");
    check("SECRET=\nSECRET='two'\n", "SECRET=whsec_x\nSECRET=whsec_x\n");
    check("export SECRET=old\n  SECRET = old\n", "export SECRET=whsec_x\n  SECRET =whsec_x\n");
    check("A=1\r\nSECRET=old\r\nB=2\r\n", "A=1\r\nSECRET=whsec_x\r\nB=2\r\n");
}

static void test_what_stays(void **state)
{
    check("# SECRET=a\nSECRETS=b\nMY_SECRET=c\nSECRET\n\n",
          "# SECRET=a\nSECRETS=b\nMY_SECRET=c\nSECRET\n\nSECRET=whsec_x\n");
}

static void test_names(void **state)
{
    assert_true(env_name_good(STR("WEBHOOK_SECRET_2")));
    assert_true(env_name_good(STR("_x")));
    assert_false(env_name_good(STR("")));
    assert_false(env_name_good(STR("2X")));
    assert_false(env_name_good(STR("A-B")));
    assert_false(env_name_good(STR("A=B")));
}

static char folder[64];

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/skylark-env-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void check_file(const char *path, const char *want, mode_t mode)
{
    struct buf text BUF_CLEANUP;
    struct stat info;

    buf_init(&text, 1 << 16);
    assert_int_equal(file_read(path, &text), 0);
    assert_string_equal(text.p, want);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, mode);
}

static void test_files(void **state)
{
    char path[128], link_path[128];
    struct stat info;

    snprintf(path, sizeof path, "%s/.env", folder);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(env_file_write(path, STR("A"), STR("1")), 0);
    check_file(path, "A=1\n", 0600);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(env_file_write(link_path, STR("A"), STR("2")), 0);
    check_file(path, "A=2\n", 0644);
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(env_file_write("/nowhere/at/all", STR("A"), STR("1")), -ENOENT);
    assert_int_equal(env_file_write(folder, STR("A"), STR("1")), -EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
