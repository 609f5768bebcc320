/* Everything that one carrier's section says, checked and in memory of its own: the configuration
 * that it came from may go. Not changed once it is made. */
#pragma once

#include "carriers/live_carrier.h"
#include "carriers/smpp_manner.h"
#include "net/tls_client.h"
#include "smpp/receipt.h"
#include "smpp/status.h"

struct smpp_settings {
    struct live_settings live;
    struct config_carrier config;
    struct smpp_manner manner;
    struct smpp_exceptions exceptions;
    enum smpp_id_form ids;
    bool receipts_by_content;
    uint8_t version;
    struct tls_client *tls; /* NULL: plain */
};

/* -EINVAL: `why` names the section, the setting and the remedy; -ENOMEM. */
int smpp_settings_new(struct smpp_settings **ret, const struct config_carrier *config, char *why,
                      size_t why_size);
void smpp_settings_free(struct smpp_settings *s);
/* Whether the section says the same. What lies in files that it names is not looked at. */
bool smpp_settings_same(const struct smpp_settings *s, const struct config_carrier *config);
