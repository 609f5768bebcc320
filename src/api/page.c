/* Pages of lists: how one is asked for, and what stands around it. */
#include "api/call.h"

bool page_read_limit(struct call *c, struct str value, void *out, struct problem *p)
{
    struct page_query *q = out;
    uint64_t limit;

    if (!str_to_u64(value, &limit) || limit < 1 || limit > PAGE_LIMIT_MAX)
        return problem_set(p, PROBLEM_INVALID_LIMIT, "limit",
                           "limit must be a whole number from 1 to 100.");
    q->limit = limit;
    return true;
}

bool page_cursor_problem(struct problem *p)
{
    return problem_set(p, PROBLEM_INVALID_CURSOR, "cursor",
                       "The cursor leads to no place in this list; pass nextCursor or "
                       "previousCursor of an earlier page unchanged.");
}

bool page_read_cursor(struct call *c, struct str value, const char *prefix, int64_t *ret,
                      struct problem *p)
{
    return public_id_parse(api_ids(c->api), prefix, value, ret) || page_cursor_problem(p);
}

static void put_cursor(struct json_writer *w, struct call *c, const char *key, const char *prefix,
                       int64_t id)
{
    json_key(w, key);
    if (id)
        public_id_put(w, api_ids(c->api), prefix, id);
    else
        json_put_null(w);
}

void page_put(struct json_writer *w, struct call *c, const char *prefix, int64_t next,
              int64_t previous, int64_t total)
{
    json_key(w, "pagination");
    json_begin_object(w);
    json_member_bool(w, "hasMore", next != 0);
    put_cursor(w, c, "nextCursor", prefix, next);
    put_cursor(w, c, "previousCursor", prefix, previous);
    if (total != PAGE_NO_TOTAL)
        json_member_i64(w, "totalCount", total);
    json_end(w);
}
