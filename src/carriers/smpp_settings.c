#include "carriers/smpp_settings.h"

#include "carriers/smpp_carrier.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(SMPP_ID_AUTO == 0 && SMPP_ID_TEXT == 1 && SMPP_ID_HEX_ANSWER == 2 &&
                   SMPP_ID_HEX_RECEIPT == 3,
               "receipt_ids: the words of the configuration stand in the order of the enum");

/* ---- by the table of settings: what each type takes to copy, free and compare ---- */

static bool copy_text(const char **text)
{
    *text = strdup(*text ? *text : "");
    return *text;
}

static void free_text(const char **text)
{
    free((char *)*text);
}

#define COPY_PATH(key)     whole &= copy_text(&c->key);
#define COPY_TEXT(key)     whole &= copy_text(&c->key);
#define COPY_SECRET(key)   whole &= copy_text(&c->key);
#define COPY_ADDRESS(key)  /* in the struct itself, as all of these */
#define COPY_INTEGER(key)  /* … */
#define COPY_DURATION(key) /* … */
#define COPY_WORD(key)     /* … */

#define FREE_PATH(key)     free_text(&c->key);
#define FREE_TEXT(key)     free_text(&c->key);
#define FREE_SECRET(key)   free_text(&c->key);
#define FREE_ADDRESS(key)  /* nothing to free, as for all of these */
#define FREE_INTEGER(key)  /* … */
#define FREE_DURATION(key) /* … */
#define FREE_WORD(key)     /* … */

#define SAME_PATH(key)     &&strcmp(a->key, b->key) == 0
#define SAME_TEXT(key)     &&strcmp(a->key, b->key) == 0
#define SAME_SECRET(key)   &&strcmp(a->key, b->key) == 0
#define SAME_ADDRESS(key)  &&strcmp(a->key.host, b->key.host) == 0 && a->key.port == b->key.port
#define SAME_INTEGER(key)  &&a->key == b->key
#define SAME_DURATION(key) &&a->key##_ms == b->key##_ms
#define SAME_WORD(key)     &&a->key == b->key

/* All texts are there afterwards, or NULL, so that they can be freed. */
static bool copy_config(struct config_carrier *c)
{
    bool whole = true;

    c->place = NULL; /* of the configuration, as the next two */
    c->texts = c->origins = NULL;
#define X(key, type, ...) COPY_##type(key)
    CONFIG_CARRIER_ROWS(X)
#undef X
    return whole;
}

static void free_config(struct config_carrier *c)
{
#define X(key, type, ...) FREE_##type(key)
    CONFIG_CARRIER_ROWS(X)
#undef X
}

bool smpp_settings_same(const struct smpp_settings *s, const struct config_carrier *b)
{
    const struct config_carrier *a = &s->config;

#define X(key, type, ...) SAME_##type(key)
    return strcmp(a->name, b->name) == 0 CONFIG_CARRIER_ROWS(X);
#undef X
}

/* ---- what it means ---- */

static bool read_tls(struct smpp_settings *s, char *why, size_t why_size)
{
    const struct config_carrier *c = &s->config;
    struct tls_client_options options = {
        .ca = c->tls_ca, .certificate = c->tls_certificate, .key = c->tls_key};
    char tls_why[TLS_WHY_SIZE] = "memory is short";

    if (!c->tls)
        return true;
    if (tls_client_new(&s->tls, &options, tls_why) == 0)
        return true;
    str_format(why, why_size, "%s", tls_why);
    return false;
}

static bool read_statuses(struct smpp_settings *s, char *why, size_t why_size)
{
    char reason[128] = "";

    if (smpp_exceptions_read(str_of(s->config.statuses), &s->exceptions, reason, sizeof reason))
        return true;
    str_format(why, why_size, "statuses: %s", reason);
    return false;
}

static bool understand(struct smpp_settings *s, char *why, size_t why_size)
{
    s->ids = (enum smpp_id_form)s->config.receipt_ids;
    s->receipts_by_content = s->config.receipts_by;
    s->version = smpp_manner_version(&s->config);
    return smpp_manner_read(&s->config, &s->manner, why, why_size) &&
           read_statuses(s, why, why_size) && read_tls(s, why, why_size);
}

int smpp_settings_new(struct smpp_settings **ret, const struct config_carrier *config, char *why,
                      size_t why_size)
{
    struct smpp_settings *s = calloc(1, sizeof *s);
    char reason[TLS_WHY_SIZE] = "";

    if (!s)
        return -ENOMEM;
    s->live.kind = &smpp_carrier_kind;
    s->config = *config;
    int failed = copy_config(&s->config) ? 0 : -ENOMEM;
    if (!failed && !understand(s, reason, sizeof reason)) {
        str_format(why, why_size, "[carrier %s] %s", config->name, reason);
        failed = -EINVAL;
    }
    if (failed) {
        smpp_settings_free(s);
        return failed;
    }
    *ret = s;
    return 0;
}

void smpp_settings_free(struct smpp_settings *s)
{
    if (!s)
        return;
    if (s->tls)
        tls_client_free(s->tls);
    free_config(&s->config);
    free(s);
}
