/* A message as clients see it. */
#pragma once

#include "store/store.h"
#include "json/write.h"

void message_put(struct json_writer *w, const struct id_cipher *ids, const struct message *m);
/* Members of it, with their names. */
void routing_put(struct json_writer *w, const struct message *m);
void cost_put(struct json_writer *w, const struct message *m);
/* Where the files of one of ours are; nothing when it has none. */
void media_put(struct json_writer *w, const struct message *m);
