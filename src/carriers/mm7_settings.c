#include "carriers/mm7_settings.h"

#include "base/base64.h"
#include "carriers/mm7_carrier.h"
#include "carriers/section.h"
#include "messaging/https_url.h"
#include "net/tls_trust.h"

#include <errno.h>
#include <stdio.h>

SECTION_FUNCTIONS(config_mmsc, CONFIG_MMSC_ROWS)

bool mm7_settings_same(const struct mm7_settings *s, const struct config_mmsc *config)
{
    return same_config(&s->config, config);
}

/* ---- whether it can be meant so ---- */

/* Or it would end the header that it goes into. */
static bool fits_header(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

static const char *credentials_fault(const struct config_mmsc *c)
{
    if (c->token[0] && (c->username[0] || c->password[0]))
        return "token goes without username and password: leave out one or the other";
    if (c->password[0] && !c->username[0])
        return "password needs a username";
    if (strchr(c->username, ':'))
        return "username must not have a ':' in it";
    if (!fits_header(c->username) || !fits_header(c->password) || !fits_header(c->token))
        return "username, password and token must be free of control characters";
    return NULL;
}

static bool check(const struct config_mmsc *c, char *why, size_t why_size)
{
    const char *fault = http_url_fault(str_of(c->url));

    if (fault)
        str_format(why, why_size, "url %s", fault);
    else if ((fault = credentials_fault(c)))
        str_format(why, why_size, "%s", fault);
    return !fault;
}

static bool check_trust(const struct config_mmsc *c, char *why, size_t why_size)
{
    char tls_why[TLS_WHY_SIZE] = "memory is short";
    struct tls_trust *trust;

    if (!c->tls_ca[0])
        return true;
    if (tls_trust_new(&trust, c->tls_ca, tls_why) == 0) {
        tls_trust_free(trust);
        return true;
    }
    str_format(why, why_size, "tls_ca: %s", tls_why);
    return false;
}

/* ---- what it means ---- */

static int make_basic(struct mm7_settings *s)
{
    char *both, *coded;
    int n = asprintf(&both, "%s:%s", s->config.username, s->config.password);

    if (n < 0)
        return -ENOMEM;
    coded = malloc(BASE64_SIZE((size_t)n));
    if (coded)
        base64_encode(both, (size_t)n, coded);
    bool made = coded && asprintf(&s->authorization, "Authorization: Basic %.*s",
                                  (int)BASE64_SIZE((size_t)n), coded) >= 0;
    free(both);
    free(coded);
    return made ? 0 : -ENOMEM;
}

static int make_authorization(struct mm7_settings *s)
{
    if (s->config.username[0])
        return make_basic(s);
    if (s->config.token[0] &&
        asprintf(&s->authorization, "Authorization: Bearer %s", s->config.token) < 0)
        return -ENOMEM;
    return 0;
}

static int understand(struct mm7_settings *s)
{
    const struct config_mmsc *c = &s->config;

    s->dialect = (struct mm7_dialect){str_of(c->namespace), str_of(c->version)};
    s->media = (struct media_profile){
        .need = MEDIA_FIRST, .kinds = c->media_types, .size_max = c->max_size};
    return make_authorization(s);
}

static int make(struct mm7_settings *s, const struct config_mmsc *config, char *why,
                size_t why_size)
{
    char reason[TLS_WHY_SIZE + 16] = "";

    s->live.kind = &mm7_carrier_kind;
    s->config = *config;
    if (!copy_config(&s->config))
        return -ENOMEM;
    if (check(&s->config, reason, sizeof reason) && check_trust(&s->config, reason, sizeof reason))
        return understand(s);
    str_format(why, why_size, "[mmsc %s] %s", config->name, reason);
    return -EINVAL;
}

int mm7_settings_new(struct mm7_settings **ret, const struct config_mmsc *config, char *why,
                     size_t why_size)
{
    struct mm7_settings *s = calloc(1, sizeof *s);

    if (!s)
        return -ENOMEM;
    int failed = make(s, config, why, why_size);
    if (failed)
        mm7_settings_free(s);
    else
        *ret = s;
    return failed;
}

void mm7_settings_free(struct mm7_settings *s)
{
    if (!s)
        return;
    free(s->authorization);
    free_config(&s->config);
    free(s);
}
