/* skylark doctor: looks at everything that a server needs, whether one runs or not. */
#include "cli/doctor.h"

#include "base/file.h"
#include "cli/answer_print.h"
#include "cli/client.h"
#include "cli/figure.h"
#include "cli/settings.h"
#include "json/write.h"

#include <stdarg.h>

enum { OUTPUT_MAX = 1 << 20, FINDING_MAX = 2048, TIMEOUT_MS = 5000 };

static const struct column columns[] = {
    {.title = "STATE", .name = "state"},
    {.title = "CHECK", .name = "check"},
    {.title = "FINDING", .name = "finding"},
    {.name = "remedy"},
};
enum { COLUMN_STATE, COLUMN_CHECK, COLUMN_FINDING, COLUMN_REMEDY, COLUMN_COUNT };

static const char *const words[] = {"ok", "warning", "wrong"};

void doctor_note(struct doctor *d, const char *check, enum health health, const char *remedy,
                 const char *format, ...)
{
    struct buf text BUF_CLEANUP = {.max = FINDING_MAX};
    const char **row = table_add(&d->found);
    va_list args;

    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    if (health > d->worst)
        d->worst = health;
    if (!row)
        return;
    row[COLUMN_STATE] = words[health];
    row[COLUMN_CHECK] = check;
    row[COLUMN_FINDING] = table_text(&d->found, buf_str(&text));
    row[COLUMN_REMEDY] = health == HEALTH_OK ? NULL : remedy;
}

/* ---- the configuration ---- */

/* False: there is none to go on with. */
static bool check_configuration(struct doctor *d)
{
    int r = local_configure(&d->local, d->in);

    if (r == CLI_OK)
        r = settings_check(d->in, d->local.config);
    if (r != CLI_OK)
        doctor_note(d, "configuration", HEALTH_WRONG,
                    "'skylark config check' names file and line of each fault.",
                    "has the faults that are told above");
    else if (d->local.config->file)
        doctor_note(d, "configuration", HEALTH_OK, NULL, "%s", d->local.config->file);
    else
        doctor_note(d, "configuration", HEALTH_OK, NULL, "no file; the defaults hold");
    return d->local.config;
}

/* ---- the server ---- */

static void note_answer(struct doctor *d, const char *url, enum http_outcome outcome,
                        const struct http_reply *reply)
{
    if (outcome == HTTP_ANSWERED && reply->status == 200)
        doctor_note(d, "server", HEALTH_OK, NULL, "runs at %s and is ready", url);
    else if (outcome == HTTP_ANSWERED)
        doctor_note(d, "server", HEALTH_WRONG, "Its log says why.",
                    "runs at %s and is not ready: it answers /readyz with %u", url, reply->status);
    else if (outcome == HTTP_DISTRUSTED)
        doctor_note(d, "server", HEALTH_WARNING,
                    "Clients need the authority that signed its certificate.",
                    "runs at %s with a certificate that is not trusted here (%s)", url, reply->why);
    else if (outcome == HTTP_UNREACHABLE)
        doctor_note(d, "server", HEALTH_WARNING, "Start it again; its log says what happened.",
                    "none runs; the last one was not stopped but killed");
    else
        doctor_note(d, "server", HEALTH_WRONG, "Its log says more; if it hangs, start it again.",
                    "should run at %s and does not answer (%s)", url, reply->why);
}

void doctor_server(struct doctor *d)
{
    const char *dir = d->local.config->server_data_dir;
    struct http_reply reply HTTP_REPLY_CLEANUP = {.status = 0};
    struct buf text BUF_CLEANUP = {.max = 1 << 14};
    char path[PATH_MAX], ca[PATH_MAX], url[CLIENT_URL_MAX], whole[CLIENT_URL_MAX + 16];

    str_format(path, sizeof path, "%s/address", dir);
    str_format(ca, sizeof ca, "%s/ca.pem", dir);
    if (file_read(path, &text) < 0) {
        doctor_note(d, "server", HEALTH_OK, NULL, "none runs on this data folder");
        return;
    }
    str_format(url, sizeof url, "%.*s", STR_FMT(str_trim(buf_str(&text))));
    str_format(whole, sizeof whole, "%s/readyz", url);
    bool own = !d->local.config->tls_certificate[0];
    enum http_outcome outcome = http_call(&(struct http_call){.method = "GET",
                                                              .url = whole,
                                                              .ca_file = own ? ca : NULL,
                                                              .direct = true,
                                                              .timeout_ms = TIMEOUT_MS},
                                          &reply);
    d->answers = outcome == HTTP_ANSWERED || outcome == HTTP_DISTRUSTED;
    note_answer(d, url, outcome, &reply);
}

/* ---- what is shown ---- */

static void print_books(const struct books *b)
{
    const struct {
        const char *title;
        int64_t count;
    } lines[] = {
        {"accepted", b->accepted},     {"  delivered", b->delivered},
        {"  failed", b->failed},       {"  cancelled", b->cancelled},
        {"  received", b->received},   {"  in flight", b->in_flight},
        {"in the store", b->messages}, {"differences", b->differences},
    };

    putchar('\n');
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char number[24], shown[FIGURE_SIZE];
        str_format(number, sizeof number, "%lld", (long long)lines[i].count);
        printf("%-14s%15s\n", lines[i].title, figure_grouped(str_of(number), shown));
    }
}

/* The remedy stands below its finding. */
static void print_findings(const struct table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const char **row = t->cells + i * t->width;
        struct buf line BUF_CLEANUP = {.max = 2 * FINDING_MAX};
        buf_printf(&line, "%-7s  %-13s  ", row[COLUMN_STATE], row[COLUMN_CHECK]);
        output_wrap(&line, row[COLUMN_FINDING], 24);
        if (row[COLUMN_REMEDY]) {
            buf_printf(&line, "%*s%s ", 24, "", output_is_utf8() ? "→" : ">");
            output_wrap(&line, row[COLUMN_REMEDY], 26);
        }
        fwrite(line.p, 1, line.n, stdout);
    }
}

static void add_books(struct json_writer *w, const struct books *b)
{
    json_begin_object(w);
    json_member_i64(w, "accepted", b->accepted);
    json_member_i64(w, "delivered", b->delivered);
    json_member_i64(w, "failed", b->failed);
    json_member_i64(w, "cancelled", b->cancelled);
    json_member_i64(w, "received", b->received);
    json_member_i64(w, "inFlight", b->in_flight);
    json_member_i64(w, "messages", b->messages);
    json_member_i64(w, "differences", b->differences);
    json_member_word(w, "first", b->first[0] ? b->first : NULL);
    json_end(w);
}

static void print_json(const struct doctor *d)
{
    struct buf out BUF_CLEANUP = {.max = OUTPUT_MAX};
    struct json_writer w;

    json_writer_init(&w, &out);
    json_begin_object(&w);
    json_member_bool(&w, "healthy", d->worst != HEALTH_WRONG);
    json_key(&w, "checks");
    json_begin_array(&w);
    for (size_t i = 0; i < d->found.count; i++) {
        json_begin_object(&w);
        for (size_t c = 0; c < COLUMN_COUNT; c++)
            json_member_word(&w, columns[c].name, d->found.cells[i * COLUMN_COUNT + c]);
        json_end(&w);
    }
    json_end(&w);
    json_key(&w, "books");
    if (d->counted)
        add_books(&w, &d->books);
    else
        json_put_null(&w);
    json_end(&w);
    printf("%.*s\n", STR_FMT(buf_str(&out)));
}

static void show(const struct doctor *d, enum output_format format)
{
    switch (format) {
    case OUTPUT_TABLE:
        print_findings(&d->found);
        if (d->counted)
            print_books(&d->books);
        break;
    case OUTPUT_JSON:
        print_json(d);
        break;
    case OUTPUT_JSONL:
    case OUTPUT_CSV:
        table_print(&d->found, format, stdout);
        break;
    }
}

int run_doctor(const struct invocation *in)
{
    static void (*const checks[])(struct doctor *) = {
        doctor_folder, doctor_certificate, doctor_disk,     doctor_clock,
        doctor_store,  doctor_server,      doctor_carriers, doctor_books,
    };
    struct doctor d = {.in = in};
    enum output_format format;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    table_init(&d.found, columns, COLUMN_COUNT);
    if (check_configuration(&d))
        for (size_t i = 0; i < COUNT_OF(checks) && !d.over; i++)
            checks[i](&d);
    show(&d, format);
    table_done(&d.found);
    local_close(&d.local);
    return d.worst == HEALTH_WRONG ? CLI_FAILED : CLI_OK;
}
