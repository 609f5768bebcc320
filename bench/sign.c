/* How many webhooks one core signs in a second: both headers, over a body of 900 bytes.
 * Prints JSON.
 *
 *   sign [seconds] */
#include "rate.h"
#include "view/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Bodies and secrets of many endpoints, in turn. */
enum { HOOKS = 256, BODY_SIZE = 900, ROUND = 20 * HOOKS };

static struct hook {
    char secret[SECRET_SIZE + 1], id[16], body[BODY_SIZE];
    struct signing signing;
} hooks[HOOKS];

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

static uint64_t body_round(struct buf *out)
{
    return round_of(out, true, false);
}

static uint64_t standard_round(struct buf *out)
{
    return round_of(out, false, true);
}

static uint64_t both_round(struct buf *out)
{
    return round_of(out, true, true);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    uint64_t sum = 0;

    for (unsigned i = 0; i < HOOKS; i++)
        hook_make(&hooks[i], i);
    double bodies = rate_of(body_round, ROUND, seconds, &sum);
    double standards = rate_of(standard_round, ROUND, seconds, &sum);
    double pairs = rate_of(both_round, ROUND, seconds, &sum);
    printf("{\"bodies\":%.0f,\"standards\":%.0f,\"pairs\":%.0f,\"checksum\":%" PRIu64 "}\n", bodies,
           standards, pairs, sum);
    return 0;
}
