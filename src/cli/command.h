/* What can be said on the command line: one table of options, one of commands. Parsing, help and
 * "did you mean" are made from them. */
#pragma once

#include "cli/cli.h"
#include "cli/output.h"

/* X(NAME, name, letter, word for its value or NULL, help). Options that set a configuration row
 * have the row's flag as their name and take their help from there. */
#define CLI_OPTIONS(X)                                                                             \
    X(CONFIG, "config", 0, "FILE", "Configuration file.")                                          \
    X(DATA_DIR, "data-dir", 0, "DIR", NULL)                                                        \
    X(LISTEN, "listen", 0, "HOST:PORT", NULL)                                                      \
    X(WORKERS, "workers", 0, "N", NULL)                                                            \
    X(LOG_LEVEL, "log-level", 0, "LEVEL", NULL)                                                    \
    X(METRICS_LISTEN, "metrics-listen", 0, "HOST:PORT", NULL)                                      \
    X(LOG_FORMAT, "log-format", 0, "FORMAT", NULL)                                                 \
    X(ALLOW_LOCALHOST, "allow-localhost-webhooks", 0, "off|on", NULL)                              \
    X(ALLOW_LOCALHOST_MEDIA, "allow-localhost-media", 0, "off|on", NULL)                           \
    X(MM7_LISTEN, "mm7-listen", 0, "HOST:PORT", NULL)                                              \
    X(NAME, "name", 0, "NAME", "What the key is for, in your words.")                              \
    X(TYPE, "type", 0, "test|live", "test simulates, live really sends; test if not given.")       \
    X(PLAN, "plan", 0, "NAME", "Plan whose limits hold; 'default' if not given.")                  \
    X(PERMISSIONS, "permissions", 0, "LIST",                                                       \
      "Such as sms:send,sms:read; not given: all but keys:*.")                                     \
    X(PER_MINUTE, "per-minute", 0, "N",                                                            \
      "Requests in a minute, in place of the plan's; 0 is no limit.")                              \
    X(PER_HOUR, "per-hour", 0, "N", "Requests in an hour, in place of the plan's; 0 is no limit.") \
    X(EXPIRES, "expires", 0, "TIME", "When it ends by itself, such as 2026-12-31T00:00:00Z.")      \
    X(ACCOUNT, "account", 0, "NAME", "Whose; not given: 'default', or all where keys are listed.") \
    X(GRACE, "grace", 0, "HOURS", "How long the old key goes on, 0 to 168; 0 if not given.")       \
    X(TO, "to", 0, "NUMBER", "Destination, such as +15550001234.")                                 \
    X(FROM, "from", 0, "SENDER", "Number or name that it comes from.")                             \
    X(TEXT, "text", 0, "TEXT", "What to send.")                                                    \
    X(MEDIA, "media", 0, "URL", "Picture or other media, https only; may be repeated.")            \
    X(MMS, "mms", 0, NULL, "Of a message with media.")                                             \
    X(MESSAGE_TYPE, "message-type", 0, "TYPE",                                                     \
      "transactional, marketing, otp, alert or promotional.")                                      \
    X(SUBJECT, "subject", 0, "TEXT", "Subject, for messages with media.")                          \
    X(TAG, "tag", 0, "WORD", "Word to find the message by; may be repeated for sending.")          \
    X(METADATA, "metadata", 0, "JSON", "An object of your own that is kept with the message.")     \
    X(VALIDITY, "validity", 0, "SECONDS", "How long to try, 60 to 172800; 14400 if not given.")    \
    X(SCHEDULE, "schedule", 0, "TIME", "When to send, such as 2026-01-31T09:00:00Z.")              \
    X(DRY_RUN, "dry-run", 0, NULL, "Show route, segments and cost; send nothing.")                 \
    X(IDEMPOTENCY_KEY, "idempotency-key", 0, "KEY",                                                \
      "Repeated with the same key within a day, it is sent once.")                                 \
    X(STATUS, "status", 0, "LIST", "Only messages in these states, such as queued,sent.")          \
    X(DIRECTION, "direction", 0, "WORD", "Only outbound or only inbound messages.")                \
    X(BATCH, "batch", 0, "ID", "Only messages of this batch.")                                     \
    X(AFTER, "after", 0, "TIME", "Only messages made at this time or later.")                      \
    X(BEFORE, "before", 0, "TIME", "Only messages made before this time.")                         \
    X(LIMIT, "limit", 0, "N", "Rows on a page, 1 to 100; 50 if not given.")                        \
    X(CURSOR, "cursor", 0, "ID", "Start with this row; the page before names it.")                 \
    X(URL, "url", 0, "URL", "Address of the server; not given: $SKYLARK_URL, then the local one.") \
    X(CACERT, "cacert", 0, "FILE",                                                                 \
      "Authority to trust; not given: the local one or the system's.")                             \
    X(REPLACE, "replace", 0, NULL, "Remove all earlier prices; only those of the file stay.")      \
    X(TLS, "tls", 0, NULL, "TLS from the first byte, with the certificate of the data folder.")    \
    X(FAIL, "fail", 0, "PERCENT", "Share of the messages whose receipt says UNDELIV.")             \
    X(THROTTLE, "throttle", 0, "N", "Answer ESME_RTHROTTLED beyond N submits a second.")           \
    X(SILENT, "silent", 0, NULL, "Take binds and answer no submit_sm, as a carrier that stalls.")  \
    X(QUIET, "quiet", 0, NULL, "Show no messages and take no lines.")                              \
    X(LOG, "log", 0, "FILE",                                                                       \
      "Add a line for each submit_sm: monotonic microseconds, destination, text.")                 \
    X(EVENTS, "events", 0, "LIST",                                                                 \
      "Only these, such as message.sent,message.failed; * is all of them.")                        \
    X(MODE, "mode", 0, "MODE", "Of which messages: test, live or all.")                            \
    X(DESCRIPTION, "description", 0, "TEXT", "What it is for, in your words.")                     \
    X(ENDPOINT, "endpoint", 0, "URL", "The address that is told.")                                 \
    X(ENABLE, "enable", 0, NULL, "Switch it on; what waited goes out.")                            \
    X(DISABLE, "disable", 0, NULL, "Switch it off; events wait until it is on again.")             \
    X(SINCE, "since", 0, "TIME", "From then on: 15m, 1h or 7d ago, or 2026-01-31T09:00:00Z.")      \
    X(UNTIL, "until", 0, "TIME", "Up to then, in the same forms; not given: now.")                 \
    X(ALL, "all", 0, NULL, "Also what was delivered, not only what failed.")                       \
    X(FORWARD_TO, "forward-to", 0, "URL",                                                          \
      "Where events go: http:// to this machine, or https://.")                                    \
    X(SINCE_START, "since-start", 0, NULL, "Begin with the oldest event that is kept.")            \
    X(PRINT_SECRET, "print-secret", 0, NULL, "Print the secret that it signs with, and end.")      \
    X(WRITE_ENV, "write-env", 0, "FILE:NAME",                                                      \
      "Set the variable NAME in FILE to the secret, such as .env:WEBHOOK_SECRET.")                 \
    X(SECRET_FILE, "secret-file", 0, "FILE", "File with the webhook secret; - is standard input.") \
    X(REQUEST, "request", 0, "FILE",                                                               \
      "The request as it came: header lines, an empty line, body; - is standard input.")           \
    X(SIGNATURE, "signature", 0, "VALUE", "Value of the header X-Service-Signature.")              \
    X(WEBHOOK_ID, "webhook-id", 0, "VALUE", "Value of the header webhook-id.")                     \
    X(WEBHOOK_TIMESTAMP, "webhook-timestamp", 0, "VALUE",                                          \
      "Value of the header webhook-timestamp.")                                                    \
    X(WEBHOOK_SIGNATURE, "webhook-signature", 0, "VALUE",                                          \
      "Value of the header webhook-signature.")                                                    \
    X(START, "start", 0, "TIME",                                                                   \
      "From then on: 2026-01-31, 2026-01-31T09:00:00Z, or 36h or 7d ago.")                         \
    X(END, "end", 0, "TIME", "Up to then, in the same forms; a date's whole day is included.")     \
    X(PERIOD, "period", 0, "TIME", "24h, 7d, 30d or 90d up to now; 30d if not given.")             \
    X(INTERVAL, "interval", 0, "WORD",                                                             \
      "hour, day, week or month (UTC); not given: hours of two days, days of more.")               \
    X(COUNTRY, "country", 0, "CODE", "Only messages to this country, such as US.")                 \
    X(PLOT, "plot", 0, NULL, "Draw a plot, also where the output is no terminal.")                 \
    X(NO_PLOT, "no-plot", 0, NULL, "Draw none.")                                                   \
    X(WATCH, "watch", 0, NULL, "Go on, once a second, until Ctrl-C.")                              \
    X(BOOKS, "books", 0, NULL, "Also count every message again, and compare.")                     \
    X(OUTPUT, "output", 'o', "FORMAT", "table, json, jsonl or csv.")                               \
    X(HELP, "help", 'h', NULL, "Show this help.")                                                  \
    X(VERSION, "version", 0, NULL, "Show the version.")

enum option_id {
#define X(name, ...) OPTION_##name,
    CLI_OPTIONS(X)
#undef X
        OPTION_COUNT
};

struct option {
    const char *name;
    char letter;
    const char *value; /* word for it in help; NULL = a switch */
    const char *help;
};

extern const struct option options[OPTION_COUNT];

/* The configuration row that an option sets, or NULL. */
const struct config_row *option_row(enum option_id id);

enum { ARGUMENTS_MAX = 8, REPEATED_MAX = 64 };

/* One of the options that may be given several times. */
struct repeated {
    enum option_id id;
    const char *value;
};

/* A command line, understood. */
struct invocation {
    const struct command *command;    /* NULL: only --help or --version */
    const char *values[OPTION_COUNT]; /* of a repeated one the last */
    struct repeated repeated[REPEATED_MAX];
    size_t repeated_count;
    const char *words[ARGUMENTS_MAX]; /* all that are no options */
    size_t word_count;
    const char *const *arguments; /* the words behind the command's own */
    size_t argument_count;
    char *const *environment;
    const struct cli_programs *programs;
};

/* What an option means to one command, when the table's own words do not say it. */
struct meaning {
    enum option_id option;
    const char *value; /* as in struct option */
    const char *help;
};

struct command {
    const char *words;              /* "keys create" */
    const char *arguments;          /* "ID", "[NUMBER TEXT]"; NULL = none */
    size_t least, most;             /* how many arguments */
    bool options[OPTION_COUNT];     /* which it takes, beside --help */
    const struct meaning *meanings; /* up to one without help; or NULL */
    int (*run)(const struct invocation *in);
    const char *summary; /* one line, for the list */
    const char *details; /* a paragraph for its own help, or NULL */
    const char *example;
};

extern const struct command commands[];
extern const size_t command_count;

/* How many words a command's name has. */
size_t command_length(const struct command *c);

/* False: `fault` says what is wrong and what may have been meant. */
bool command_parse(struct invocation *in, int argc, char **argv, struct buf *fault);

/* Help for everything, or for the command or the group of them that `words` begins. */
void help_all(struct buf *out);
bool help_for(const char *const *words, size_t count, struct buf *out);

/* ---- the commands ---- */
int run_serve(const struct invocation *in);
int run_smsc(const struct invocation *in);
int run_send(const struct invocation *in);
int run_messages_list(const struct invocation *in);
int run_messages_get(const struct invocation *in);
int run_messages_events(const struct invocation *in);
int run_messages_cancel(const struct invocation *in);
int run_keys_create(const struct invocation *in);
int run_keys_list(const struct invocation *in);
int run_keys_rotate(const struct invocation *in);
int run_keys_revoke(const struct invocation *in);
int run_accounts_create(const struct invocation *in);
int run_accounts_list(const struct invocation *in);
int run_accounts_suspend(const struct invocation *in);
int run_accounts_resume(const struct invocation *in);
int run_accounts_credit(const struct invocation *in);
int run_carriers_list(const struct invocation *in);
int run_carriers_drain(const struct invocation *in);
int run_carriers_enable(const struct invocation *in);
int run_carriers_test(const struct invocation *in);
int run_receipts_list(const struct invocation *in);
int run_prices_import(const struct invocation *in);
int run_prices_list(const struct invocation *in);
int run_prices_clear(const struct invocation *in);
int run_route_explain(const struct invocation *in);
int run_webhooks_list(const struct invocation *in);
int run_webhooks_create(const struct invocation *in);
int run_webhooks_get(const struct invocation *in);
int run_webhooks_update(const struct invocation *in);
int run_webhooks_delete(const struct invocation *in);
int run_webhooks_rotate_secret(const struct invocation *in);
int run_webhooks_message_secret(const struct invocation *in);
int run_webhooks_test(const struct invocation *in);
int run_webhooks_deliveries(const struct invocation *in);
int run_webhooks_delivery(const struct invocation *in);
int run_webhooks_retry(const struct invocation *in);
int run_webhooks_redeliver(const struct invocation *in);
int run_webhooks_event_types(const struct invocation *in);
int run_events_list(const struct invocation *in);
int run_webhooks_listen(const struct invocation *in);
int run_webhooks_verify(const struct invocation *in);
int run_usage(const struct invocation *in);
int run_delivery(const struct invocation *in);
int run_costs(const struct invocation *in);
int run_stats(const struct invocation *in);
int run_doctor(const struct invocation *in);
int run_config_check(const struct invocation *in);
int run_config_show(const struct invocation *in);
int run_version(const struct invocation *in);
int run_help(const struct invocation *in);

/* ---- what several of them need ---- */

/* One line for people, on stderr. */
void talk(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Loads the configuration from the flags given, telling faults and warnings; CLI_OK or
 * CLI_BAD_CONFIG. */
int invocation_config(const struct invocation *in, struct config_source *ret_source,
                      struct config **ret);
/* The same, but the configuration is there, as far as it could be read, in spite of faults; NULL
 * when memory is short. */
int invocation_read(const struct invocation *in, struct config_source *ret_source,
                    struct config **ret);
/* The format that -o asks for; false after telling that there is none such. */
bool invocation_format(const struct invocation *in, enum output_format *ret);
