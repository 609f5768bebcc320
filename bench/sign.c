/* How many webhooks one core signs in a second: both headers, over a body of 900 bytes. Counts the
 * core's own time, so that others who run beside it do not matter. Prints JSON.
 *
 *   sign [seconds] */
#include "view/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Bodies and secrets of many endpoints, in turn. */
enum { HOOKS = 256, BODY_SIZE = 900, ROUND = 20 * HOOKS };

static struct hook {
    char secret[SECRET_SIZE + 1], id[16], body[BODY_SIZE];
    struct signing signing;
} hooks[HOOKS];

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void hook_make(struct hook *h, unsigned i)
{
    secret_make(h->secret);
    snprintf(h->id, sizeof h->id, "evt_%011u", i);
    memset(h->body, 'a' + (int)(i % 26), sizeof h->body);
    h->signing = (struct signing){
        .secret = str_of(h->secret),
        .id = str_of(h->id),
        .timestamp_s = 1795000000 + i,
        .body = {h->body, sizeof h->body},
    };
}

/* What a round comes to, so that none of it can be left out. */
static uint64_t round_of(struct buf *out, bool of_body, bool standard)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ROUND; i++) {
        const struct hook *h = &hooks[i % HOOKS];

        buf_clear(out);
        if (of_body)
            signature_of_body(&h->signing, out);
        if (standard)
            signature_standard(&h->signing, out);
        if (out->failed)
            abort();
        sum += (unsigned char)out->p[out->n - 2];
    }
    return sum;
}

static double rate_of(bool of_body, bool standard, double seconds, uint64_t *sum)
{
    BUF_CLEANUP struct buf out;
    double begin, end;
    uint64_t count = 0;

    buf_init(&out, 1024);
    *sum += round_of(&out, of_body, standard); /* warm */
    begin = now_s();
    do {
        *sum += round_of(&out, of_body, standard);
        count += ROUND;
        end = now_s();
    } while (end - begin < seconds);
    return (double)count / (end - begin);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    uint64_t sum = 0;

    for (unsigned i = 0; i < HOOKS; i++)
        hook_make(&hooks[i], i);
    double bodies = rate_of(true, false, seconds, &sum);
    double standards = rate_of(false, true, seconds, &sum);
    double pairs = rate_of(true, true, seconds, &sum);
    printf("{\"bodies\":%.0f,\"standards\":%.0f,\"pairs\":%.0f,\"checksum\":%" PRIu64 "}\n", bodies,
           standards, pairs, sum);
    return 0;
}
