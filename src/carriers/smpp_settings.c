#include "carriers/smpp_settings.h"

#include "carriers/section.h"
#include "carriers/smpp_carrier.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(SMPP_ID_AUTO == 0 && SMPP_ID_TEXT == 1 && SMPP_ID_HEX_ANSWER == 2 &&
                   SMPP_ID_HEX_RECEIPT == 3,
               "receipt_ids: the words of the configuration stand in the order of the enum");

SECTION_FUNCTIONS(config_carrier, CONFIG_CARRIER_ROWS)

bool smpp_settings_same(const struct smpp_settings *s, const struct config_carrier *config)
{
    return same_config(&s->config, config);
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
