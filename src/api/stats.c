/* GET /v1/stats/live: how the account's messages stand right now, as JSON or, for whom accepts
 * text/event-stream, once a second (stats_stream.c). */
#include "api/stats_stream.h"
#include "api/stream.h"

void stats_live_get(struct call *c)
{
    struct problem p = {0};

    if (!query_read(c, NULL, 0, NULL, &p)) {
        answer_problem(c, &p);
        return;
    }
    if (stream_wanted(c)) {
        stats_stream_begin(c);
        return;
    }
    answer_json(c, 200);
    int failed = stats_now(c, &c->http->out);
    if (failed)
        answer_store_trouble(c, failed);
}
