/* How many submit_sm with 100 characters of text one core encodes and decodes in a second.
 * Prints JSON.
 *
 *   smpp_codec [seconds] */
#include "rate.h"
#include "smpp/pdu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* As many as a busy window has, all different, so that nothing is guessed from the one before. */
enum { MESSAGES = 256, TEXT_SIZE = 100, ROUND = 40 * MESSAGES };

static struct message {
    char sender[12], recipient[16], text[TEXT_SIZE];
    struct smpp_pdu pdu;
    struct buf bytes;
} messages[MESSAGES];

/* Every third has a name as its sender, every fourth a validity. */
static void message_make(struct message *m, unsigned i)
{
    snprintf(m->sender, sizeof m->sender, i % 3 ? "4477%u" : "Name%u", 1000 + i);
    snprintf(m->recipient, sizeof m->recipient, "4477009%05u", i * 331);
    memset(m->text, 'a' + (int)(i % 26), sizeof m->text);
    m->pdu = (struct smpp_pdu){
        .command = SMPP_SUBMIT_SM,
        .sequence = i + 1,
        .source = {i % 3 ? 1 : 5, i % 3 ? 1 : 0, str_of(m->sender)},
        .destination = {1, 1, str_of(m->recipient)},
        .validity = i % 4 ? STR("") : STR("000000010000000R"),
        .registered_delivery = 1,
        .short_message = {m->text, sizeof m->text},
    };
    buf_init(&m->bytes, SMPP_PDU_MAX);
    if (smpp_encode(&m->pdu, &m->bytes) < 0)
        abort();
}

/* What a round comes to, so that none of it can be left out. */
static uint64_t encode_round(struct buf *out)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ROUND; i++) {
        buf_clear(out);
        if (smpp_encode(&messages[i % MESSAGES].pdu, out) < 0)
            abort();
        sum += out->n;
    }
    return sum;
}

static uint64_t decode_round(struct buf *out)
{
    struct smpp_pdu pdu;
    uint64_t sum = 0;

    for (unsigned i = 0; i < ROUND; i++) {
        if (smpp_decode(buf_str(&messages[i % MESSAGES].bytes), &pdu) < 0)
            abort();
        sum += pdu.short_message.n + pdu.destination.digits.n;
    }
    return sum;
}

static uint64_t both_round(struct buf *out)
{
    struct smpp_pdu pdu;
    uint64_t sum = 0;

    for (unsigned i = 0; i < ROUND; i++) {
        buf_clear(out);
        if (smpp_encode(&messages[i % MESSAGES].pdu, out) < 0 ||
            smpp_decode(buf_str(out), &pdu) < 0)
            abort();
        sum += pdu.short_message.n + pdu.destination.digits.n;
    }
    return sum;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    uint64_t sum = 0;

    for (unsigned i = 0; i < MESSAGES; i++)
        message_make(&messages[i], i);
    double encodes = rate_of(encode_round, ROUND, seconds, &sum);
    double decodes = rate_of(decode_round, ROUND, seconds, &sum);
    double pairs = rate_of(both_round, ROUND, seconds, &sum);
    printf("{\"encodes\":%.0f,\"decodes\":%.0f,\"pairs\":%.0f,\"checksum\":%" PRIu64 "}\n", encodes,
           decodes, pairs, sum);
    for (unsigned i = 0; i < MESSAGES; i++)
        buf_done(&messages[i].bytes);
    return 0;
}
