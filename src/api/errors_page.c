/* Writes the page from the problem table, so a new code explains itself. The page is static: no
 * scripts, no outside requests, colours that follow the reader's system. */
#include "api/errors_page.h"

#include "api/call.h"
#include "messaging/words.h"

static const char page_head[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>Errors · Skylark API</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1c2430; --soft: #566173; --line: #d9dee6;\n"
    "  --paper: #fff; --code: #f3f5f8; --mark: #1559b7; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9aa7b8;\n"
    "  --line: #313b49; --paper: #12171e; --code: #1b222c; --mark: #7db3ff; } }\n"
    "body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; color: var(--ink);\n"
    "  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }\n"
    "h1 { line-height: 1.2; }\n"
    "h2 { margin: 0; font-size: 1.1rem; overflow-wrap: anywhere; }\n"
    "h2 a { color: inherit; text-decoration: none; }\n"
    "a { color: var(--mark); }\n"
    "section, footer { border-top: 1px solid var(--line); padding: 1.25rem 0 .5rem; }\n"
    "section:target, footer:target { border-top: 3px solid var(--mark); }\n"
    ".kind { margin: .1rem 0 .6rem; color: var(--soft); font-size: .9rem; }\n"
    "dl { margin: 0; }\n"
    "dt { color: var(--soft); font-size: .9rem; }\n"
    "dd { margin: 0 0 .6rem; }\n"
    "pre, code { font-family: ui-monospace, monospace; font-size: .875rem; }\n"
    "pre { background: var(--code); border-radius: .4rem; padding: .75rem; white-space: pre-wrap;\n"
    "  overflow-wrap: anywhere; }\n"
    "nav ul { columns: 15rem; padding-left: 1.2rem; overflow-wrap: anywhere; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<main>\n"
    "<h1>Errors</h1>\n"
    "<p>Every error of the API is a JSON object of one shape. Branch on <code>code</code>, show\n"
    "<code>message</code> to people, and look at <code>field</code> for what to correct. When you\n"
    "report a problem, give the <code>X-Request-Id</code> of the response.</p>\n"
    "<p>A response names one error, the first that was found in this order: authentication,\n"
    "permission, rate limit, content type and JSON, missing fields, wrong types, <code>to</code>,\n"
    "the rest. The whole API is described at <a href=\"/docs\">/docs</a>. What a message says "
    "that\n"
    "failed after it was accepted is <a href=\"#errorCode\">at the end</a>.</p>\n";

static const char page_tail[] = "</main>\n</body>\n</html>\n";

/* The field that an example names; codes that concern no single field are not here. */
static const char *const example_fields[PROBLEM_COUNT] = {
    [PROBLEM_MISSING_REQUIRED_FIELD] = "to",
    [PROBLEM_INVALID_PARAMETER] = "text",
    [PROBLEM_INVALID_PHONE_NUMBER] = "to",
    [PROBLEM_INVALID_FROM_NUMBER] = "from",
    [PROBLEM_TEXT_REQUIRED] = "text",
    [PROBLEM_TEXT_TOO_LONG] = "text",
    [PROBLEM_INVALID_MEDIA_URL] = "mediaUrls",
    [PROBLEM_TOO_MANY_MEDIA] = "mediaUrls",
    [PROBLEM_MMS_NOT_SUPPORTED] = "mediaUrls",
    [PROBLEM_INVALID_MESSAGE_TYPE] = "messageType",
    [PROBLEM_INVALID_TAGS] = "tags",
    [PROBLEM_INVALID_METADATA] = "metadata",
    [PROBLEM_INVALID_WEBHOOK_URL] = "webhookUrl",
    [PROBLEM_INVALID_SCHEDULED_TIME] = "scheduledAt",
    [PROBLEM_UNSUPPORTED_DESTINATION] = "to",
    [PROBLEM_RECIPIENT_OPTED_OUT] = "to",
    [PROBLEM_CARRIER_REJECTED] = "to",
    [PROBLEM_INVALID_LIMIT] = "limit",
    [PROBLEM_INVALID_CURSOR] = "cursor",
    [PROBLEM_INVALID_DATE_RANGE] = "createdBefore",
    [PROBLEM_BATCH_EMPTY] = "messages",
    [PROBLEM_BATCH_TOO_LARGE] = "messages",
};

static const unsigned example_waits[PROBLEM_COUNT] = {
    [PROBLEM_RATE_LIMIT_EXCEEDED] = 23, [PROBLEM_TOO_MANY_FAILED_KEY_ATTEMPTS] = 40,
    [PROBLEM_SERVICE_UNAVAILABLE] = 5,  [PROBLEM_QUEUE_FULL] = 1,
    [PROBLEM_MAINTENANCE] = 60,
};

static void add_html_char(struct buf *out, char c)
{
    switch (c) {
    case '&':
        buf_text(out, "&amp;");
        break;
    case '<':
        buf_text(out, "&lt;");
        break;
    case '>':
        buf_text(out, "&gt;");
        break;
    default:
        buf_add_char(out, c);
    }
}

/* Table text: words between two backquotes are code. */
static void add_prose(struct buf *out, const char *text)
{
    bool code = false;

    for (; *text; text++) {
        if (*text != '`') {
            add_html_char(out, *text);
            continue;
        }
        buf_text(out, code ? "</code>" : "<code>");
        code = !code;
    }
}

/* The inside of a JSON string, shown in HTML. */
static void add_json_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_add_char(out, '\\');
        add_html_char(out, *text);
    }
}

static void write_example(struct buf *out, enum problem_code code, const struct problem_entry *e)
{
    buf_printf(out, "<pre tabindex=\"0\"><code>{\n  \"error\": \"%s\",\n  \"message\": \"",
               error_type(e->status));
    add_json_text(out, e->example);
    buf_printf(out, "\",\n  \"code\": \"%s\",\n  \"statusCode\": %u,\n", e->code, e->status);
    if (example_fields[code])
        buf_printf(out, "  \"field\": \"%s\",\n", example_fields[code]);
    buf_printf(out, "  \"documentation\": \"https://localhost:8443/docs/api-reference/errors#%s\"",
               e->code);
    if (example_waits[code])
        buf_printf(out, ",\n  \"retryAfter\": %u", example_waits[code]);
    buf_text(out, "\n}</code></pre>\n");
}

static void write_contents(struct buf *out)
{
    buf_text(out, "<nav aria-label=\"Error codes\">\n<ul>\n");
    for (int code = PROBLEM_NONE + 1; code < PROBLEM_COUNT; code++) {
        const struct problem_entry *e = problem_entry((enum problem_code)code);
        buf_printf(out, "<li><a href=\"#%s\"><code>%s</code></a></li>\n", e->code, e->code);
    }
    buf_text(out, "</ul>\n</nav>\n");
}

static void write_section(struct buf *out, enum problem_code code)
{
    const struct problem_entry *e = problem_entry(code);

    buf_printf(out, "<section id=\"%s\">\n<h2><a href=\"#%s\"><code>%s</code></a></h2>\n", e->code,
               e->code, e->code);
    buf_printf(out, "<p class=\"kind\">%u %s · <code>%s</code></p>\n", e->status,
               http_reason(e->status), error_type(e->status));
    buf_text(out, "<dl>\n<dt>Cause</dt>\n<dd>");
    add_prose(out, e->cause);
    buf_text(out, "</dd>\n<dt>What to do</dt>\n<dd>");
    add_prose(out, e->fix);
    buf_text(out, "</dd>\n</dl>\n");
    write_example(out, code, e);
    buf_text(out, "</section>\n");
}

/* Words of messages, not of answers: they have a list of their own. */
static void write_failures(struct buf *out)
{
    static const enum failure failures[] = {
#define X(name, number, code, text) FAILURE_##name,
        FAILURES(X)
#undef X
    };

    buf_text(out, "<footer id=\"errorCode\">\n<h2><a href=\"#errorCode\">Messages that failed"
                  "</a></h2>\n<p>A message that was accepted and failed later says why in "
                  "<code>errorCode</code>. Its timeline, <code>GET "
                  "/v1/messages/{messageId}/events</code>, says it in full: which carrier, which "
                  "address of a media file, and what was answered there.</p>\n<dl>\n");
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        buf_printf(out, "<dt><code>%s</code></dt>\n<dd>", failure_code(failures[i]));
        add_prose(out, failure_text(failures[i]));
        buf_text(out, "</dd>\n");
    }
    buf_text(out, "</dl>\n</footer>\n");
}

void errors_page_write(struct buf *out)
{
    buf_text(out, page_head);
    write_contents(out);
    for (int code = PROBLEM_NONE + 1; code < PROBLEM_COUNT; code++)
        write_section(out, (enum problem_code)code);
    write_failures(out);
    buf_text(out, page_tail);
}
