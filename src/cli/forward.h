/* Events that go on to a receiver on the way of `skylark webhooks listen`: the same bytes, headers
 * and signatures that a webhook has. */
#pragma once

#include "net/http_client.h"
#include "store/records.h"

struct forward {
    const char *url;
    struct str secret;
    bool (*stopped)(void *context); /* asked while the receiver is waited for */
    void *context;
};

/* What is wrong with an address to forward to, a sentence; NULL when all is well. */
const char *forward_url_fault(const char *url);

struct forward_event {
    enum notice_kind kind;
    struct str id;    /* "evt_…" */
    struct str body;  /* its JSON */
    unsigned attempt; /* from 1 */
};

struct forward_result {
    bool taken;      /* the answer was 2xx */
    unsigned status; /* 0 = no answer */
    int64_t duration_ms;
    char why[HTTP_REPLY_WHY]; /* when there was no answer */
};

void forward_send(const struct forward *f, const struct forward_event *e,
                  struct forward_result *ret);
