/* The query that all analytics have: which time, in which pieces, and which messages. */
#include "api/analytics.h"
#include "messaging/words.h"

static bool read_start(struct call *c, struct str value, void *out, struct problem *p)
{
    ((struct analytics_query *)out)->range_text.start_date = value;
    return true;
}

static bool read_end(struct call *c, struct str value, void *out, struct problem *p)
{
    ((struct analytics_query *)out)->range_text.end_date = value;
    return true;
}

static bool read_period(struct call *c, struct str value, void *out, struct problem *p)
{
    ((struct analytics_query *)out)->range_text.period = value;
    return true;
}

static bool read_interval(struct call *c, struct str value, void *out, struct problem *p)
{
    ((struct analytics_query *)out)->range_text.interval = value;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool read_country(struct call *c, struct str value, void *out, struct problem *p)
{
    struct rollup_query *r = &((struct analytics_query *)out)->rollups;

    if (value.n != 2 || !is_letter(value.p[0]) || !is_letter(value.p[1]))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "country",
                           "country must be the two letters of a country, for example US or GB.");
    for (size_t i = 0; i < 2; i++)
        r->country[i] = (char)(value.p[i] & ~0x20); /* in capitals */
    return true;
}

static bool read_type(struct call *c, struct str value, void *out, struct problem *p)
{
    enum message_type type;

    if (!message_type_from_word(value, &type))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "messageType",
                           "messageType must be transactional, marketing, otp, alert or "
                           "promotional.");
    ((struct analytics_query *)out)->rollups.types = UINT32_C(1) << type;
    return true;
}

static bool read_tag(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_tag(value, &((struct analytics_query *)out)->rollups.tag, p);
}

static bool read_from(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_sender(c, value, &((struct analytics_query *)out)->rollups.sender, p);
}

static const struct query_field fields[] = {
    {"startDate", read_start},   {"endDate", read_end},     {"period", read_period},
    {"interval", read_interval}, {"country", read_country}, {"messageType", read_type},
    {"tag", read_tag},           {"from", read_from},
};

bool analytics_query_read(struct call *c, struct analytics_query *q, struct problem *p)
{
    struct rollup_query *r = &q->rollups;

    *q = (struct analytics_query){0};
    if (!query_read(c, fields, sizeof fields / sizeof *fields, q, p) ||
        !time_range_read(&q->range_text, c->now_us, &q->range, p))
        return false;
    r->account = c->key->account;
    r->mode = c->key->mode;
    r->from_us = q->range.from_us;
    r->to_us = q->range.to_us;
    q->filtered = r->country[0] || r->types || r->tag.p || r->sender.p;
    return true;
}
