/* skylark webhooks verify: needs no server, only what a receiver has. */
#include "base/clock.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/raw_request.h"
#include "cli/secret_input.h"
#include "cli/signature_check.h"

#include <errno.h>
#include <unistd.h>

enum { REQUEST_MAX = 8 << 20, TOLD_MAX = 1 << 20 };

static bool is_stdin(const char *name)
{
    return !name || strcmp(name, "-") == 0;
}

/* A file, or standard input for "-" and NULL. */
static int read_input(const char *name, const char *what, struct buf *out)
{
    if (is_stdin(name) && isatty(STDIN_FILENO))
        talk("Type or paste the %s; Ctrl-D ends it.", what);
    int r = is_stdin(name) ? file_read_from(STDIN_FILENO, out) : file_read(name, out);

    if (r == 0)
        return CLI_OK;
    talk("The %s in %s cannot be read: %s", what, is_stdin(name) ? "standard input" : name,
         r == -EFBIG ? "it is larger than 8 MiB" : strerror(-r));
    return CLI_USAGE;
}

static int tell_fault(enum raw_request_fault fault, size_t line)
{
    switch (fault) {
    case RAW_REQUEST_GOOD:
        return CLI_OK;
    case RAW_REQUEST_NO_BODY:
        talk("The request has no empty line between its headers and its body.");
        break;
    case RAW_REQUEST_NO_HEADER:
        talk("Line %zu of the request is no header; one looks like webhook-id: evt_4fT9aKx02Lq",
             line);
        break;
    case RAW_REQUEST_TWICE:
        talk("Line %zu of the request has a header that stands there already.", line);
        break;
    case RAW_REQUEST_CHUNKED:
        talk("The body is in chunks (line %zu, Transfer-Encoding). Save it put together, and leave "
             "that header out.",
             line);
        break;
    }
    return CLI_USAGE;
}

/* Headers given as options count more than those of the request. */
static void take_options(const struct invocation *in, struct signature_check *c)
{
    const struct {
        enum option_id option;
        struct str *place;
    } places[] = {
        {OPTION_SIGNATURE, &c->signature},
        {OPTION_WEBHOOK_ID, &c->webhook_id},
        {OPTION_WEBHOOK_TIMESTAMP, &c->webhook_time},
        {OPTION_WEBHOOK_SIGNATURE, &c->standard},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (in->values[places[i].option])
            *places[i].place = str_of(in->values[places[i].option]);
}

static int take_request(const struct invocation *in, struct str text, struct signature_check *c)
{
    struct raw_request r = {.body = text};
    size_t line = 0;

    if (in->values[OPTION_REQUEST]) {
        enum raw_request_fault fault = raw_request_parse(text, &r, &line);
        int refused = tell_fault(fault, line);
        if (refused)
            return refused;
    }
    c->body = r.body;
    c->signature = r.signature;
    c->webhook_id = r.webhook_id;
    c->webhook_time = r.webhook_time;
    c->standard = r.webhook_signature;
    c->content_length = r.content_length;
    take_options(in, c);
    if (c->signature.p || c->standard.p)
        return CLI_OK;
    talk("There is no signature to check. Give --signature 'sha256=…', or --request FILE with the "
         "headers and the body as they came.");
    return CLI_USAGE;
}

static int check_inputs(const struct invocation *in, const char *name)
{
    if (in->argument_count && in->values[OPTION_REQUEST])
        talk("Give a file with the body, or one with the whole request by --request; not both.");
    else if (in->values[OPTION_SECRET_FILE] && is_stdin(in->values[OPTION_SECRET_FILE]) &&
             is_stdin(name))
        talk("Secret and %s cannot both come from standard input; put one into a file.",
             in->values[OPTION_REQUEST] ? "request" : "body");
    else
        return CLI_OK;
    return CLI_USAGE;
}

static int find_secret(const struct invocation *in, struct buf *out)
{
    int r = secret_input(in, "SKYLARK_WEBHOOK_SECRET", out);

    if (r != CLI_OK || out->n)
        return r;
    talk("With which secret? Set $SKYLARK_WEBHOOK_SECRET, or name a file with --secret-file FILE.");
    return CLI_USAGE;
}

int run_webhooks_verify(const struct invocation *in)
{
    struct buf text BUF_CLEANUP, secret BUF_CLEANUP, told BUF_CLEANUP;
    struct signature_check check = {.now_s = clock_now_us(&clock_real) / 1000000};
    const char *name = in->values[OPTION_REQUEST];

    buf_init(&text, REQUEST_MAX);
    buf_init(&told, TOLD_MAX);
    buf_init(&secret, SECRET_INPUT_MAX);
    if (!name && in->argument_count)
        name = in->arguments[0];
    int r = check_inputs(in, name);
    if (r == CLI_OK)
        r = find_secret(in, &secret);
    if (r == CLI_OK)
        r = read_input(name, in->values[OPTION_REQUEST] ? "request" : "body", &text);
    if (r == CLI_OK)
        r = take_request(in, buf_str(&text), &check);
    if (r != CLI_OK)
        return r;
    check.secret = buf_str(&secret);
    bool good = signature_check(&check, &told);
    fwrite(told.p, 1, told.n, stdout);
    return good ? CLI_OK : CLI_FAILED;
}
