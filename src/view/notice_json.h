/* A notice as clients see it, which is the body of a webhook and the data of the event stream:
 *   {id, type, timestamp, apiVersion, livemode, sequence, data}
 * The same notice always gives the same bytes: signatures are made over them, and the log of
 * deliveries shows them again. */
#pragma once

#include "messaging/notice.h"
#include "json/write.h"

/* `m` is the message as it was at the notice (store_message_at). */
void notice_put(struct json_writer *w, const struct id_cipher *ids, const struct notice_record *n,
                const struct message *m);
/* The notice of a delivery of NOTICE_TEST: its data names the endpoint. */
void notice_put_test(struct json_writer *w, const struct id_cipher *ids,
                     const struct delivery_record *d);
