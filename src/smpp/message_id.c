#include "smpp/message_id.h"

#include <inttypes.h>
#include <stdio.h>

/* Printable, and cut to what is kept. */
static void copy_id(struct str id, struct smpp_id *ret)
{
    id = str_trim(id);
    size_t n = id.n < SMPP_ID_MAX ? id.n : SMPP_ID_MAX;
    for (size_t i = 0; i < n; i++)
        ret->text[i] = id.p[i] > ' ' && id.p[i] <= '~' ? id.p[i] : '?';
    ret->text[n] = '\0';
}

static void to_small_letters(char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

/* Only of what may be a number: an id like "00-17" is a name. */
static void strip_zeros(char *text)
{
    size_t n = strlen(text), zeros = strspn(text, "0");

    if (n == 0 || strspn(text, "0123456789abcdef") != n)
        return;
    if (zeros == n)
        zeros = n - 1;
    memmove(text, text + zeros, n - zeros + 1);
}

static void canonical(enum smpp_id_form form, struct str id, struct smpp_id *ret)
{
    copy_id(id, ret);
    if (form == SMPP_ID_TEXT)
        return;
    to_small_letters(ret->text);
    strip_zeros(ret->text);
}

void smpp_id_of_answer(enum smpp_id_form form, struct str id, struct smpp_id *ret)
{
    canonical(form, id, ret);
}

/* ---- the other base ---- */

static bool hex_number(struct str text, uint64_t *ret)
{
    uint64_t value = 0;

    if (text.n == 0 || text.n > 16)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        int digit = hex_value(text.p[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (unsigned)digit;
    }
    *ret = value;
    return true;
}

/* "40961" into "a001". */
static bool decimal_to_hex(const struct smpp_id *id, struct smpp_id *ret)
{
    uint64_t value;

    if (!str_to_u64(str_of(id->text), &value))
        return false;
    str_format(ret->text, sizeof ret->text, "%" PRIx64, value);
    return true;
}

static bool hex_to_decimal(const struct smpp_id *id, struct smpp_id *ret)
{
    uint64_t value;

    if (!hex_number(str_of(id->text), &value))
        return false;
    str_format(ret->text, sizeof ret->text, "%" PRIu64, value);
    return true;
}

/* ---- receipts ---- */

typedef bool (*id_way)(const struct smpp_id *id, struct smpp_id *ret);

static bool as_written(const struct smpp_id *id, struct smpp_id *ret)
{
    *ret = *id;
    return true;
}

/* Likeliest first. A carrier whose setting says otherwise may still have a part of its ids as they
 * are: what is no number, for one. */
static const id_way ways_of[][SMPP_ID_WAYS] = {
    [SMPP_ID_AUTO] = {as_written, decimal_to_hex, hex_to_decimal},
    [SMPP_ID_TEXT] = {as_written},
    [SMPP_ID_HEX_ANSWER] = {decimal_to_hex, as_written},
    [SMPP_ID_HEX_RECEIPT] = {hex_to_decimal, as_written},
};

static bool is_among(const struct smpp_id *id, const struct smpp_id *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(id->text, list[i].text) == 0)
            return true;
    return false;
}

size_t smpp_id_of_receipt(enum smpp_id_form form, struct str id, struct smpp_id ret[SMPP_ID_WAYS])
{
    struct smpp_id written;
    size_t count = 0;

    canonical(form, id, &written);
    for (size_t i = 0; written.text[0] && i < SMPP_ID_WAYS && ways_of[form][i]; i++)
        if (ways_of[form][i](&written, &ret[count]) && !is_among(&ret[count], ret, count))
            count++;
    return count;
}
