#include "base/clock.h"
#include "cli/doctor.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROW = 4 };
static char folder[] = "/tmp/skylark-doctor-XXXXXX";
static struct config_carrier carriers[2] = {{.name = "acme"}, {.name = "beta"}};
static struct config_mmsc mmscs[1] = {{.name = "mms"}};
static struct config config;
static struct doctor doctor;
static const struct column columns[ROW] = {{.name = "state"}, {.name = "check"}};

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];

    str_format(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A store, and the file of a server that runs. */
static int set_up(void **state)
{
    char why[STORE_WHY_SIZE];

    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    config = (struct config){.server_data_dir = folder, .carriers = carriers, .mmscs = mmscs};
    doctor = (struct doctor){.local.config = &config, .answers = true};
    arena_init(&doctor.local.memory, 1 << 20);
    table_init(&doctor.found, columns, ROW);
    assert_int_equal(
        store_open_sqlite(&doctor.local.store, in_folder("skylark.db"), &clock_real, why), 0);
    assert_int_equal(store_reader_open(doctor.local.store, &doctor.local.reader), 0);
    fclose(fopen(in_folder("address"), "w"));
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"skylark.db", "skylark.db-wal", "skylark.db-shm",
                                        "address"};

    store_reader_close(doctor.local.reader);
    store_close(doctor.local.store);
    table_done(&doctor.found);
    arena_done(&doctor.local.memory);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

/* What the server noted of a carrier, now unless it says when. */
static void noted(const char *name, struct carrier_record c)
{
    struct store *s = doctor.local.store;

    str_format(c.name, sizeof c.name, "%s", name);
    if (!c.told_us)
        c.told_us = clock_now_us(&clock_real);
    assert_int_equal(store_begin(s), 0);
    assert_int_equal(store_carrier_add(s, &c), 0);
    assert_int_equal(store_carrier_note(s, &c), 0);
    assert_int_equal(store_commit(s), 0);
}

static void drain(const char *name)
{
    struct store *s = doctor.local.store;
    struct carrier_record c = {.id = 0};

    str_format(c.name, sizeof c.name, "%s", name);
    assert_int_equal(store_begin(s), 0);
    assert_int_equal(store_carrier_add(s, &c), 0);
    assert_int_equal(store_carrier_drain(s, c.id, true), 0);
    assert_int_equal(store_commit(s), 0);
}

static const char **row(size_t i)
{
    assert_true(i < doctor.found.count);
    return doctor.found.cells + i * ROW;
}

static void check_row(size_t i, const char *state, const char *check, const char *finding)
{
    assert_string_equal(row(i)[0], state);
    assert_string_equal(row(i)[1], check);
    assert_string_equal(row(i)[2], finding);
    assert_int_equal(!row(i)[3], strcmp(state, "ok") == 0);
}

static void check_remedy(size_t i, const char *part)
{
    if (!strstr(row(i)[3], part))
        fail_msg("'%s' is not in '%s'", part, row(i)[3]);
}

static void look(size_t carrier_count, size_t mmsc_count)
{
    config.carrier_count = carrier_count;
    config.mmsc_count = mmsc_count;
    doctor_carriers(&doctor);
}

/* ---- the tests ---- */

static void none_are_not_spoken_of(void **state)
{
    look(0, 0);
    noted("gone", (struct carrier_record){.state = CARRIER_UNUSED});
    look(0, 0);
    assert_int_equal(doctor.found.count, 0);
}

static void good_ones_are_counted(void **state)
{
    noted("acme", (struct carrier_record){.state = CARRIER_BOUND, .binds = 2, .binds_up = 2});
    noted("mms", (struct carrier_record){.state = CARRIER_READY, .note = "Old trouble."});
    look(1, 1);
    assert_int_equal(doctor.found.count, 1);
    check_row(0, "ok", "carriers", "2 of 2 can be used");
}

static void one_that_is_down_is_wrong(void **state)
{
    noted("acme", (struct carrier_record){.state = CARRIER_DOWN,
                                          .binds = 1,
                                          .since_us = INT64_C(1767225600) * 1000000,
                                          .waiting = 12,
                                          .note = "acme/1: refused.\x1b[2J"});
    noted("mms", (struct carrier_record){.state = CARRIER_READY});
    look(1, 1);
    check_row(0, "wrong", "carrier",
              "'acme' is down since 2026-01-01 00:00:00 UTC; 12 messages wait for it: "
              "acme/1: refused.");
    check_remedy(0, "'skylark carriers test acme'");
    check_row(1, "ok", "carriers", "1 of 2 can be used");
    assert_int_equal(doctor.worst, HEALTH_WRONG);
}

static void those_that_may_come_back_are_a_warning(void **state)
{
    noted("acme", (struct carrier_record){.state = CARRIER_CONNECTING, .binds = 1});
    noted("beta", (struct carrier_record){
                      .state = CARRIER_BOUND, .binds = 2, .binds_up = 1, .note = "beta/2: cut."});
    noted("mms", (struct carrier_record){
                     .state = CARRIER_CONNECTING, .waiting = 1, .note = "It answered 401."});
    look(2, 1);
    check_row(0, "warning", "carrier", "'acme' is not bound yet");
    check_row(1, "warning", "carrier", "'beta' has 1 of its 2 binds: beta/2: cut.");
    check_row(2, "warning", "carrier",
              "'mms' was down, and the next MMS tries it again; 1 message waits for it: "
              "It answered 401.");
    check_remedy(2, "'skylark carriers test mms'");
    check_row(3, "ok", "carriers", "1 of 3 can be used");
    assert_int_equal(doctor.worst, HEALTH_WARNING);
}

static void a_drained_one_is_a_warning_with_or_without_a_server(void **state)
{
    noted("acme", (struct carrier_record){.state = CARRIER_DRAINED, .binds = 1, .binds_up = 1});
    drain("acme");
    look(1, 0);
    check_row(0, "warning", "carrier", "'acme' is drained: it gets nothing new");
    check_remedy(0, "'skylark carriers enable acme'");
    assert_int_equal(doctor.found.count, 1);
    doctor.answers = false;
    look(1, 0);
    check_row(1, "warning", "carrier", "'acme' is drained: it gets nothing new");
    check_row(2, "ok", "carriers",
              "1 in the configuration; no server answers that could tell how they stand");
}

static void a_drained_one_may_be_down_too(void **state)
{
    noted("acme", (struct carrier_record){
                      .state = CARRIER_DRAINED, .binds = 1, .waiting = 2, .note = "acme/1: no."});
    drain("acme");
    look(1, 0);
    check_row(0, "warning", "carrier",
              "'acme' is drained: it gets nothing new; 2 messages wait for it; nor is it bound: "
              "acme/1: no.");
}

/* The note is young, and nobody is there who would keep it so. */
static void a_server_that_was_killed_tells_nothing(void **state)
{
    noted("acme", (struct carrier_record){.state = CARRIER_DOWN});
    doctor.answers = false;
    look(1, 0);
    assert_int_equal(doctor.found.count, 1);
    check_row(0, "ok", "carriers",
              "1 in the configuration; no server answers that could tell how they stand");
}

static void a_server_that_has_not_told_yet(void **state)
{
    look(1, 0);
    check_row(0, "warning", "carriers", "the server has told nothing of them yet");
    check_remedy(0, "SIGHUP");
}

static void one_that_the_server_does_not_have(void **state)
{
    noted("acme", (struct carrier_record){.state = CARRIER_BOUND, .binds = 1, .binds_up = 1});
    noted("beta", (struct carrier_record){.state = CARRIER_BOUND, .told_us = 1});
    look(2, 1);
    check_row(0, "warning", "carrier", "the server does not use 'beta'"); /* noted long ago */
    check_row(1, "warning", "carrier", "the server does not use 'mms'");
    check_remedy(1, "SIGHUP");
    check_row(2, "ok", "carriers", "1 of 3 can be used");
}

static void those_of_another_configuration_are_looked_at_too(void **state)
{
    noted("far", (struct carrier_record){.state = CARRIER_CONNECTING, .binds = 1});
    look(0, 0);
    check_row(0, "warning", "carriers",
              "the server has 'far' from another configuration than was read here");
    check_remedy(0, "--config");
    check_row(1, "warning", "carrier", "'far' is not bound yet");
}

static void without_a_store_nothing_is_said(void **state)
{
    struct store_reader *reader = doctor.local.reader;

    doctor.local.reader = NULL;
    look(1, 1);
    doctor.local.reader = reader;
    assert_int_equal(doctor.found.count, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(none_are_not_spoken_of),
        T(good_ones_are_counted),
        T(one_that_is_down_is_wrong),
        T(those_that_may_come_back_are_a_warning),
        T(a_drained_one_is_a_warning_with_or_without_a_server),
        T(a_drained_one_may_be_down_too),
        T(a_server_that_was_killed_tells_nothing),
        T(a_server_that_has_not_told_yet),
        T(one_that_the_server_does_not_have),
        T(those_of_another_configuration_are_looked_at_too),
        T(without_a_store_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
