/* skylark webhooks listen: events to a receiver, with no address of its own that the server would
 * have to reach. */
#include "cli/env_file.h"
#include "cli/listen_secret.h"
#include "cli/listening.h"

#include <inttypes.h>

/* ---- where to begin ---- */

/* From now on means: behind the newest event that there is, so that a connection that is lost
 * before anything happened loses nothing. It is asked for in every case: what is wrong with address
 * or key is told before anything begins. */
static int find_start(struct listening *l, const struct invocation *in)
{
    struct json_node *newest JSON_TREE_CLEANUP = NULL;
    const char *from = in->values[OPTION_FROM];
    int r = client_fetch(&l->client, "GET", "/v1/events?limit=1", (struct str){NULL, 0}, &newest);

    if (from)
        str_format(l->last, sizeof l->last, "%s", from);
    else if (!in->values[OPTION_SINCE_START])
        str_format(l->last, sizeof l->last, "%.*s",
                   STR_FMT(json_node_string(json_node_at(newest, "data.0.id"))));
    return r;
}

static bool check_start(const struct invocation *in)
{
    const char *from = in->values[OPTION_FROM];

    if (from && in->values[OPTION_SINCE_START])
        talk("Give --from or --since-start, not both.");
    else if (from && !client_plain_id(from))
        talk("'%s' is no id of an event; one looks like evt_4fT9aKx02Lq. 'skylark events list' "
             "shows "
             "them.",
             from);
    else
        return true;
    return false;
}

static void tell_beginning(const struct listening *l, const struct invocation *in)
{
    const char *key = l->client.key;
    size_t n = strlen(key);

    talk("Listening to %s with the key %.8s…%s: %s%s, %s%s.", l->client.url, key,
         n > 12 ? key + n - 4 : "", l->types ? "" : "all events", l->types ? l->types : "",
         in->values[OPTION_FROM]          ? "those behind "
         : in->values[OPTION_SINCE_START] ? "from the oldest that is kept"
                                          : "from now on",
         in->values[OPTION_FROM] ? in->values[OPTION_FROM] : "");
    talk("Forwarding to %s; Ctrl-C ends it.", l->forward.url);
    talk(
        "Verify with the secret that 'skylark webhooks listen --print-secret' prints; it stays the "
        "same.\n");
}

static int listen_and_forward(const struct invocation *in, const char *secret)
{
    struct listening l = {
        .forward = {.url = in->values[OPTION_FORWARD_TO], .secret = str_of(secret)},
        .types = in->values[OPTION_EVENTS],
    };

    if (l.types && strcmp(l.types, "*") == 0)
        l.types = NULL;
    int r = check_start(in) ? client_open(&l.client, in) : CLI_USAGE;
    if (r == CLI_OK)
        r = find_start(&l, in);
    if (r != CLI_OK)
        return r;
    tell_beginning(&l, in);
    r = listening_run(&l);
    talk("\n%" PRId64 " event%s forwarded, %" PRId64 " not taken.", l.forwarded,
         l.forwarded == 1 ? "" : "s", l.refused);
    if (l.last[0] && (r == CLI_OK || l.forwarded + l.refused))
        talk("Go on where it stopped: the same with --from %s", l.last);
    return r;
}

/* ---- the command ---- */

/* FILE:NAME */
static int write_env(const char *given, const char *secret)
{
    const char *colon = strrchr(given, ':');
    char path[PATH_MAX];

    if (!colon || colon == given || !env_name_good(str_of(colon + 1))) {
        talk(
            "--write-env takes a file and the name of a variable, such as .env:WEBHOOK_SECRET, not "
            "'%s'.",
            given);
        return CLI_USAGE;
    }
    str_format(path, sizeof path, "%.*s", (int)(colon - given), given);
    int r = env_file_write(path, str_of(colon + 1), str_of(secret));
    if (r < 0) {
        talk("The file %s cannot be written: %s", path, strerror(-r));
        return CLI_FAILED;
    }
    talk("%s in %s is the secret now.", colon + 1, path);
    return CLI_OK;
}

int run_webhooks_listen(const struct invocation *in)
{
    const char *url = in->values[OPTION_FORWARD_TO], *env = in->values[OPTION_WRITE_ENV];
    const char *fault = url ? forward_url_fault(url) : NULL;
    char secret[SECRET_SIZE + 1];

    if (fault) {
        talk("--forward-to %s: %s", url, fault);
        return CLI_USAGE;
    }
    if (!url && !env && !in->values[OPTION_PRINT_SECRET]) {
        talk("Where to? Write skylark webhooks listen --forward-to http://localhost:3000/hook");
        return CLI_USAGE;
    }
    int r = listen_secret(in, secret);
    if (r == CLI_OK && env)
        r = write_env(env, secret);
    if (r != CLI_OK)
        return r;
    if (in->values[OPTION_PRINT_SECRET]) {
        puts(secret);
        return CLI_OK;
    }
    return url ? listen_and_forward(in, secret) : CLI_OK;
}
