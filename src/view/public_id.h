/* Ids as clients see them: a prefix that names the kind, and a number run through the store's
 * cipher (store_cipher). */
#pragma once

#include "base/id.h"
#include "json/write.h"

enum { PUBLIC_ID_SIZE = 4 + ID_DIGITS }; /* all prefixes have four characters: "msg_" */
#define MESSAGE_ID_PREFIX  "msg_"
#define BATCH_ID_PREFIX    "bat_"
#define KEY_ID_PREFIX      "key_"
#define OPT_OUT_ID_PREFIX  "opt_"
#define ENDPOINT_ID_PREFIX "whk_"
#define DELIVERY_ID_PREFIX "dlv_"
#define NOTICE_ID_PREFIX   "evt_"

void public_id_format(const struct id_cipher *ids, const char *prefix, int64_t id,
                      char out[PUBLIC_ID_SIZE]);
/* False when it is not the form of any id; true says nothing about existence. */
bool public_id_parse(const struct id_cipher *ids, const char *prefix, struct str text,
                     int64_t *ret);
void public_id_put(struct json_writer *w, const struct id_cipher *ids, const char *prefix,
                   int64_t id);
