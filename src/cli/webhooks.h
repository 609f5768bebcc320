/* What the commands of `skylark webhooks` share. */
#pragma once

#include "cli/client.h"

enum { WEBHOOK_PATH_SIZE = 384 };

/* "/v1/webhooks/ID" of the first argument, and what follows it; false after telling that it is no
 * id. */
bool webhook_path(const struct invocation *in, const char *tail, char out[WEBHOOK_PATH_SIZE]);

/* ---- as the API shows them, on stdout (webhook_print.c) ---- */
void webhook_print(const struct json_node *webhook, enum output_format format);
void webhook_print_list(const struct json_node *answer, enum output_format format);
/* The answer to a new secret. */
void webhook_print_secret(const struct json_node *answer, enum output_format format);
void event_type_print_list(const struct json_node *answer, enum output_format format);
void redelivery_print(const struct json_node *answer, enum output_format format);
void event_print_list(const struct json_node *answer, enum output_format format);

/* ---- deliveries (delivery_print.c) ---- */
void delivery_print(const struct json_node *delivery, enum output_format format);
void delivery_print_list(const struct json_node *answer, enum output_format format);
/* With what went over the wire: the request, each try and its answer. */
void delivery_print_whole(const struct json_node *delivery, enum output_format format);
