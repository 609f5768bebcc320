#include "store/test_fixture.h"

#include "store/sqlite_internal.h"
#include "store/test_store.h"

#include <stdio.h>

static char folder[TEST_FOLDER_SIZE];
char test_path[64];
struct store *test_store;
struct store_reader *test_reader;
struct arena test_arena;

int64_t test_now_us;

static int64_t now_us(const struct clock *c)
{
    return test_now_us;
}

const struct clock test_clock = {now_us};

void test_open(void)
{
    char why[STORE_WHY_SIZE] = "";

    if (store_open_sqlite(&test_store, test_path, &test_clock, why) != 0)
        fail_msg("store does not open: %s", why);
    assert_int_equal(store_reader_open(test_store, &test_reader), 0);
    ((struct sqlite_store *)test_store)->sizes.log_pages = 0; /* nobody moves the log here */
}

void test_close(void)
{
    store_reader_close(test_reader);
    store_close(test_store);
    test_reader = NULL;
    test_store = NULL;
}

int test_set_up(void **state)
{
    test_now_us = 1763168523004005; /* 2025-11-15T01:02:03.004005Z */
    arena_init(&test_arena, 64 << 20);
    test_folder_make(folder);
    snprintf(test_path, sizeof test_path, "%s/store.db", folder);
    test_open();
    return 0;
}

int test_tear_down(void **state)
{
    test_close();
    arena_done(&test_arena);
    test_folder_remove(folder);
    return 0;
}

struct message test_message(int64_t account, enum mode mode, const char *text)
{
    return (struct message){
        .account = account,
        .mode = mode,
        .direction = DIRECTION_OUTBOUND,
        .status = STATUS_QUEUED,
        .kind = KIND_SMS,
        .type = TYPE_OTP,
        .from = STR("+18005551234"),
        .to = STR("+447700900123"),
        .text = str_of(text),
        .media = STR(""),
        .encoding = ENCODING_UCS2,
        .segments = 3,
        .number_type = NUMBER_LOCAL,
        .coverage = COVERAGE_HIGH,
        .reason = REASON_FAILOVER,
        .rate_limit = 60,
        .calling_code = 44,
        .country = "GB",
        .cost_micros = 135000,
        .currency = "USD",
    };
}

void test_accept_this(struct message *m)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, m), 0);
    assert_int_equal(store_commit(test_store), 0);
}

struct message test_accept(int64_t account, enum mode mode, const char *text)
{
    struct message m = test_message(account, mode, text);

    test_accept_this(&m);
    return m;
}

int test_move(int64_t id, uint32_t from, enum message_status to, enum failure failure,
              int64_t at_us)
{
    struct message_move move = {
        .id = id, .from = from, .to = to, .failure = failure, .at_us = at_us};

    assert_int_equal(store_begin(test_store), 0);
    int r = store_move(test_store, &move);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

size_t test_open_work(int64_t after, size_t limit, struct message **ret)
{
    struct work_query q = {.sent = true, .after = after, .limit = limit};
    int64_t looked;
    size_t count;
    bool end;

    assert_int_equal(store_work_list(test_reader, &q, &test_arena, ret, &count, &looked, &end), 0);
    return count;
}

void test_same_text(struct str read, struct str wanted)
{
    assert_int_equal(read.n, wanted.n);
    if (wanted.n)
        assert_memory_equal(read.p, wanted.p, wanted.n);
}

void test_same(const struct message *read, const struct message *wanted)
{
#define SAME(member) assert_int_equal(read->member, wanted->member)
    SAME(id);
    SAME(account);
    SAME(mode);
    SAME(direction);
    SAME(status);
    SAME(kind);
    SAME(type);
    SAME(encoding);
    SAME(segments);
    SAME(number_type);
    SAME(coverage);
    SAME(reason);
    SAME(rate_limit);
    SAME(calling_code);
    SAME(cost_micros);
    SAME(carrier);
    SAME(handed);
    SAME(retry_count);
    SAME(failure);
    SAME(created_us);
    SAME(updated_us);
    SAME(sent_us);
    SAME(delivered_us);
    SAME(failed_us);
    SAME(cancelled_us);
    SAME(validity_s);
    SAME(scheduled_us);
    SAME(batch);
#undef SAME
    assert_string_equal(read->country, wanted->country);
    assert_string_equal(read->currency, wanted->currency);
    test_same_text(read->from, wanted->from);
    test_same_text(read->to, wanted->to);
    test_same_text(read->text, wanted->text);
    test_same_text(read->media, wanted->media);
    test_same_text(read->subject, wanted->subject);
    test_same_text(read->tags, wanted->tags);
    test_same_text(read->metadata, wanted->metadata);
    test_same_text(read->webhook_url, wanted->webhook_url);
    test_same_text(read->webhook_failover_url, wanted->webhook_failover_url);
}
