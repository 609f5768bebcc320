/* What the service says of itself: its description, its health, its pages for people. No key. */
#include "api/call.h"

#include <stddef.h>

extern const unsigned char openapi_json[];
extern const size_t openapi_json_size;
extern const unsigned char reference_html[];
extern const size_t reference_html_size;

void service_openapi(struct call *c)
{
    c->http->status = 200;
    c->http->static_body = (struct str){(const char *)openapi_json, openapi_json_size};
}

/* The pages run nothing and load nothing. */
static void answer_page(struct call *c, struct str html)
{
    c->http->status = 200;
    c->http->content_type = "text/html; charset=utf-8";
    http_request_add_header(c->http, "Content-Security-Policy",
                            "default-src 'none'; style-src 'unsafe-inline'");
    c->http->static_body = html;
}

void service_docs(struct call *c)
{
    answer_page(c, (struct str){(const char *)reference_html, reference_html_size});
}

void service_errors_page(struct call *c)
{
    answer_page(c, buf_str(&c->api->errors_page));
}

static void put_status(struct json_writer *w, const char *status)
{
    json_begin_object(w);
    json_member_text(w, "status", str_of(status));
}

void service_livez(struct call *c)
{
    struct json_writer w = answer_json(c, 200);

    put_status(&w, "ok");
    json_end(&w);
}

/* Why the service takes no calls, or "", and after how many seconds to look again. */
static const char *unready(struct api *a, char why[STORE_WHY_SIZE], const char **ret_retry_after)
{
    *ret_retry_after = "5";
    if (atomic_load_explicit(&a->maintenance, memory_order_relaxed)) {
        *ret_retry_after = "60";
        return "maintenance";
    }
    pthread_mutex_lock(&a->trouble_lock);
    memcpy(why, a->trouble, STORE_WHY_SIZE);
    pthread_mutex_unlock(&a->trouble_lock);
    return why;
}

void service_readyz(struct call *c)
{
    char room[STORE_WHY_SIZE];
    const char *retry_after, *why = unready(c->api, room, &retry_after);
    struct json_writer w = answer_json(c, why[0] ? 503 : 200);

    put_status(&w, why[0] ? "unavailable" : "ok");
    if (why[0]) {
        json_key(&w, "reason");
        json_put_string(&w, str_of(why));
        http_request_add_header(c->http, "Retry-After", retry_after);
    }
    json_end(&w);
}
