/* Messages as the SMSC shows them: texts decoded, parts joined. */
#include "smsc_internal.h"

#include "base/utf8.h"
#include "smpp/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    ESM_UDHI = 0x40,
    TON_INTERNATIONAL = 1,
    LOGGED_MAX = 32, /* bytes of a text in the log */
    JOINED_MAX = 256 /* messages that wait for parts at once */
};

/* ---- reading ---- */

static void read_address(const struct smpp_address *a, char out[PHONE_SIZE])
{
    bool plus = a->ton == TON_INTERNATIONAL && a->digits.n && a->digits.p[0] != '+';

    str_format(out, PHONE_SIZE, "%s%.*s", plus ? "+" : "", STR_FMT(a->digits));
}

static struct udh_parts sar_parts(const struct smpp_pdu *pdu)
{
    uint32_t reference, total, number;

    if (!smpp_tlv_number(pdu, SMPP_TAG_SAR_REFERENCE, &reference) ||
        !smpp_tlv_number(pdu, SMPP_TAG_SAR_TOTAL, &total) ||
        !smpp_tlv_number(pdu, SMPP_TAG_SAR_NUMBER, &number) || number < 1 || number > total ||
        total > 255)
        return (struct udh_parts){0};
    return (struct udh_parts){(uint16_t)reference, (uint8_t)total, (uint8_t)number};
}

void smsc_part_read(struct smsc *smsc, const struct smpp_pdu *pdu, struct smsc_part *ret)
{
    struct str octets = pdu->short_message;
    struct buf *text = &smsc->scratch;
    unsigned fill = 0;

    if (octets.n == 0)
        smpp_tlv_find(pdu, SMPP_TAG_MESSAGE_PAYLOAD, &octets);
    size_t all = octets.n;
    ret->parts = sar_parts(pdu);
    if (pdu->esm_class & ESM_UDHI && udh_take(&octets, &ret->parts))
        fill = udh_fill(all - octets.n);
    read_address(&pdu->source, ret->from);
    read_address(&pdu->destination, ret->to);
    int alphabet = smpp_text_alphabet(pdu->data_coding, SMPP_GSM);
    buf_clear(text);
    if (alphabet >= 0)
        smpp_text_decode((enum smpp_alphabet)alphabet, octets, fill, text);
    else
        buf_printf(text, "[%zu octets of data]", octets.n);
    for (size_t i = 0; i < text->n; i++) /* what a terminal would obey */
        if ((unsigned char)text->p[i] < ' ' || text->p[i] == 0x7f)
            text->p[i] = ' ';
    ret->text = buf_str(text);
}

void smsc_log(struct smsc *smsc, const struct smsc_part *p)
{
    struct str shown = utf8_shown(p->text, LOGGED_MAX);

    fprintf(smsc->log, "%" PRId64 " %s %.*s\n", smsc->now_us, p->to, STR_FMT(shown));
}

/* ---- joining ---- */

struct joined {
    char from[PHONE_SIZE], to[PHONE_SIZE];
    uint16_t reference;
    unsigned total, count;
    char **texts; /* by number; NULL: not there yet. The whole is NULL where a place is free */
};

struct smsc_join {
    struct joined messages[JOINED_MAX];
    unsigned next; /* place that is taken next, whoever is there */
};

struct smsc_join *smsc_join_new(void)
{
    return calloc(1, sizeof(struct smsc_join));
}

static void clear(struct joined *m)
{
    for (unsigned i = 0; m->texts && i < m->total; i++)
        free(m->texts[i]);
    free(m->texts);
    *m = (struct joined){.texts = NULL};
}

void smsc_join_free(struct smsc_join *j)
{
    for (size_t i = 0; j && i < JOINED_MAX; i++)
        clear(&j->messages[i]);
    free(j);
}

static void print_joined(struct joined *m)
{
    printf("%s → %s  ", m->from, m->to);
    for (unsigned i = 0; i < m->total; i++)
        fputs(m->texts[i] ? m->texts[i] : "[…]", stdout);
    printf("  (%u of %u parts)\n", m->count, m->total);
    clear(m);
}

static bool belongs(const struct joined *m, const struct smsc_part *p)
{
    return m->texts && m->reference == p->parts.reference && m->total == p->parts.total &&
           strcmp(m->from, p->from) == 0 && strcmp(m->to, p->to) == 0;
}

/* Its message, or a place for it. NULL: memory is short. */
static struct joined *find(struct smsc_join *j, const struct smsc_part *p)
{
    for (size_t i = 0; i < JOINED_MAX; i++)
        if (belongs(&j->messages[i], p))
            return &j->messages[i];
    struct joined *m = &j->messages[j->next++ % JOINED_MAX];
    if (m->texts)
        print_joined(m);
    *m = (struct joined){.reference = p->parts.reference,
                         .total = p->parts.total,
                         .texts = calloc(p->parts.total, sizeof *m->texts)};
    memcpy(m->from, p->from, sizeof m->from);
    memcpy(m->to, p->to, sizeof m->to);
    return m->texts ? m : NULL;
}

/* With a NUL behind it; NULL: memory is short. */
static char *text_of(struct str s)
{
    char *text = malloc(s.n + 1);

    if (!text)
        return NULL;
    if (s.n)
        memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    return text;
}

void smsc_join_take(struct smsc_join *j, const struct smsc_part *p)
{
    if (p->parts.total < 2) {
        printf("%s → %s  %.*s\n", p->from, p->to, STR_FMT(p->text));
        return;
    }
    struct joined *m = find(j, p);
    char **place = m ? &m->texts[p->parts.number - 1] : NULL;
    if (!place || *place)
        return;
    *place = text_of(p->text);
    m->count += *place != NULL;
    if (m->count == m->total)
        print_joined(m);
}
