#include "messaging/test_receipts.h"

#include "messaging/errand.h"
#include "messaging/status.h"

#include <stdlib.h>

struct receipts *test_receipts;

static void open_receipts(void)
{
    struct receipts_options options = {
        .store = test_store, .writer = test_writer, .clock = &test_clock, .home = &test_home};

    assert_int_equal(receipts_new(&test_receipts, &options), 0);
}

int test_set_up(void **state)
{
    test_engine_start();
    open_receipts();
    return 0;
}

int test_tear_down(void **state)
{
    test_settle();
    receipts_free(test_receipts);
    test_engine_stop();
    return 0;
}

void test_forget(void)
{
    test_settle();
    receipts_free(test_receipts);
    open_receipts();
}

/* ---- messages ---- */

/* Something that the engine has written: a message, or a carrier's answer to it. */
struct writing {
    struct errand errand;
    struct message message;
    struct str ids[PARTS_MAX];
    unsigned parts;
    int64_t at_us;
    bool keep;
};

static int apply_accept(struct write_job *job, struct store *s)
{
    return store_accept(s, &((struct writing *)job)->message);
}

static int apply_answer(struct write_job *job, struct store *s)
{
    struct writing *w = (struct writing *)job;
    struct message_move move;

    message_move_to(&move, w->message.id, STATUS_SENT, FAILURE_NONE, w->at_us);
    int moved = store_move(s, &move);
    if (moved < 0)
        return moved;
    return receipts_keep(s, ACME, &w->message, w->ids, w->parts);
}

static void free_writing(struct errand *e)
{
    if (!((struct writing *)e)->keep)
        free(e);
}

struct message test_accept_to(const char *to)
{
    struct writing w = {.message = {.account = 1,
                                    .mode = MODE_LIVE,
                                    .direction = DIRECTION_OUTBOUND,
                                    .status = STATUS_QUEUED,
                                    .kind = KIND_SMS,
                                    .type = TYPE_TRANSACTIONAL,
                                    .from = STR("ACME"),
                                    .to = str_of(to),
                                    .text = STR("Hello"),
                                    .media = STR(""),
                                    .encoding = ENCODING_GSM7,
                                    .segments = 1,
                                    .number_type = NUMBER_LOCAL,
                                    .coverage = COVERAGE_HIGH,
                                    .reason = REASON_SMART,
                                    .currency = "USD",
                                    .carrier = ACME},
                        .keep = true};

    struct message m = w.message;
    errand_init(&w.errand, &test_home, apply_accept, free_writing);
    errand_owe(&w.errand, test_writer);
    test_settle();
    m.id = w.message.id;
    return m;
}

void test_answer_parts(const struct message *m, const char *const *ids, unsigned parts)
{
    struct writing *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->message = *m;
    w->parts = parts;
    w->at_us = atomic_load(&test_now_us);
    for (unsigned i = 0; i < parts; i++)
        w->ids[i] = str_of(ids[i]);
    errand_init(&w->errand, &test_home, apply_answer, free_writing);
    receipts_expect(test_receipts, ACME, m, w->ids, parts);
    errand_owe(&w->errand, test_writer);
}

void test_answer_with(const struct message *m, const char *id)
{
    test_answer_parts(m, &id, 1);
}

struct message test_take(const char *to, const char *id)
{
    struct message m = test_accept_to(to);

    test_answer_with(&m, id);
    test_settle();
    return m;
}

struct message test_look(int64_t id)
{
    struct message m;

    assert_int_equal(store_message_find(test_reader, id, &test_arena, &m), 0);
    return m;
}

enum message_status test_status(const struct message *m)
{
    return test_look(m->id).status;
}

size_t test_events(const struct message *m, struct event_record **ret)
{
    size_t count;

    assert_int_equal(store_event_list(test_reader, m->id, &test_arena, ret, &count), 0);
    return count;
}

void test_assert_event(const struct message *m, size_t count, enum event_kind last)
{
    struct event_record *list;

    assert_int_equal(test_events(m, &list), count);
    assert_int_equal(list[count - 1].kind, last);
    assert_true(str_is(list[count - 1].detail, "The carrier says so."));
}

size_t test_strays(struct stray_record **ret)
{
    size_t count;

    assert_int_equal(store_stray_list(test_reader, 0, 100, &test_arena, ret, &count), 0);
    return count;
}

size_t test_stray_count(void)
{
    struct stray_record *list;
    return test_strays(&list);
}

/* ---- receipts ---- */

struct carrier_receipt test_receipt(enum receipt_word word, const struct str *ids, size_t count)
{
    return (struct carrier_receipt){.carrier = ACME,
                                    .ids = ids,
                                    .id_count = count,
                                    .word = word,
                                    .failure = word == RECEIPT_FAILED ? FAILURE_UNDELIVERABLE : 0,
                                    .source = STR("15551234567"),
                                    .destination = STR("ACME"),
                                    .detail = STR("The carrier says so."),
                                    .raw = STR("id:A1 stat:DELIVRD")};
}

int test_tell_this(const struct carrier_receipt *r)
{
    struct test_answer a = {0};

    receipts_take(test_receipts, r, test_note_answer, &a);
    test_settle();
    assert_int_equal(a.count, 1);
    return a.result;
}

int test_tell(const char *id, enum receipt_word word)
{
    struct str ids[] = {str_of(id)};
    struct carrier_receipt r = test_receipt(word, ids, 1);

    return test_tell_this(&r);
}

int test_tell_from(const char *id, const char *source, const char *destination)
{
    struct str ids[] = {str_of(id)};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 1);

    r.source = str_of(source);
    r.destination = str_of(destination);
    return test_tell_this(&r);
}
