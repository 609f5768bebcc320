#include "messaging/test_arrivals.h"

struct arrivals *test_arrivals;
static struct optouts *optouts;

static const struct sender senders[] = {
    {.address = STR("+18005551234"),
     .type = NUMBER_TOLL_FREE,
     .calling_code = 1,
     .messages_per_minute = 180,
     .account = SHOP},
    {.address = STR("12345"), .type = NUMBER_SHORT_CODE, .calling_code = 1},
    {.address = STR("+18005550144"), .type = NUMBER_LOCAL, .calling_code = 1, .account = OTHER},
    {.address = STR("+18005550145"), .type = NUMBER_LOCAL, .calling_code = 1, .account = OTHER},
};
static const struct routing routing = {
    .senders = {.senders = senders, .count = sizeof senders / sizeof *senders}};

void test_open_arrivals(void)
{
    struct arrivals_options options = {.store = test_store,
                                       .writer = test_writer,
                                       .clock = &test_clock,
                                       .optouts = optouts,
                                       .home = &test_home};

    assert_int_equal(arrivals_new(&test_arrivals, &options), 0);
    arrivals_set_routing(test_arrivals, &routing);
}

int test_set_up(void **state)
{
    test_engine_start();
    optouts = optouts_new(store_secret(test_store));
    assert_non_null(optouts);
    test_open_arrivals();
    return 0;
}

int test_tear_down(void **state)
{
    test_settle();
    arrivals_free(test_arrivals);
    optouts_free(optouts);
    test_engine_stop();
    return 0;
}

struct arrival test_whole(const char *text)
{
    return (struct arrival){.carrier = ACME,
                            .from = STR("+15551234567"),
                            .to = STR("+18005551234"),
                            .text = str_of(text)};
}

int test_take(struct arrival arrival)
{
    struct test_answer a = {0};

    arrivals_take(test_arrivals, &arrival, test_note_answer, &a);
    test_settle();
    assert_int_equal(a.count, 1);
    return a.result;
}

struct message_page test_received(int64_t account)
{
    struct message_page p;

    assert_int_equal(
        store_message_page(test_reader, account, MODE_LIVE, NULL, 0, 50, &test_arena, &p), 0);
    return p;
}

bool test_is_out(const char *number)
{
    struct opt_out_record o;
    bool stored =
        store_opt_out_get(test_reader, SHOP, MODE_LIVE, str_of(number), &test_arena, &o) == 0;

    assert_int_equal(optouts_has(optouts, SHOP, MODE_LIVE, str_of(number)), stored);
    return stored;
}
