/* Everything that an MMSC's section says, checked and in memory of its own: the configuration that
 * it came from may go. Not changed once it is made; any thread may read it. */
#pragma once

#include "base/config.h"
#include "carriers/live_carrier.h"
#include "mm7/mm7.h"

struct mm7_settings {
    struct live_settings live;
    struct config_mmsc config;
    struct mm7_dialect dialect;
    struct media_profile media;
    char *authorization; /* the whole header; NULL: none */
};

/* -EINVAL: `why` names the section, the setting and the remedy; -ENOMEM. */
int mm7_settings_new(struct mm7_settings **ret, const struct config_mmsc *config, char *why,
                     size_t why_size);
void mm7_settings_free(struct mm7_settings *s);
/* Whether the section says the same. What lies in files that it names is not looked at. */
bool mm7_settings_same(const struct mm7_settings *s, const struct config_mmsc *config);
