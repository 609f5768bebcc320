#include "api/test_events.h"

#include <errno.h>

static int accept_one(struct store *s, void *message)
{
    return store_accept(s, message);
}

struct message test_message(int64_t account, enum mode mode, const char *text)
{
    return (struct message){.account = account,
                            .mode = mode,
                            .direction = DIRECTION_OUTBOUND,
                            .status = STATUS_QUEUED,
                            .kind = KIND_SMS,
                            .type = TYPE_TRANSACTIONAL,
                            .from = STR("+18005551234"),
                            .to = STR("+15551234567"),
                            .text = str_of(text),
                            .media = STR(""),
                            .metadata = STR(""),
                            .encoding = ENCODING_GSM7,
                            .segments = 1,
                            .number_type = NUMBER_TOLL_FREE,
                            .coverage = COVERAGE_HIGH,
                            .reason = REASON_SMART,
                            .currency = "USD"};
}

int64_t test_accept_message(struct message *m)
{
    test_write(accept_one, m);
    return m->id;
}

int64_t test_accept(int64_t account, enum mode mode, const char *text, const char *metadata)
{
    struct message m = test_message(account, mode, text);

    if (metadata)
        m.metadata = str_of(metadata);
    return test_accept_message(&m);
}

static int accept_many(struct store *s, void *count)
{
    struct message m = test_message(FIRST_ACCOUNT, MODE_TEST, "one of many");
    int failed = 0;

    for (int i = 0; i < *(int *)count && !failed; i++)
        failed = store_accept(s, &m);
    return failed;
}

void test_accept_many(int count)
{
    test_write(accept_many, &count);
}

int test_deliver_within(struct store *s, void *id)
{
    struct message_move move = {.id = *(int64_t *)id,
                                .from = status_bit(STATUS_QUEUED),
                                .to = STATUS_SENT,
                                .at_us = test_now_us};

    if (store_move(s, &move) != 1)
        return -EIO;
    move.from = status_bit(STATUS_SENT);
    move.to = STATUS_DELIVERED;
    return store_move(s, &move) == 1 ? 0 : -EIO;
}

void test_deliver(int64_t id)
{
    test_write(test_deliver_within, &id);
}
