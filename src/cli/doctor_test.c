#include "cli/doctor.h"

#include "net/tls.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/skylark-doctor-XXXXXX";
static struct config config;
static struct invocation in;
static struct doctor doctor;
static const struct column columns[4] = {{.name = "state"}, {.name = "check"}, {.name = "finding"}};

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];

    str_format(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, mode_t mode)
{
    FILE *f = fopen(in_folder(name), "w");

    assert_non_null(f);
    for (int i = 0; i < 8192; i++)
        fputc('x', f);
    fclose(f);
    assert_int_equal(chmod(in_folder(name), mode), 0);
}

static int set_up(void **state)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    config = (struct config){.server_data_dir = folder, .tls_certificate = "", .tls_key = ""};
    in = (struct invocation){.command = NULL};
    doctor = (struct doctor){.in = &in, .local.config = &config};
    table_init(&doctor.found, columns, 4);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"skylark.db", "skylark.db-wal", "skylark.db-shm",
                                        "secret",     "ca.pem",         "ca.key",
                                        "server.pem", "server.key"};

    if (doctor.local.reader)
        store_reader_close(doctor.local.reader);
    if (doctor.local.store)
        store_close(doctor.local.store);
    table_done(&doctor.found);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

/* Of the last row: its state, and a part of what it says. */
static void check_found(const char *state, const char *part)
{
    const char **row = doctor.found.cells + (doctor.found.count - 1) * 4;

    assert_true(doctor.found.count > 0);
    assert_string_equal(row[0], state);
    if (!strstr(row[2], part))
        fail_msg("'%s' is not in '%s'", part, row[2]);
    assert_int_equal(!row[3], strcmp(state, "ok") == 0); /* what helps is said where it is needed */
}

static void test_folder(void **state)
{
    doctor_folder(&doctor);
    check_found("ok", "for its owner only");
    write_file("secret", 0644);
    write_file("ca.pem", 0644);
    doctor_folder(&doctor);
    check_found("ok", "for its owner only"); /* nobody gets there */
    chmod(folder, 0755);
    doctor_folder(&doctor);
    check_found("warning", "and read secret");
    chmod(in_folder("secret"), 0600);
    doctor_folder(&doctor);
    check_found("ok", "for its owner only"); /* certificates are for all */
    chmod(folder, 0775);
    doctor_folder(&doctor);
    check_found("warning", "may change files");
    assert_false(doctor.over);
    assert_int_equal(doctor.worst, HEALTH_WARNING);
}

static void test_no_folder(void **state)
{
    char none[PATH_MAX];

    str_format(none, sizeof none, "%s/none", folder);
    config.server_data_dir = none;
    doctor_folder(&doctor);
    check_found("wrong", "there is no folder");
    assert_true(doctor.over);
    assert_int_equal(doctor.worst, HEALTH_WRONG);
}

static void test_certificate(void **state)
{
    char why[TLS_WHY_SIZE];
    int64_t now_us = clock_now_us(&clock_real), day_us = INT64_C(86400) * 1000000;

    doctor_certificate(&doctor);
    check_found("ok", "none yet");
    assert_int_equal(tls_local_prepare(folder, now_us, why), 1);
    doctor_certificate(&doctor);
    check_found("ok", "server.pem holds until ");
    unlink(in_folder("server.pem"));
    assert_int_equal(tls_local_prepare(folder, now_us - 390 * day_us, why), 1);
    doctor_certificate(&doctor);
    check_found("warning", "days");
    unlink(in_folder("server.pem"));
    assert_int_equal(tls_local_prepare(folder, now_us - 500 * day_us, why), 1);
    doctor_certificate(&doctor);
    check_found("wrong", "ended on ");
    write_file("server.pem", 0644);
    doctor_certificate(&doctor);
    check_found("wrong", "server.pem");
}

static void test_clock(void **state)
{
    time_t now = time(NULL);

    write_file("skylark.db", 0600);
    doctor_clock(&doctor);
    check_found("ok", " UTC");
    utimensat(AT_FDCWD, in_folder("skylark.db"),
              (struct timespec[]){{.tv_sec = now + 3600}, {.tv_sec = now + 3600}}, 0);
    doctor_clock(&doctor);
    check_found("wrong", "before the store was last written");
}

static void test_store(void **state)
{
    doctor_store(&doctor);
    check_found("warning", "there is none");
    write_file("skylark.db", 0600);
    doctor_store(&doctor);
    check_found("wrong", "cannot be opened");
    assert_null(doctor.local.store);
    unlink(in_folder("skylark.db"));
    char why[STORE_WHY_SIZE];
    assert_int_equal(
        store_open_sqlite(&doctor.local.store, in_folder("skylark.db"), &clock_real, why), 0);
    store_close(doctor.local.store);
    doctor_store(&doctor);
    check_found("ok", "opens; ");
}

static void test_books(void **state)
{
    doctor_books(&doctor);
    assert_int_equal(doctor.found.count, 0); /* that there is no store was told */
    in.values[OPTION_BOOKS] = "";
    doctor_books(&doctor);
    check_found("wrong", "there is no store to read");
}

static void test_disk(void **state)
{
    doctor_disk(&doctor);
    assert_int_equal(doctor.found.count, 1);
    assert_non_null(strstr(doctor.found.cells[2], " are free"));
}

static void test_bytes(void **state)
{
    char out[32];

    assert_string_equal(doctor_bytes(0, out), "0 bytes");
    assert_string_equal(doctor_bytes(999, out), "999 bytes");
    assert_string_equal(doctor_bytes(1500, out), "1.5 KB");
    assert_string_equal(doctor_bytes(UINT64_C(12345678901), out), "12.3 GB");
    assert_string_equal(doctor_bytes(UINT64_MAX, out), "18446.7 PB");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_folder), TEST(test_no_folder), TEST(test_certificate), TEST(test_clock),
        TEST(test_store),  TEST(test_books),     TEST(test_disk),        TEST(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
