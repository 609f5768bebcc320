/* Lines that are typed into the SMSC: "+15551234567 STOP" goes to whom the handset of that number
 * was last written by, "+15551234567 +18005551234 STOP" to that sender. */
#include "smsc_internal.h"

#include "base/utf8.h"
#include "carriers/smpp_submit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 8 << 10, HANDSETS = 4096 };

/* Who last wrote to a handset. */
struct handset {
    char number[PHONE_SIZE], sender[PHONE_SIZE];
    struct esme *esme;
};

struct smsc_typed {
    struct handset handsets[HANDSETS]; /* by a hash of the number; the newest stays */
    struct handset newest;
    struct buf line;
    struct smpp_submission parts; /* of the text that was typed last */
    uint16_t reference;
};

struct smsc_typed *smsc_typed_new(void)
{
    struct smsc_typed *t = calloc(1, sizeof *t);

    if (t)
        buf_init(&t->line, LINE_MAX_BYTES);
    return t;
}

void smsc_typed_free(struct smsc_typed *t)
{
    if (!t)
        return;
    buf_done(&t->line);
    smpp_submission_done(&t->parts);
    free(t);
}

static struct handset *place_of(struct smsc_typed *t, struct str number)
{
    uint32_t hash = 2166136261; /* FNV-1a */

    for (size_t i = 0; i < number.n; i++)
        hash = (hash ^ (unsigned char)number.p[i]) * 16777619;
    return &t->handsets[hash % HANDSETS];
}

void smsc_typed_note(struct smsc_typed *t, struct esme *e, const struct smsc_part *p)
{
    struct handset *h = place_of(t, (struct str){p->to, strlen(p->to)});

    memcpy(h->number, p->to, sizeof h->number);
    memcpy(h->sender, p->from, sizeof h->sender);
    h->esme = e;
    t->newest = *h;
}

/* ---- a line ---- */

/* A long text comes in parts, as it would from a handset. */
static void deliver_text(struct smsc *smsc, const struct handset *from, struct str text)
{
    static const struct smpp_manner manner = {.data_coding = -1,
                                              .number_ton = 1,
                                              .number_npi = 1,
                                              .recipient_ton = 1,
                                              .recipient_npi = 1};
    struct message m = {.from = str_of(from->number),
                        .to = str_of(from->sender),
                        .number_type = NUMBER_LOCAL,
                        .text = text};
    struct smpp_submission *parts = &smsc->typed->parts;

    if (!utf8_valid(text) || smpp_submit_make(parts, &manner, &m, ++smsc->typed->reference) < 0) {
        fputs("This text is not UTF-8, or too long.\n", stderr);
        return;
    }
    for (unsigned i = 0; i < parts->count; i++) {
        struct smpp_pdu *pdu = &parts->pdus[i];
        pdu->command = SMPP_DELIVER_SM;
        pdu->validity = pdu->tlvs = STR("");
        delivery_add(smsc, from->esme, pdu);
    }
}

static bool is_address(struct str word)
{
    return word.n > 1 && word.n < PHONE_SIZE && word.p[0] == '+';
}

/* Which handset writes to whom: false when nobody can be found. */
static bool find_way(struct smsc *smsc, struct str number, struct str *text, struct handset *ret)
{
    const struct handset *known = place_of(smsc->typed, number);
    struct str rest = *text, second = str_cut(&rest, ' ');

    *ret = str_is(number, known->number) ? *known : smsc->typed->newest;
    str_format(ret->number, sizeof ret->number, "%.*s", STR_FMT(number));
    if (is_address(second) && rest.n) {
        str_format(ret->sender, sizeof ret->sender, "%.*s", STR_FMT(second));
        *text = str_trim(rest);
    }
    if (!ret->esme)
        ret->esme = smsc->esmes;
    return ret->esme && ret->sender[0];
}

static void take_line(struct smsc *smsc, struct str line)
{
    struct str text = str_trim(line), number = str_cut(&text, ' ');
    struct handset from;

    if (number.n == 0)
        return;
    text = str_trim(text);
    if (!is_address(number) || text.n == 0)
        fputs("Write a number and a text, such as: +15551234567 STOP\n", stderr);
    else if (!find_way(smsc, number, &text, &from))
        fputs("Nobody has written to that handset yet; name the receiver, too: +15551234567 "
              "+18005551234 STOP\n",
              stderr);
    else
        deliver_text(smsc, &from, text);
}

/* ---- lines ---- */

bool smsc_typed_read(struct smsc *smsc)
{
    struct buf *line = &smsc->typed->line;
    char bytes[4096];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            buf_add_char(line, bytes[i]);
            continue;
        }
        if (line->failed)
            fputs("This line is too long.\n", stderr);
        else
            take_line(smsc, buf_str(line));
        buf_clear(line);
    }
    return n > 0;
}
