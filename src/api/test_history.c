#include "api/test_history.h"

#include "messaging/price.h"

#include <stdio.h>

const char *const history_keys[HISTORY_KEYS] = {
    "sl_test_historyhistoryhistoryhistoryhist", "sl_live_historyhistoryhistoryhistoryhist",
    "sl_test_otherotherotherotherotherotherot", "sl_live_otherotherotherotherotherotherot"};
const char *const history_countries[] = {"US", "GB", "DE", "", NULL};
const char *const history_senders[] = {"+18005551234", "+447700900123", "Skylark", "12345", NULL};
const char *const history_tags[HISTORY_TAGS] = {"a", "b", "long name, with \"quotes\"",
                                                "\xc3\xa9t\xc3\xa9", "zz"};

struct fact facts[HISTORY_MAX];
size_t fact_count;
struct calls calls[1024];
size_t call_count;

/* Messages that may still move. */
static struct open {
    int64_t id;
    enum message_status status;
} open[HISTORY_MAX];
static size_t open_count;
static uint64_t *chance;

static uint32_t pick(uint32_t below)
{
    return test_random(chance) % below;
}

/* ---- what happens ---- */

static size_t length_of(const char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

static struct str random_tags(char out[256])
{
    size_t n = 0;
    unsigned first = pick(HISTORY_TAGS);

    out[0] = '\0';
    for (unsigned i = 0; i < HISTORY_TAGS; i++)
        if (pick(4) == 0)
            n += (size_t)snprintf(out + n, 256 - n, "%s%s", n ? "\n" : "",
                                  history_tags[(first + i) % HISTORY_TAGS]);
    return (struct str){out, n};
}

static int accept_one(struct store *s)
{
    char tags[256];
    bool inbound = pick(6) == 0;
    struct message m = {.account = pick(2) ? FIRST_ACCOUNT : OTHER_ACCOUNT,
                        .mode = pick(2) ? MODE_LIVE : MODE_TEST,
                        .direction = inbound ? DIRECTION_INBOUND : DIRECTION_OUTBOUND,
                        .status = inbound ? STATUS_RECEIVED : STATUS_QUEUED,
                        .kind = pick(4) ? KIND_SMS : KIND_MMS,
                        .type = (enum message_type)(1 + pick(TYPE_PROMOTIONAL)),
                        .from = str_of(history_senders[pick(4)]),
                        .to = STR("+15551234567"),
                        .text = STR("x"),
                        .encoding = ENCODING_GSM7,
                        .segments = 1 + pick(4),
                        .number_type = (enum number_type)(1 + pick(NUMBER_ALPHANUMERIC)),
                        .coverage = COVERAGE_HIGH,
                        .reason = REASON_SMART,
                        .currency = "USD"};

    snprintf(m.country, sizeof m.country, "%s",
             history_countries[pick((uint32_t)length_of(history_countries))]);
    if (!inbound) {
        m.tags = random_tags(tags);
        m.cost_micros = m.mode == MODE_LIVE ? 1 + pick(200000) : 0;
    }
    if (!inbound && pick(5) == 0) {
        m.status = STATUS_SCHEDULED;
        m.scheduled_us = test_now_us + 86400000000;
    }
    int failed = store_accept(s, &m);
    if (!inbound)
        open[open_count++] = (struct open){m.id, m.status};
    return failed;
}

static int accept_some(struct store *s, void *count)
{
    int failed = 0;

    for (size_t i = 0; i < *(size_t *)count && !failed; i++)
        failed = accept_one(s);
    return failed;
}

static enum message_status next_status(enum message_status now)
{
    uint32_t die = pick(10);

    switch (now) {
    case STATUS_SCHEDULED:
        return die < 7 ? STATUS_QUEUED : STATUS_CANCELLED;
    case STATUS_QUEUED:
        return die < 7 ? STATUS_SENT : die < 9 ? STATUS_FAILED : STATUS_CANCELLED;
    default:
        return die < 8 ? STATUS_DELIVERED : STATUS_FAILED;
    }
}

static int move_one(struct store *s, struct open *o)
{
    enum message_status to = next_status(o->status);
    struct message_move move = {
        .id = o->id, .from = status_bit(o->status), .to = to, .at_us = test_now_us};

    if (to == STATUS_FAILED)
        move.failure = (enum failure)(1 + pick(FAILURE_UNKNOWN));
    int moved = store_move(s, &move);
    assert_true(moved == 1);
    o->status = to;
    if (to == STATUS_DELIVERED || to == STATUS_FAILED || to == STATUS_CANCELLED)
        *o = open[--open_count];
    return 0;
}

static int move_some(struct store *s, void *count)
{
    for (size_t i = 0; i < *(size_t *)count && open_count; i++)
        move_one(s, &open[pick((uint32_t)open_count)]);
    return 0;
}

/* Mostly milliseconds and minutes, at times up to the very end of an hour or day, or days. */
static void let_time_pass(void)
{
    static const int64_t ends[] = {3600000000, 86400000000};
    int64_t end = ends[pick(2)];

    switch (pick(8)) {
    case 0:
        test_now_us = test_now_us / end * end + end - (pick(2) ? 1 : 0);
        break;
    case 1:
        test_now_us += (int64_t)pick(3 * 86400) * 1000000;
        break;
    case 2:
    case 3:
        test_now_us += (int64_t)pick(7200) * 1000000;
        break;
    default:
        test_now_us += pick(5000000);
    }
}

/* ---- what is there ---- */

static unsigned tag_bits(struct str tags)
{
    unsigned bits = 0;

    while (tags.n) {
        struct str tag = str_cut(&tags, '\n');
        for (unsigned i = 0; i < HISTORY_TAGS; i++)
            bits |= str_is(tag, history_tags[i]) ? 1u << i : 0;
    }
    return bits;
}

static void add_fact(const struct message *m)
{
    assert_true(fact_count < HISTORY_MAX);
    struct fact *f = &facts[fact_count++];

    *f = (struct fact){.account = m->account,
                       .mode = m->mode,
                       .outbound = m->direction == DIRECTION_OUTBOUND,
                       .status = m->status,
                       .kind = m->kind,
                       .type = m->type,
                       .number_type = m->number_type,
                       .tags = tag_bits(m->tags),
                       .segments = m->segments,
                       .cost_micros = message_cost_micros(m),
                       .created_us = m->created_us,
                       .delivery_ms = -1,
                       .failure = m->failure};
    memcpy(f->country, m->country, sizeof f->country);
    snprintf(f->from, sizeof f->from, "%.*s", STR_FMT(m->from));
    if (m->status == STATUS_DELIVERED)
        f->delivery_ms = (m->delivered_us - m->sent_us) / 1000;
}

static void read_owner(int64_t account, enum mode mode)
{
    struct message_filter all = {0};
    struct message_page page;
    int64_t cursor = 0;
    struct arena arena;

    arena_init(&arena, 16 << 20);
    do {
        arena_reset(&arena);
        assert_int_equal(store_message_page(test_worker->reader, account, mode, &all, cursor, 500,
                                            &arena, &page),
                         0);
        for (size_t i = 0; i < page.count; i++)
            add_fact(&page.messages[i]);
    } while ((cursor = page.next));
    arena_done(&arena);
}

static void read_facts(void)
{
    fact_count = 0;
    for (int64_t account = FIRST_ACCOUNT; account <= OTHER_ACCOUNT; account++) {
        read_owner(account, MODE_TEST);
        read_owner(account, MODE_LIVE);
    }
}

/* ---- */

void history_begin(uint64_t *seed, const char *time)
{
    int64_t us;

    chance = seed;
    open_count = fact_count = call_count = 0;
    assert_true(rfc3339_parse(str_of(time), &us));
    test_now_us = us;
    for (size_t i = 0; i < HISTORY_KEYS; i++)
        test_add_key(history_keys[i], i % 2 ? MODE_LIVE : MODE_TEST, i >= 2, 0, "unlimited", 0);
}

void history_go_on(uint64_t *seed, size_t messages)
{
    chance = seed;
    while (messages) {
        size_t now = 1 + pick(8), moves = pick(20);
        if (now > messages)
            now = messages;
        let_time_pass();
        test_write(accept_some, &now);
        let_time_pass();
        test_write(move_some, &moves);
        messages -= now;
    }
    read_facts();
}

void history_write_calls(const int64_t made[HISTORY_KEYS])
{
    test_write_usage();
    for (size_t i = 0; i < HISTORY_KEYS; i++) {
        assert_true(call_count < sizeof calls / sizeof *calls);
        calls[call_count++] = (struct calls){i, test_now_us, made[i]};
    }
}
