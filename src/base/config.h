/* The configuration: one table of settings, and the values that hold now with where each came from.
 * A flag wins over the environment, that over the file, that over the default. Everything is
 * checked before anything is used: a faulty file gives a list of faults and no configuration.
 * The only user of inih. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

enum { CONFIG_PLAN_NAME_MAX = 32, CONFIG_PLANS_MAX = 256, CONFIG_HOST_MAX = 255 };

struct config_address {
    char host[CONFIG_HOST_MAX + 1]; /* a name or an address, IPv6 without its brackets */
    uint16_t port;
};

enum { CONFIG_LOG_AUTO, CONFIG_LOG_TEXT, CONFIG_LOG_JSON }; /* log_format: the words' order */

/* X(section, key, type, default, least, most, words, flag, help)
 * The member of struct config is section_key; durations end in _ms. An empty default of a path or
 * text means "not set"; that of server.data_dir depends on the environment. */
#define CONFIG_ROWS(X)                                                                             \
    X(server, listen, ADDRESS, "127.0.0.1:8443", 0, 0, NULL, "listen",                             \
      "Address and port to listen on; port 0 takes a free one.")                                   \
    X(server, data_dir, PATH, "", 0, 0, NULL, "data-dir",                                          \
      "Folder of the store, certificates and keys.")                                               \
    X(server, workers, INTEGER, "0", 0, 1024, NULL, "workers",                                     \
      "Threads that answer requests; 0 takes one per core.")                                       \
    X(server, max_connections, INTEGER, "4096", 1, 1000000, NULL, NULL,                            \
      "Connections open at once.")                                                                 \
    X(server, max_connections_per_address, INTEGER, "1024", 1, 1000000, NULL, NULL,                \
      "Connections open at once from one address.")                                                \
    X(server, request_timeout, DURATION, "30s", 100, 3600000, NULL, NULL,                          \
      "Time for a whole request to arrive.")                                                       \
    X(server, idle_timeout, DURATION, "75s", 1000, 86400000, NULL, NULL,                           \
      "Time an open connection may stay silent.")                                                  \
    X(server, drain_timeout, DURATION, "10s", 0, 3600000, NULL, NULL,                              \
      "Time that requests have to finish when the server stops.")                                  \
    X(server, failed_keys, INTEGER, "20", 0, 1000000, NULL, NULL,                                  \
      "Wrong keys that one address may show in a minute; 0 is any number.")                        \
    X(server, maintenance, WORD, "off", 0, 0, "off on", NULL,                                      \
      "on refuses all calls with 503, until it is off again.")                                     \
    X(server, docs_url, TEXT, "", 0, 0, NULL, NULL,                                                \
      "Where error messages point to; not set: this server's own /docs.")                          \
    X(tls, certificate, PATH, "", 0, 0, NULL, NULL,                                                \
      "Your own certificate chain (PEM); not set: a local one is made.")                           \
    X(tls, key, PATH, "", 0, 0, NULL, NULL, "The private key of tls.certificate (PEM).")           \
    X(queue, memory, INTEGER, "65536", 64, 16777216, NULL, NULL,                                   \
      "Messages held in memory; the rest of the queue waits on disk.")                             \
    X(queue, writes, INTEGER, "16384", 64, 1048576, NULL, NULL,                                    \
      "Requests that may wait to be written; more are told to come back.")                         \
    X(simulator, answer, DURATION, "100ms", 0, 3600000, NULL, NULL,                                \
      "Time until the simulated carrier takes a test message.")                                    \
    X(simulator, delivery, DURATION, "1000ms", 0, 3600000, NULL, NULL,                             \
      "Time until the simulated carrier delivers a test message.")                                 \
    X(log, level, WORD, "info", 0, 0, "debug info warning error", "log-level",                     \
      "The least important events that are logged.")                                               \
    X(log, format, WORD, "auto", 0, 0, "auto text json", "log-format",                             \
      "Form of the log; auto is text on a terminal and json otherwise.")

enum config_row_index {
#define X(section, key, ...) CONFIG_##section##_##key,
    CONFIG_ROWS(X)
#undef X
        CONFIG_ROW_COUNT
};

/* Requests that a key may make; 0 = no limit. */
struct config_plan {
    char name[CONFIG_PLAN_NAME_MAX + 1];
    int64_t per_minute, per_hour;
    const char *origins[2]; /* of the two numbers */
};

/* Made by config_load and not changed after, so any thread may read it. */
struct config {
#define CONFIG_MEMBER_ADDRESS(section, key)  struct config_address section##_##key
#define CONFIG_MEMBER_PATH(section, key)     const char *section##_##key
#define CONFIG_MEMBER_TEXT(section, key)     const char *section##_##key
#define CONFIG_MEMBER_INTEGER(section, key)  int64_t section##_##key
#define CONFIG_MEMBER_DURATION(section, key) int64_t section##_##key##_ms
#define CONFIG_MEMBER_WORD(section, key)     int section##_##key
#define X(section, key, type, ...)           CONFIG_MEMBER_##type(section, key);
    CONFIG_ROWS(X)
#undef X
    struct config_plan plans[CONFIG_PLANS_MAX];
    size_t plan_count;

    const char *file;                      /* that was read; NULL = none */
    const char *texts[CONFIG_ROW_COUNT];   /* each value as it was written */
    const char *origins[CONFIG_ROW_COUNT]; /* "default", "FILE:LINE", "SKYLARK_…", "--flag" */
    struct arena memory;
};

enum config_type {
    CONFIG_ADDRESS,
    CONFIG_PATH,
    CONFIG_TEXT,
    CONFIG_INTEGER,
    CONFIG_DURATION,
    CONFIG_WORD,
};

struct config_row {
    const char *section, *key;
    enum config_type type;
    const char *initial;
    int64_t least, most;
    const char *words; /* allowed ones of a WORD, separated by spaces */
    const char *flag;  /* without dashes, or NULL */
    const char *help;
    size_t offset; /* of the member in struct config */
};

extern const struct config_row config_rows[CONFIG_ROW_COUNT];

enum { CONFIG_NAME_SIZE = 64 };

/* The variable that sets a row: SKYLARK_SECTION_KEY. */
void config_row_environment(const struct config_row *row, char out[CONFIG_NAME_SIZE]);

/* The value of a variable in an environment like environ; NULL when it is not there. */
const char *config_variable(char *const *environment, const char *name);

/* Where values come from. Kept by whoever may load again; the strings must outlive it. */
struct config_source {
    const char *file;                    /* --config; NULL = look in the usual places */
    const char *flags[CONFIG_ROW_COUNT]; /* values given as flags, NULL = not given */
    char *const *environment;            /* like environ */
    const char *usual_file;              /* read if it is there; NULL = CONFIG_USUAL_FILE */
};

#define CONFIG_USUAL_FILE "/etc/skylark/skylark.ini"

/* What was found: one line per fault, each with its place. */
struct config_report {
    struct buf errors, warnings;
    unsigned error_count;
};

void config_report_init(struct config_report *r);
void config_report_done(struct config_report *r);

/* 0, or -EINVAL with *ret NULL and the faults in the report. */
int config_load(struct config **ret, const struct config_source *source,
                struct config_report *report);
void config_free(struct config *c);

/* NULL when there is none of that name. */
const struct config_plan *config_plan_find(const struct config *c, const char *name);
