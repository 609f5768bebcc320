#include "carriers/test_wire.h"

#include "net/digest.h"

#include <unistd.h>

struct mm7_wire *test_wire;

static struct loop *mms_loop;

/* ---- set up ---- */

static void make_wire(void *unused)
{
    struct mm7_wire_options options = {.loop = mms_loop, .engine = test_loop, .store = test_store};

    assert_int_equal(mm7_wire_new(&test_wire, &options), 0);
}

int test_wire_set_up(void **state)
{
    test_set_up(state);
    test_loop_set_up(state);
    test_port_init();
    test_mmsc_init();
    assert_int_equal(loop_new(&mms_loop), 0);
    test_loop_do(make_wire, NULL);
    assert_int_equal(loop_start(mms_loop, "mms"), 0);
    return 0;
}

int test_wire_tear_down(void **state)
{
    loop_stop(test_loop);
    loop_stop(mms_loop);
    mm7_wire_free(test_wire);
    loop_free(mms_loop);
    test_loop_tear_down(state);
    test_mmsc_done();
    return test_tear_down(state);
}

static void make_carrier(void *unused)
{
    struct live_carrier_options options = {
        .loop = test_loop, .clock = &clock_real, .wire = test_wire};
    struct carrier_record record = {.id = TEST_CARRIER_NUMBER, .name = "acme", .taken = 100};

    assert_int_equal(live_carrier_new(&test_port.carrier, &mm7_carrier_kind, &options, &record), 0);
}

int test_mmsc_set_up(void **state)
{
    test_wire_set_up(state);
    test_loop_do(make_carrier, NULL);
    return 0;
}

int test_mmsc_tear_down(void **state)
{
    loop_stop(test_loop);
    loop_stop(mms_loop);
    live_carrier_free(test_port.carrier);
    return test_wire_tear_down(state);
}

struct mm7_settings *test_mmsc_settings(void)
{
    struct mm7_settings *settings;
    char why[256] = "";

    if (mm7_settings_new(&settings, &test_section, why, sizeof why) != 0)
        fail_msg("%s", why);
    return settings;
}

static void start(void *settings)
{
    assert_int_equal(live_carrier_start(test_port.carrier, settings), 0);
}

void test_mmsc_start(void)
{
    test_loop_do(start, &test_mmsc_settings()->live);
}

/* ---- messages ---- */

static void keep_file(int64_t message, unsigned number, struct str content)
{
    struct media_record record = {
        .message = message, .number = number, .type = "image/jpeg", .size = (int64_t)content.n};
    char path[STORE_MEDIA_PATH_SIZE];
    int fd = store_media_temporary(test_store, path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content.p, content.n), content.n);
    close(fd);
    digest_sha256(content, record.hash);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_media_put(test_store, &record, path), 1);
    assert_int_equal(store_end(test_store, 0), 0);
}

struct message test_mms(const char *text, const char *const files[])
{
    static const char *const urls[] = {"", "https://cdn.example/1",
                                       "https://cdn.example/1\nhttps://cdn.example/2"};
    struct message m = test_message(FIRST_ACCOUNT, MODE_LIVE, text);
    unsigned count = 0;

    while (files[count])
        count++;
    m.kind = KIND_MMS;
    m.from = STR("+18005551234");
    m.to = STR("+15551234567");
    m.subject = STR("Cats & dogs");
    m.media = str_of(urls[count]);
    m.retry_count = 0;
    test_accept_this(&m);
    for (unsigned i = 0; i < count; i++)
        keep_file(m.id, i + 1, str_of(files[i]));
    return m;
}

int test_mmsc_submit(void)
{
    const char *const files[] = {"picture", NULL};
    struct message m = test_mms("Hello", files);

    return test_port_submit_message(&m);
}
