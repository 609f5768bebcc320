#include "messaging/receipt_job.h"

#include <stdlib.h>

static struct str copy(char **at, struct str text)
{
    struct str copied = {*at, text.n};

    if (text.n)
        memcpy(*at, text.p, text.n);
    *at += text.n;
    return copied;
}

struct receipt_job *receipt_job_new(const struct carrier_receipt *r, int64_t at_us)
{
    struct str reference = r->id_count ? r->ids[0] : STR("");
    size_t size = reference.n + r->source.n + r->destination.n + r->detail.n + r->raw.n;
    struct receipt_job *j = calloc(1, sizeof *j + size);

    if (!j)
        return NULL;
    char *at = (char *)(j + 1);
    j->holders = 1;
    j->carrier = r->carrier;
    j->word = r->word;
    j->failure = r->failure;
    j->at_us = at_us;
    j->reference = copy(&at, reference);
    j->source = copy(&at, r->source);
    j->destination = copy(&at, r->destination);
    j->detail = copy(&at, r->detail);
    j->raw = copy(&at, r->raw);
    return j;
}

void receipt_job_release(struct receipt_job *j)
{
    if (--j->holders == 0)
        free(j);
}
