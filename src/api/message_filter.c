/* The query of GET /v1/messages: a page, and which messages it is made of. */
#include "api/call.h"
#include "messaging/number.h"
#include "messaging/words.h"

static struct message_filter *filter_of(void *out)
{
    return &((struct message_query *)out)->filter;
}

static bool wrong(struct problem *p, const char *field, const char *message)
{
    return problem_set(p, PROBLEM_INVALID_PARAMETER, field, message);
}

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    return page_read_cursor(c, value, MESSAGE_ID_PREFIX, &((struct page_query *)out)->cursor, p);
}

static bool add_status(struct str word, uint32_t *statuses)
{
    for (int i = 1; i < STATUS_SLOTS; i++)
        if (str_is(word, status_word((enum message_status)i))) {
            *statuses |= status_bit((enum message_status)i);
            return true;
        }
    return false;
}

static bool read_status(struct call *c, struct str value, void *out, struct problem *p)
{
    struct message_filter *f = filter_of(out);

    do {
        if (!add_status(str_cut(&value, ','), &f->statuses))
            return wrong(p, "status",
                         "status must be one or several of scheduled, queued, sent, delivered, "
                         "failed, cancelled, received, separated by commas.");
    } while (value.p);
    return true;
}

static bool read_to(struct call *c, struct str value, void *out, struct problem *p)
{
    filter_of(out)->to = query_number(c, value);
    return number_valid(filter_of(out)->to) ||
           wrong(p, "to", "to must be a number in international format; write its + as %2B.");
}

static bool read_from(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_sender(c, value, &filter_of(out)->from, p);
}

static bool read_direction(struct call *c, struct str value, void *out, struct problem *p)
{
    enum direction *direction = &filter_of(out)->direction;

    if (str_is(value, direction_word(DIRECTION_OUTBOUND)))
        *direction = DIRECTION_OUTBOUND;
    else if (str_is(value, direction_word(DIRECTION_INBOUND)))
        *direction = DIRECTION_INBOUND;
    else
        return wrong(p, "direction", "direction must be outbound or inbound.");
    return true;
}

static bool read_tag(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_tag(value, &filter_of(out)->tag, p);
}

static bool read_batch(struct call *c, struct str value, void *out, struct problem *p)
{
    return public_id_parse(api_ids(c->api), BATCH_ID_PREFIX, value, &filter_of(out)->batch) ||
           wrong(p, "batchId", "batchId is not the id of a batch (bat_…).");
}

static bool read_after(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_time(value, "createdAfter", &filter_of(out)->after_us, p);
}

static bool read_before(struct call *c, struct str value, void *out, struct problem *p)
{
    struct message_filter *f = filter_of(out);

    if (!query_time(value, "createdBefore", &f->before_us, p))
        return false;
    if (f->before_us == 0) /* 0 would stand for any time */
        f->before_us = 1;
    return true;
}

static const struct query_field fields[] = {
    {"limit", page_read_limit},
    {"cursor", read_cursor},
    {"status", read_status},
    {"to", read_to},
    {"from", read_from},
    {"direction", read_direction},
    {"tag", read_tag},
    {"batchId", read_batch},
    {"createdAfter", read_after},
    {"createdBefore", read_before},
};

bool message_query_read(struct call *c, struct message_query *q, struct problem *p)
{
    *q = (struct message_query){.page.limit = PAGE_LIMIT_DEFAULT};
    if (!query_read(c, fields, sizeof fields / sizeof *fields, q, p))
        return false;
    if (q->filter.before_us && q->filter.before_us <= q->filter.after_us)
        return problem_set(p, PROBLEM_INVALID_DATE_RANGE, "createdBefore",
                           "createdBefore must lie after createdAfter.");
    return true;
}
