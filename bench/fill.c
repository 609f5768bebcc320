/* Fills a store with messages of the last 30 days, as the verbs write them: accepted, sent and
 * ended, in many series. Prints how long that took, as JSON.
 *
 *   fill FILE COUNT */
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY_US INT64_C(86400000000)

enum { DAYS = 30, BATCH = 8192 };

static int64_t now_us;

static int64_t tell_time(const struct clock *c)
{
    return now_us;
}

static const struct {
    const char *country, *prefix;
    unsigned calling_code;
    int64_t micros;
} places[] = {
    {"US", "+1212555", 1, 7500},   {"GB", "+4477009", 44, 45000}, {"DE", "+4915112", 49, 80000},
    {"FR", "+3361234", 33, 80000}, {"ES", "+3461234", 34, 80000}, {"IT", "+3932012", 39, 80000},
    {"NL", "+3161234", 31, 80000}, {"SE", "+4670123", 46, 80000}, {"IN", "+9198765", 91, 80000},
    {"BR", "+5511987", 55, 80000}, {"MX", "+5255123", 52, 80000}, {"AU", "+6141234", 61, 80000},
    {"JP", "+8190123", 81, 80000}, {"ZA", "+2782123", 27, 80000}, {"NG", "+2348031", 234, 80000},
    {"SG", "+6581234", 65, 80000},
};
static const char *const tags[] = {"", "spring", "login"};

enum { PLACES = sizeof places / sizeof *places, TAGS = sizeof tags / sizeof *tags };

static void make(struct message *m, uint64_t n, char to[16])
{
    unsigned place = (unsigned)(n * 7 % PLACES), segments = n % 11 == 0 ? 2 : 1;

    snprintf(to, 16, "%s%05u", places[place].prefix, (unsigned)(n % 100000));
    *m = (struct message){
        .account = FIRST_ACCOUNT,
        .mode = MODE_TEST,
        .direction = DIRECTION_OUTBOUND,
        .status = STATUS_QUEUED,
        .kind = KIND_SMS,
        .type = n % 5 == 0 ? TYPE_OTP : TYPE_TRANSACTIONAL,
        .from = STR("+18005551234"),
        .to = str_of(to),
        .text = STR("Your parcel has arrived and waits for you at the counter."),
        .encoding = ENCODING_GSM7,
        .segments = segments,
        .number_type = place ? NUMBER_LOCAL : NUMBER_TOLL_FREE,
        .coverage = COVERAGE_HIGH,
        .reason = REASON_SMART,
        .rate_limit = 60,
        .calling_code = places[place].calling_code,
        .cost_micros = places[place].micros * segments,
        .currency = "USD",
        .tags = str_of(tags[n / 3 % TAGS]),
    };
    snprintf(m->country, sizeof m->country, "%s", places[place].country);
}

static void check(int failed, struct store *s)
{
    if (failed >= 0)
        return;
    fprintf(stderr, "fill: %s\n", store_error(s));
    exit(1);
}

static void end(struct store *s, const struct message *m, uint64_t n)
{
    bool fails = n % 50 == 0;
    int64_t took_us = 400000 + (int64_t)(n * 2654435761 % 8000000);
    struct message_move sent = {.id = m->id,
                                .from = status_bit(STATUS_QUEUED),
                                .to = STATUS_SENT,
                                .at_us = m->created_us + 1000};
    struct message_move over = {.id = m->id,
                                .from = status_bit(STATUS_SENT),
                                .to = fails ? STATUS_FAILED : STATUS_DELIVERED,
                                .failure = fails ? FAILURE_UNREACHABLE : FAILURE_NONE,
                                .at_us = m->created_us + took_us};

    check(store_move(s, &sent), s);
    check(store_move(s, &over), s);
}

static void write_some(struct store *s, uint64_t first, uint64_t count, int64_t step_us)
{
    static struct message messages[BATCH];
    char to[16];

    check(store_begin(s), s);
    for (uint64_t i = 0; i < count; i++) {
        now_us += step_us;
        make(&messages[i], first + i, to);
        check(store_accept(s, &messages[i]), s);
    }
    for (uint64_t i = 0; i < count; i++)
        end(s, &messages[i], first + i);
    check(store_commit(s), s);
    while (store_housekeep(s, true))
        ;
    store_tidy(s);
}

int main(int argc, char **argv)
{
    static const struct clock clock = {tell_time};
    uint64_t count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    char why[STORE_WHY_SIZE];
    struct store *s;

    if (count == 0) {
        fprintf(stderr, "usage: fill FILE COUNT\n");
        return 2;
    }
    int64_t begin_us = clock_monotonic_us();
    now_us = clock_now_us(&clock_real) - DAYS * DAY_US;
    if (store_open_sqlite(&s, argv[1], &clock, why) < 0) {
        fprintf(stderr, "fill: %s\n", why);
        return 1;
    }
    int64_t step_us = DAYS * DAY_US / (int64_t)count;
    for (uint64_t n = 0; n < count; n += BATCH)
        write_some(s, n, count - n < BATCH ? count - n : BATCH, step_us);
    store_close(s);
    printf("{\"messages\":%" PRIu64 ",\"seconds\":%.1f}\n", count,
           (double)(clock_monotonic_us() - begin_us) / 1e6);
    return 0;
}
