/* What the files about webhooks share, inside api/ only. An endpoint of the store is a webhook of
 * the API, a notice its event. */
#pragma once

#include "api/call.h"
#include "messaging/notice.h"

/* ---- the one that the path names (webhooks.c) ---- */

enum webhook_use {
    WEBHOOK_READ,
    WEBHOOK_RESEND, /* what was to be delivered before */
    WEBHOOK_CHANGE, /* or anything else that its owner does */
};

/* The webhook that the path names, if the key may use it so; false otherwise, which is answered. */
bool webhook_of_call(struct call *c, enum webhook_use use, struct endpoint_record *ret);
/* The same on the writer's thread, where no change of it can come between: 0, with w->problem when
 * it may not; or the store's negative errno. */
int webhook_of_writing(struct writing *w, struct store *s, enum webhook_use use,
                       struct endpoint_record *ret);
/* How many deliveries of the call's mode wait. */
int webhook_pending(struct call *c, const struct endpoint_record *e, int64_t *ret);

/* ---- what clients say about one (webhook_body.c) ---- */

struct webhook_body {
    struct str url;
    struct str_list events;
    struct str mode, description, secret;
    bool enabled;
    bool has_url, has_events, has_mode, has_description, has_secret, has_enabled;
};

/* For POST, with the secret; for PATCH, with `enabled`. */
extern const struct body_table webhook_create_table, webhook_change_table;

/* Checks what is given and fills it into *e, but `enabled`. */
bool webhook_body_read(struct call *c, const struct webhook_body *body, struct endpoint_record *e,
                       struct problem *p);
/* Of the field "gracePeriodHours". */
bool webhook_check_grace(int64_t hours, struct problem *p);
/* Of the field "secret". */
bool webhook_check_secret(struct call *c, struct str secret, struct problem *p);

/* ---- as JSON (webhook_json.c) ---- */

/* Off, or resting after failures: nothing goes out by itself. */
bool webhook_is_paused(const struct endpoint_record *e, int64_t now_us);
void webhook_put(struct json_writer *w, const struct api *a, const struct endpoint_record *e,
                 int64_t pending, int64_t now_us);
/* The same inside an object that the caller begins and ends. */
void webhook_put_fields(struct json_writer *w, const struct api *a, const struct endpoint_record *e,
                        int64_t pending, int64_t now_us);
void webhook_put_id(struct json_writer *w, const struct api *a, const struct endpoint_record *e);

/* ---- deliveries (delivery.c, delivery_json.c) ---- */

struct delivery_view {
    const struct endpoint_record *endpoint;
    struct delivery_record record;
    struct str url; /* where it goes first */
    struct attempt_record *attempts;
    size_t attempt_count;
};

/* Reads what belongs to a delivery of an endpoint: 0, or the store's errno. */
int delivery_look(struct call *c, const struct endpoint_record *e, const struct delivery_record *d,
                  struct delivery_view *ret);
/* The delivery that the path names, of this endpoint and the key's mode; false when there is none,
 * which is answered. */
bool delivery_of_call(struct call *c, const struct endpoint_record *e, struct delivery_view *ret);
/* The body that it has, or 0 bytes when what it tells of is gone. The store's errno else. */
int delivery_body(struct call *c, const struct delivery_record *d, struct buf *out);

void delivery_put(struct json_writer *w, const struct api *a, const struct delivery_view *v,
                  int64_t now_us);
/* With the bytes of the request and all attempts. */
void delivery_put_whole(struct json_writer *w, struct call *c, const struct delivery_view *v,
                        struct str body);
