#include "server_internal.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLANS_KEPT_US (INT64_C(3600) * 1000000) /* workers may be looking at earlier ones */

int server_fail(struct server *s, int error, const char *what)
{
    if (!s->why[0])
        snprintf(s->why, sizeof s->why, "%s: %s", what, strerror(-error));
    return error;
}

void server_set_maintenance(struct server *s)
{
    bool on = s->config->server_maintenance;

    api_set_maintenance(s->api, on);
    if (on)
        log_warning("server", "in maintenance: calls are refused until server.maintenance is off");
}

/* ---- plans ---- */

/* Configured plans take the place of built-in ones of the same name. */
int server_set_plans(struct server *s)
{
    const struct config *c = s->config;
    int64_t now_us = clock_now_us(&clock_real);
    struct plan *plans = calloc(c->plan_count + 1, sizeof *plans);

    if (!plans)
        return server_fail(s, -ENOMEM, "cannot set the plans");
    for (size_t i = 0; i < c->plan_count; i++) {
        snprintf(plans[i].name, sizeof plans[i].name, "%s", c->plans[i].name);
        plans[i].limits =
            (struct limit_plan){(uint32_t)c->plans[i].per_minute, (uint32_t)c->plans[i].per_hour};
    }
    plans_set(plans);
    retire(&s->earlier_plans, s->plans, free, now_us);
    retired_free(&s->earlier_plans, now_us - PLANS_KEPT_US);
    s->plans = plans;
    return 0;
}

void server_free_plans(struct server *s)
{
    plans_set(NULL);
    free(s->plans);
    retired_free(&s->earlier_plans, INT64_MAX);
}

/* ---- the certificate ---- */

int server_load_identity(struct server *s, struct tls_identity **ret)
{
    const struct config *c = s->config;
    const char *dir = s->data.path; /* of the start, whatever the configuration says by now */
    char *certificate = NULL, *key = NULL;
    int failed;

    if (c->tls_certificate[0])
        return tls_identity_load(ret, c->tls_certificate, c->tls_key, s->why);
    failed = tls_local_prepare(dir, clock_now_us(&clock_real), s->why);
    if (failed < 0)
        return failed;
    if (asprintf(&certificate, "%s/server.pem", dir) < 0)
        certificate = NULL;
    if (asprintf(&key, "%s/server.key", dir) < 0)
        key = NULL;
    failed = certificate && key ? tls_identity_load(ret, certificate, key, s->why) : -ENOMEM;
    free(certificate);
    free(key);
    return failed;
}

void server_refresh_identity(struct server *s)
{
    struct http_server *servers[] = {s->http, s->metrics_http, s->mm7_http};
    struct tls_identity *identity;

    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        if (!servers[i] || !http_server_is_secure(servers[i]))
            continue;
        s->why[0] = '\0';
        if (server_load_identity(s, &identity) < 0)
            log_error("tls", "the certificate in use stays: %s", s->why);
        else
            http_server_set_identity(servers[i], identity);
    }
}

/* Settings that hold until the next start are named when they change. */
static void warn_of_fixed(const struct config *was, const struct config *now)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        const struct config_row *row = &config_rows[i];
        bool live = strcmp(row->section, "tls") == 0 || strcmp(row->section, "log") == 0 ||
                    i == CONFIG_server_maintenance;
        if (!live && strcmp(was->texts[i], now->texts[i]) != 0)
            log_warning("config", "%s.%s has changed; that takes effect at the next start",
                        row->section, row->key);
    }
}

void server_set_log(const struct config *c)
{
    bool json = c->log_format == CONFIG_LOG_JSON ||
                (c->log_format == CONFIG_LOG_AUTO && !isatty(STDERR_FILENO));
    log_init((enum log_level)c->log_level, json);
}

static void log_faults(struct str lines)
{
    log_error("config", "the configuration in use stays:");
    while (lines.n) {
        struct str line = str_cut(&lines, '\n');
        log_error("config", "%.*s", STR_FMT(line));
    }
}

static void use_config(struct server *s, struct config *config)
{
    warn_of_fixed(s->config, config);
    config_free(s->config);
    s->config = config;
    server_set_log(config);
    server_set_plans(s);
    server_set_maintenance(s);
    api_set_logged_requests(s->api, config->log_requests);
    server_refresh_identity(s);
    s->why[0] = '\0';
    if (server_start_mm7(s) < 0)
        log_error("mm7", "%s", s->why);
    log_info("config", "the configuration was read again");
}

void server_reload(struct server *s)
{
    struct config_report report;
    struct config *config;

    config_report_init(&report);
    if (config_load(&config, s->source, &report) < 0) {
        log_faults(buf_str(&report.errors));
    } else if (!server_reach_good(config, &report.errors) ||
               !server_mm7_good(s, config, &report.errors)) {
        log_faults(buf_str(&report.errors));
        config_free(config);
    } else if (live_update(s->live, config, s->why) < 0) {
        log_faults(str_of(s->why));
        config_free(config);
    } else {
        use_config(s, config);
    }
    config_report_done(&report);
}
