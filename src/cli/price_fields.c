/* The fields of one line of a file of prices. */
#include "cli/price_file_internal.h"

#include "base/amount.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "messaging/price.h"

/* "%.*s" of what is wrong: cut short, and nothing that a terminal would obey. */
#define SHOWN(text) STR_FMT(utf8_shown(text, 40))

static struct str field(const struct price_reading *r, enum price_column column)
{
    int at = r->places[column];

    return at < 0 || (size_t)at >= r->record.count ? STR("") : str_trim(r->record.fields[at]);
}

/* ---- each of these is false after naming the fault ---- */

/* A comma in a price that is not quoted, or not meant as a separator, must not cut the price. */
static bool check_width(struct price_reading *r)
{
    for (size_t i = r->width; i < r->record.count; i++)
        if (str_trim(r->record.fields[i]).n) {
            price_fault(r, r->record.line, "the line has %zu fields, and there are %zu columns",
                        r->record.count, r->width);
            return false;
        }
    return true;
}

static bool read_prefix(struct price_reading *r, struct str text, struct price_record *p)
{
    struct str digits = text.p[0] == '+' ? str_skip(text, 1) : text;
    bool good = digits.n > 0 && digits.n <= PREFIX_MAX && digits.p[0] != '0';

    if (str_is(text, "*"))
        return true;
    for (size_t i = 0; i < digits.n; i++)
        good = good && digits.p[i] >= '0' && digits.p[i] <= '9';
    if (good)
        memcpy(p->prefix, digits.p, digits.n);
    else
        price_fault(
            r, r->record.line,
            "'%.*s' is no prefix; write a calling code and what follows it, such as 44 or +1416, "
            "or * for all others",
            SHOWN(text));
    return good;
}

static bool read_country(struct price_reading *r, struct str text, struct price_record *p)
{
    if (text.n == 2)
        for (size_t i = 0; i < 2; i++)
            p->country[i] = (char)(text.p[i] >= 'a' ? text.p[i] - 'a' + 'A' : text.p[i]);
    if (price_country(p->country) >= 0 && number_calling_code(p->country))
        return true;
    price_fault(r, r->record.line,
                "'%.*s' is no country; write two letters of ISO 3166, such as %s", SHOWN(text),
                str_eq_nocase(text, STR("uk")) ? "GB" : "US");
    return false;
}

static bool read_destination(struct price_reading *r, struct price_record *p)
{
    struct str prefix = field(r, PREFIX), country = field(r, COUNTRY);

    if (prefix.n && country.n) {
        price_fault(r, r->record.line,
                    "the line has a prefix and a country; leave one of them empty");
        return false;
    }
    if (prefix.n)
        return read_prefix(r, prefix, p);
    if (country.n)
        return read_country(r, country, p);
    price_fault(r, r->record.line,
                "the line names no prefix and no country; * is the prefix for all "
                "others");
    return false;
}

/* Where a comma does not separate fields it may be the decimal one. */
static struct str with_point(const struct price_reading *r, struct str text, char out[AMOUNT_SIZE])
{
    const char *comma = memchr(text.p, ',', text.n);

    if (!comma || r->csv.separator == ',' || text.n > AMOUNT_SIZE)
        return text;
    memcpy(out, text.p, text.n);
    out[comma - text.p] = '.';
    return (struct str){out, text.n};
}

static bool read_price(struct price_reading *r, struct price_record *p)
{
    struct str text = field(r, PRICE);
    char room[AMOUNT_SIZE];

    if (text.n == 0)
        price_fault(r, r->record.line, "the line has no price");
    else if (!amount_parse(with_point(r, text, room), &p->micros) || p->micros < 0)
        price_fault(r, r->record.line,
                    "'%.*s' is no price; write US dollars such as 0.0075, with at most 6 decimals",
                    SHOWN(text));
    else if (p->micros > PRICE_MICROS_MAX)
        price_fault(r, r->record.line, "the price %.*s is beyond 1000 dollars", SHOWN(text));
    else
        return true;
    return false;
}

static bool read_currency(struct price_reading *r)
{
    struct str text = field(r, CURRENCY);

    if (text.n == 0 || str_eq_nocase(text, STR("usd")))
        return true;
    price_fault(r, r->record.line, "the currency is '%.*s'; prices are in USD", SHOWN(text));
    return false;
}

static bool read_valid_from(struct price_reading *r, struct price_record *p)
{
    struct str text = field(r, VALID_FROM);
    char time[] = "0000-00-00T00:00:00Z";
    const size_t date = sizeof "0000-00-00" - 1;

    if (text.n == 0 || rfc3339_parse(text, &p->from_us))
        return true;
    if (text.n == date) {
        memcpy(time, text.p, date);
        if (rfc3339_parse(str_of(time), &p->from_us))
            return true;
    }
    price_fault(r, r->record.line,
                "'%.*s' is no time; write a date such as 2027-01-31, or 2027-01-31T08:00:00Z",
                SHOWN(text));
    return false;
}

static bool read_type(struct price_reading *r, struct price_record *p)
{
    struct str text = field(r, TYPE);

    p->kind = str_eq_nocase(text, STR("mms")) ? KIND_MMS : KIND_SMS;
    if (text.n == 0 || str_eq_nocase(text, STR("mms")) || str_eq_nocase(text, STR("sms")))
        return true;
    price_fault(r, r->record.line, "the type is '%.*s'; there are sms and mms", SHOWN(text));
    return false;
}

bool price_fields_read(struct price_reading *r, struct price_record *ret)
{
    if (!check_width(r))
        return false;
    bool good = read_destination(r, ret);
    good &= read_price(r, ret);
    good &= read_currency(r);
    good &= read_valid_from(r, ret);
    good &= read_type(r, ret);
    return good;
}
