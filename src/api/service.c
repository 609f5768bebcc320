/* What the service says of itself: its description, its health, its error reference. No key. */
#include "api/call.h"

#include <stddef.h>

extern const unsigned char openapi_json[];
extern const size_t openapi_json_size;

void service_openapi(struct call *c)
{
    c->http->status = 200;
    c->http->static_body = (struct str){(const char *)openapi_json, openapi_json_size};
}

void service_errors_page(struct call *c)
{
    c->http->status = 200;
    c->http->content_type = "text/html; charset=utf-8";
    http_request_add_header(c->http, "Content-Security-Policy",
                            "default-src 'none'; style-src 'unsafe-inline'");
    c->http->static_body = buf_str(&c->api->errors_page);
}

static void put_status(struct json_writer *w, const char *status)
{
    json_begin_object(w);
    json_key(w, "status");
    json_put_string(w, str_of(status));
}

void service_livez(struct call *c)
{
    struct json_writer w = answer_json(c, 200);

    put_status(&w, "ok");
    json_end(&w);
}

void service_readyz(struct call *c)
{
    char why[STORE_WHY_SIZE];

    pthread_mutex_lock(&c->api->trouble_lock);
    memcpy(why, c->api->trouble, sizeof why);
    pthread_mutex_unlock(&c->api->trouble_lock);
    struct json_writer w = answer_json(c, why[0] ? 503 : 200);
    put_status(&w, why[0] ? "unavailable" : "ok");
    if (why[0]) {
        json_key(&w, "reason");
        json_put_string(&w, str_of(why));
        http_request_add_header(c->http, "Retry-After", "5");
    }
    json_end(&w);
}
