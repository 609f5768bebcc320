/* POST /v1/messages/batch and GET /v1/messages/batch/{batchId}: many messages in one request, each
 * accepted or refused for itself, all that are accepted in one transaction. */
#include "api/call.h"
#include "messaging/words.h"
#include "json/canon.h"
#include "json/scan.h"

#include "base/utf8.h"

#include <errno.h>

enum {
    BATCH_MAX = 1000,
    /* Of the request's memory, for what the writer adds, such as an answer that was kept: it could
     * not refuse this request alone. */
    WRITER_ROOM = 2 << 20
};

/* ---- the request ---- */

struct batch_body {
    struct str messages;
    bool has_messages;
};

static const struct json_field batch_fields[] = {
    JSON_FIELD(struct batch_body, messages, JSON_RAW_ARRAY, "messages", NULL),
};
static const struct body_table batch_table = {batch_fields, 1, 1, true};

struct batch_item {
    struct message message;
    struct problem problem; /* code PROBLEM_NONE: accepted */
};

/* A batch on its way to disk. */
struct batching {
    struct writing writing;
    struct batch_record batch;
    struct batch_item *items;
};

static bool check_count(size_t count, struct arena *a, struct problem *p)
{
    if (count == 0)
        return problem_set(p, PROBLEM_BATCH_EMPTY, "messages",
                           "The batch is empty; give 1 to 1000 messages.");
    return count <= BATCH_MAX ||
           problem_set(p, PROBLEM_BATCH_TOO_LARGE, "messages",
                       arena_printf(a, "%zu messages were given; at most %d are allowed.", count,
                                    BATCH_MAX));
}

static bool decode_item(const struct json_value *item, struct send_request *ret, struct arena *a,
                        struct problem *p)
{
    struct json_error error;

    if (item->type != JSON_TYPE_OBJECT)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "messages",
                           "Each item of 'messages' must be an object.");
    enum json_result result =
        json_decode(item->raw, send_table.fields, send_table.count, ret, a, &error);
    if (!body_judge(&send_table, result, &error, ret, a, p))
        return false;
    return !ret->dry_run ||
           problem_set(p, PROBLEM_INVALID_PARAMETER, "dryRun",
                       "dryRun is not possible in a batch; ask with POST /v1/send.");
}

/* Each item is judged for itself. */
static void read_item(struct batching *b, const struct send_context *context,
                      const struct json_value *value, struct batch_item *ret, struct siphash *print)
{
    struct arena *a = &b->writing.call.http->arena;
    struct send_request request = {0};
    bool decoded = decode_item(value, &request, a, &ret->problem);

    if (decoded)
        message_compose(&request, context, a, &ret->message, &ret->problem);
    if (!b->writing.has_once)
        return;
    if (decoded)
        once_print_body(&b->writing, print, &send_table, &request);
    else
        json_canon_hash(value->raw, store_secret(b->writing.call.api->options.store), a, print);
}

/* ---- on the writer's thread ---- */

static int apply_batch(struct writing *w, struct store *s)
{
    struct batching *b = (struct batching *)w;
    int r = store_batch_open(s, &b->batch);

    for (size_t i = 0; r == 0 && i < b->batch.total; i++) {
        struct batch_item *item = &b->items[i];
        if (item->problem.code != PROBLEM_NONE)
            continue;
        item->message.batch = b->batch.id;
        r = send_accept(s, &item->message, &w->call.http->arena, &item->problem);
        b->batch.accepted += item->problem.code == PROBLEM_NONE;
    }
    return r < 0 ? r : store_batch_close(s, &b->batch);
}

static void batch_written(struct writing *w)
{
    struct batching *b = (struct batching *)w;

    for (size_t i = 0; i < b->batch.total; i++)
        if (b->items[i].problem.code == PROBLEM_NONE)
            dispatch_offer(w->call.api->options.dispatch, &b->items[i].message);
}

/* ---- the answers ---- */

static void put_batch(struct json_writer *w, const struct api *a, const struct batch_record *b)
{
    json_key(w, "batchId");
    public_id_put(w, api_ids(a), BATCH_ID_PREFIX, b->id);
    json_member_i64(w, "total", b->total);
    json_member_i64(w, "accepted", b->accepted);
    json_member_i64(w, "rejected", b->total - b->accepted);
    json_member_time(w, "createdAt", b->created_us);
}

static void put_result(struct json_writer *w, const struct call *c, size_t index,
                       const struct batch_item *item)
{
    json_begin_object(w);
    json_member_i64(w, "index", (int64_t)index);
    if (item->problem.code != PROBLEM_NONE) {
        json_key(w, "error");
        problem_put(w, c, &item->problem);
    } else {
        json_key(w, "messageId");
        public_id_put(w, api_ids(c->api), MESSAGE_ID_PREFIX, item->message.id);
        json_key(w, "status");
        json_put_string(w, str_of(status_word(item->message.status)));
    }
    json_end(w);
}

static void render_batch(const struct writing *w, struct json_writer *out)
{
    const struct batching *b = (const struct batching *)w;

    json_begin_object(out);
    put_batch(out, w->call.api, &b->batch);
    json_key(out, "results");
    json_begin_array(out);
    for (size_t i = 0; i < b->batch.total; i++)
        put_result(out, &w->call, i, &b->items[i]);
    json_end(out);
    json_end(out);
}

static const struct writing_ops batch_ops = {
    .apply = apply_batch, .written = batch_written, .render = render_batch, .status = 201};

static bool read_batch(struct batching *b, struct call *c, struct str array, struct problem *p)
{
    struct send_context context = send_context_of(c);
    struct arena *a = &c->http->arena;
    struct json_value *values = arena_alloc(a, BATCH_MAX * sizeof *values);
    struct siphash print;
    size_t count;

    if (!values || json_scan_items(array, a, values, BATCH_MAX, &count) < 0)
        return body_too_many_values(p);
    if (!check_count(count, a, p) || !once_read(&b->writing, p))
        return false;
    b->items = arena_alloc(a, count * sizeof *b->items);
    if (!b->items)
        return body_too_many_values(p);
    b->batch = (struct batch_record){
        .account = b->writing.account, .mode = b->writing.mode, .total = (unsigned)count};
    once_print_begin(&b->writing, &print);
    for (size_t i = 0; i < count; i++)
        read_item(b, &context, &values[i], &b->items[i], &print);
    once_print_end(&b->writing, &print);
    return arena_spares(a, WRITER_ROOM) || body_too_many_values(p);
}

void batch_create(struct call *c)
{
    struct batch_body body = {0};
    struct problem p = {0};

    if (!body_decode(c, &batch_table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    struct batching *b = writing_new(c, sizeof *b);
    if (!b)
        return;
    if (read_batch(b, c, body.messages, &p))
        writing_start(&b->writing, &batch_ops, b->batch.total);
    else
        answer_problem(c, &p);
}

/* ---- how far it is ---- */

static void answer_progress(struct call *c, const struct batch_record *b,
                            const unsigned counts[STATUS_SLOTS])
{
    static const enum message_status shown[] = {STATUS_SCHEDULED, STATUS_QUEUED, STATUS_SENT,
                                                STATUS_DELIVERED, STATUS_FAILED, STATUS_CANCELLED};
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    put_batch(&w, c->api, b);
    json_key(&w, "counts");
    json_begin_object(&w);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        json_member_i64(&w, status_word(shown[i]), counts[shown[i]]);
    json_end(&w);
    json_member_bool(&w, "done",
                     counts[STATUS_SCHEDULED] + counts[STATUS_QUEUED] + counts[STATUS_SENT] == 0);
    json_end(&w);
}

void batch_get(struct call *c)
{
    unsigned counts[STATUS_SLOTS];
    struct batch_record b;
    int64_t id;

    int failed =
        public_id_parse(api_ids(c->api), BATCH_ID_PREFIX, c->parameter, &id)
            ? store_batch_get(c->worker->reader, c->key->account, c->key->mode, id, &b, counts)
            : -ENOENT;
    if (failed == -ENOENT) {
        struct str shown = utf8_shown(c->parameter, 40);
        answer_simple_problem(
            c, PROBLEM_BATCH_NOT_FOUND, NULL,
            arena_printf(&c->http->arena,
                         "There is no batch %.*s among those of this key's account and mode.",
                         STR_FMT(shown)));
    } else if (failed) {
        answer_store_trouble(c, failed);
    } else {
        answer_progress(c, &b, counts);
    }
}
