/* The configuration: one table of settings, and the values that hold now with where each came from.
 * A flag wins over the environment, that over the file, that over the default. Everything is
 * checked before anything is used: a faulty file gives a list of faults and no configuration.
 * The only user of inih. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

enum { CONFIG_HOST_MAX = 255, CONFIG_SECTION_NAME_MAX = 32 };

struct config_address {
    char host[CONFIG_HOST_MAX + 1]; /* a name or an address, IPv6 without its brackets */
    uint16_t port;
};

enum { CONFIG_LOG_AUTO, CONFIG_LOG_TEXT, CONFIG_LOG_JSON }; /* log_format: the words' order */
enum { CONFIG_REQUESTS_OFF, CONFIG_REQUESTS_ERRORS, CONFIG_REQUESTS_ALL }; /* log_requests */

#define CONFIG_DAY_MS     INT64_C(86400000)
#define CONFIG_LONGEST_MS (36500 * CONFIG_DAY_MS) /* a hundred years */

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
    X(server, public_url, TEXT, "", 0, 1000, NULL, NULL,                                           \
      "Where clients reach this server, for links; not set: where it listens.")                    \
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
    X(simulator, media, WORD, "lenient", 0, 0, "off lenient strict", NULL,                         \
      "Media of test messages: fetched as far as possible, or like live ones.")                    \
    X(media, connections, INTEGER, "64", 1, 4096, NULL, NULL,                                      \
      "Connections to servers of media open at once.")                                             \
    X(media, timeout, DURATION, "30s", 1000, 600000, NULL, NULL, "Time to fetch one media file.")  \
    X(media, max_size, INTEGER, "5000000", 1000, 100000000, NULL, NULL,                            \
      "Bytes that the media of a message may have, all together.")                                 \
    X(media, reserve, INTEGER, "67108864", 0, 1000000000000000, NULL, NULL,                        \
      "Bytes of the disk that media files leave free, for messages.")                              \
    X(media, allow, TEXT, "", 0, 4000, NULL, NULL,                                                 \
      "Networks (CIDR) besides the public internet that media may be fetched from.")               \
    X(media, allow_localhost, WORD, "off", 0, 0, "off on", "allow-localhost-media",                \
      "on lets media be fetched from this machine; for development.")                              \
    X(media, ca, PATH, "", 0, 0, NULL, NULL,                                                       \
      "Authorities (PEM) that servers of media are trusted by besides the system's.")              \
    X(mm7, listen, ADDRESS, "127.0.0.1:8444", 0, 0, "off", "mm7-listen",                           \
      "Address and port where MMSCs bring reports and messages; off: nowhere.")                    \
    X(mm7, tls, WORD, "off", 0, 0, "off on", NULL,                                                 \
      "on: MMSCs come over TLS, and see the certificate of the API.")                              \
    X(webhooks, allow, TEXT, "", 0, 4000, NULL, NULL,                                              \
      "Networks (CIDR) besides the public internet that webhooks may reach.")                      \
    X(webhooks, allow_localhost, WORD, "off", 0, 0, "off on", "allow-localhost-webhooks",          \
      "on lets webhooks reach this machine, also over plain HTTP; for development.")               \
    X(webhooks, ca, PATH, "", 0, 0, NULL, NULL,                                                    \
      "Authorities (PEM) that webhooks trust besides the system's.")                               \
    X(webhooks, connections, INTEGER, "512", 1, 65536, NULL, NULL,                                 \
      "Connections to webhooks open at once.")                                                     \
    X(webhooks, per_endpoint, INTEGER, "32", 1, 1024, NULL, NULL,                                  \
      "Deliveries under way at once to one endpoint.")                                             \
    X(retention, messages, DURATION, "400d", 0, CONFIG_LONGEST_MS, NULL, NULL,                     \
      "How long messages are kept, at least 2d; 0 keeps them for ever.")                           \
    X(retention, events, DURATION, "30d", CONFIG_DAY_MS, CONFIG_LONGEST_MS, NULL, NULL,            \
      "How long events are kept, and receipts that no message was found for.")                     \
    X(retention, deliveries, DURATION, "30d", CONFIG_DAY_MS, CONFIG_LONGEST_MS, NULL, NULL,        \
      "How long deliveries to webhooks are kept with their attempts.")                             \
    X(retention, idempotency, DURATION, "24h", CONFIG_DAY_MS, 30 * CONFIG_DAY_MS, NULL, NULL,      \
      "How long an Idempotency-Key is remembered.")                                                \
    X(log, level, WORD, "info", 0, 0, "debug info warning error", "log-level",                     \
      "The least important events that are logged.")                                               \
    X(log, format, WORD, "auto", 0, 0, "auto text json", "log-format",                             \
      "Form of the log; auto is text on a terminal and json otherwise.")                           \
    X(log, requests, WORD, "errors", 0, 0, "off errors all", NULL,                                 \
      "Requests that get a line in the log; errors are answers from 500 on.")                      \
    X(metrics, listen, ADDRESS, "127.0.0.1:9464", 0, 0, "off", "metrics-listen",                   \
      "Address and port of the metrics for Prometheus; off: none.")                                \
    X(metrics, token, SECRET, "", 0, 256, NULL, NULL,                                              \
      "What must be shown to read the metrics; needed unless they are on loopback.")

/* What the sections that have a name hold: [plan NAME], [carrier NAME], [mmsc NAME], [sender
 * ADDRESS], [route NAME]. X(key, type, default, least, most, words, help); the member is the key,
 * durations end in _ms and money in _micros. */
#define CONFIG_PLAN_ROWS(X)                                                                        \
    X(per_minute, INTEGER, "0", 0, 1000000000, NULL, "Requests in a minute; 0: any number.")       \
    X(per_hour, INTEGER, "0", 0, 1000000000, NULL, "Requests in an hour; 0: any number.")

#define CONFIG_CARRIER_ROWS(X)                                                                     \
    X(address, ADDRESS, "", 1, 0, NULL, "Host and port of the carrier's SMPP server.")             \
    X(system_id, TEXT, "", 0, 15, NULL, "Name to bind with.")                                      \
    X(password, SECRET, "", 0, 64, NULL, "Password to bind with.")                                 \
    X(system_type, TEXT, "", 0, 12, NULL, "System type, if the carrier wants one.")                \
    X(bind, WORD, "transceiver", 0, 0, "transceiver separate",                                     \
      "One bind for both ways, or a transmitter and a receiver.")                                  \
    X(binds, INTEGER, "1", 1, 32, NULL, "How many binds (or pairs of them) are held.")             \
    X(version, WORD, "3.4", 0, 0, "3.3 3.4 5.0", "Version of SMPP that is asked for.")             \
    X(tls, WORD, "off", 0, 0, "off on", "Whether the connection is TLS from the first byte.")      \
    X(tls_ca, PATH, "", 0, 0, NULL, "Authorities to trust (PEM); not set: those of the system.")   \
    X(tls_certificate, PATH, "", 0, 0, NULL, "Certificate to show when asked (PEM).")              \
    X(tls_key, PATH, "", 0, 0, NULL, "The private key of tls_certificate (PEM).")                  \
    X(tls_name, TEXT, "", 0, 255, NULL, "Name in the carrier's certificate; not set: the host.")   \
    X(window, INTEGER, "10", 1, 1000, NULL, "Segments that may be unanswered on a bind.")          \
    X(rate, INTEGER, "0", 0, 100000, NULL, "Segments a second, all binds together; 0: any.")       \
    X(enquire_link, DURATION, "30s", 1000, 3600000, NULL, "Silence after which we ask.")           \
    X(response_timeout, DURATION, "60s", 100, 3600000, NULL, "Time for an answer.")                \
    X(connect_timeout, DURATION, "10s", 100, 600000, NULL, "Time to connect and to bind.")         \
    X(reconnect_min, DURATION, "1s", 10, 3600000, NULL, "First wait before connecting again.")     \
    X(reconnect_max, DURATION, "60s", 10, 3600000, NULL, "Longest such wait.")                     \
    X(refused_wait, DURATION, "5m", 10, 86400000, NULL, "Wait after wrong credentials.")           \
    X(stall_timeout, DURATION, "60s", 100, 3600000, NULL,                                          \
      "Work waits, the bind is up and nothing is answered: bind anew after this time.")            \
    X(unanswered, WORD, "resend", 0, 0, "resend fail",                                             \
      "What happens to messages that went out and were not answered.")                             \
    X(long_text, WORD, "udh8", 0, 0, "udh8 udh16 sar payload", "How long texts are sent.")         \
    X(alphabet, WORD, "gsm", 0, 0, "gsm gsm_packed latin1 ascii ucs2",                             \
      "Alphabet of ordinary texts; others go as UCS-2.")                                           \
    X(data_coding, INTEGER, "-1", -1, 255, NULL, "data_coding of that alphabet; -1: the usual.")   \
    X(number_ton_npi, TEXT, "1/1", 0, 7, NULL, "TON/NPI of senders that are numbers.")             \
    X(name_ton_npi, TEXT, "5/0", 0, 7, NULL, "TON/NPI of senders that are names.")                 \
    X(short_code_ton_npi, TEXT, "3/0", 0, 7, NULL, "TON/NPI of short codes.")                      \
    X(recipient_ton_npi, TEXT, "1/1", 0, 7, NULL, "TON/NPI of recipients.")                        \
    X(service_type, TEXT, "", 0, 5, NULL, "Service type of messages.")                             \
    X(esm_class, INTEGER, "0", 0, 3, NULL,                                                         \
      "Mode bits of messages: 0, or 3 for store and forward.")                                     \
    X(receipts, WORD, "final", 0, 0, "final failures all none", "Which receipts are asked for.")   \
    X(receipt_ids, WORD, "auto", 0, 0, "auto text hex_answer hex_receipt",                         \
      "Which side writes message ids in hexadecimal.")                                             \
    X(receipts_by, WORD, "esm_class", 0, 0, "esm_class content", "How receipts are known.")        \
    X(statuses, TEXT, "", 0, 1000, NULL,                                                           \
      "What statuses mean here: 0x45=temporary 0x400-0x4ff=permanent:spam.")

/* A carrier of MMS: an MMSC that we reach over MM7. */
#define CONFIG_MMSC_ROWS(X)                                                                        \
    X(url, TEXT, "", 1, 2048, NULL, "Where the MMSC takes messages: https://mmsc.example/mm7.")    \
    X(vasp_id, TEXT, "", 0, 64, NULL, "Our VASPID.")                                               \
    X(vas_id, TEXT, "", 0, 64, NULL, "Our VASID.")                                                 \
    X(username, TEXT, "", 0, 255, NULL, "Name for HTTP Basic authentication.")                     \
    X(password, SECRET, "", 0, 255, NULL, "Password of username.")                                 \
    X(token, SECRET, "", 0, 4096, NULL, "Token for Bearer authentication, instead of both.")       \
    X(version, TEXT, "6.8.0", 0, 16, NULL, "MM7Version that we say: three numbers.")               \
    X(namespace, TEXT,                                                                             \
      "http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-6-MM7-1-4", 0, 255, NULL, \
      "XML namespace of MM7 that the MMSC knows, as a whole.")                                     \
    X(numbers, WORD, "plus", 0, 0, "plus plain plmn",                                              \
      "Form of numbers: +15551234567, 15551234567, or +15551234567/TYPE=PLMN.")                    \
    X(service_code, TEXT, "", 0, 64, NULL, "ServiceCode of messages, for billing.")                \
    X(encoding, WORD, "base64", 0, 0, "base64 binary", "How media files travel.")                  \
    X(max_size, INTEGER, "0", 0, 100000000, NULL,                                                  \
      "Bytes of media that the MMSC takes in a message; 0: as media.max_size.")                    \
    X(media_types, WORDS, "", 0, 0, "jpeg png gif webp mp4 3gp amr mp3 vcard text",                \
      "Types of media that it takes; not set: all but webp.")                                      \
    X(reports, WORD, "on", 0, 0, "off on", "Whether delivery reports are asked for.")              \
    X(window, INTEGER, "32", 1, 1000, NULL, "Messages that may be unanswered.")                    \
    X(rate, INTEGER, "0", 0, 100000, NULL, "Messages a second; 0: any number.")                    \
    X(connect_timeout, DURATION, "10s", 100, 600000, NULL, "Time to connect.")                     \
    X(response_timeout, DURATION, "60s", 100, 3600000, NULL, "Time for a message and its answer.") \
    X(reconnect_min, DURATION, "1s", 10, 3600000, NULL, "First wait after the MMSC failed.")       \
    X(reconnect_max, DURATION, "60s", 10, 3600000, NULL, "Longest such wait.")                     \
    X(refused_wait, DURATION, "5m", 10, 86400000, NULL, "Wait after wrong credentials.")           \
    X(unanswered, WORD, "resend", 0, 0, "resend fail",                                             \
      "What happens to messages that went out and were not answered.")                             \
    X(tls_ca, PATH, "", 0, 0, NULL, "Authorities to trust (PEM) besides those of the system.")     \
    X(listen_path, TEXT, "", 0, 255, NULL, "Where it brings reports; not set: /mm7/NAME.")         \
    X(listen_username, TEXT, "", 0, 255, NULL, "Name that it must show there.")                    \
    X(listen_password, SECRET, "", 0, 255, NULL, "Password of listen_username.")                   \
    X(allow, TEXT, "", 0, 4000, NULL, "Networks (CIDR) that it comes from; not set: any.")

#define CONFIG_SENDER_ROWS(X)                                                                      \
    X(type, WORD, "auto", 0, 0, "auto toll-free local short-code alphanumeric", "Kind of sender.") \
    X(country, TEXT, "", 0, 2, NULL, "Country it is at home in (ISO 3166); not set: by number.")   \
    X(capabilities, WORDS, "sms", 1, 0, "sms mms", "What it can send: sms, mms or both.")          \
    X(without_mms, WORD, "refuse", 0, 0, "refuse links",                                           \
      "Media where no MMS goes: refused, or sent as an SMS with links.")                           \
    X(messages_per_minute, INTEGER, "60", 1, 1000000, NULL, "What networks let it send.")          \
    X(carriers, TEXT, "", 0, 1000, NULL, "Carriers that take it; not set: all.")                   \
    X(account, TEXT, "", 0, 64, NULL, "Whose it is; not set: everybody's.")

#define CONFIG_ROUTE_ROWS(X)                                                                       \
    X(prefix, TEXT, "", 0, 1000, NULL, "Destinations: +1 +44; not set: everywhere.")               \
    X(type, WORDS, "", 0, 0, "transactional marketing otp alert promotional sms mms",              \
      "Message types, and sms or mms; not set: all.")                                              \
    X(carrier, TEXT, "", 0, 32, NULL, "Where such messages go.")                                   \
    X(priority, INTEGER, "10", 0, 1000, NULL, "Among equal prefixes the least comes first.")       \
    X(weight, INTEGER, "1", 0, 1000, NULL, "Share among equals; 0: only as a last resort.")        \
    X(cost, MONEY, "0", 0, 0, NULL, "What the carrier takes per segment, in US dollars.")          \
    X(failover_after, DURATION, "30s", 0, 86400000, NULL,                                          \
      "A message that waits longer goes another route; 0: it waits.")

enum {
    CONFIG_PLANS_MAX = 256,
    CONFIG_CARRIERS_MAX = 64,
    CONFIG_SENDERS_MAX = 4096,
    CONFIG_ROUTES_MAX = 4096
};

enum { CONFIG_BIND_TRANSCEIVER, CONFIG_BIND_SEPARATE };
enum { CONFIG_NUMBERS_PLUS, CONFIG_NUMBERS_PLAIN, CONFIG_NUMBERS_PLMN };
enum { CONFIG_ENCODING_BASE64, CONFIG_ENCODING_BINARY };
enum { CONFIG_MEDIA_OFF, CONFIG_MEDIA_LENIENT, CONFIG_MEDIA_STRICT }; /* simulator_media */
enum { CONFIG_WITHOUT_MMS_REFUSE, CONFIG_WITHOUT_MMS_LINKS };
enum { CONFIG_SENDER_AUTO }; /* the other words of a sender's type are those of enum number_type */
enum { CONFIG_RECEIPTS_FINAL, CONFIG_RECEIPTS_FAILURES, CONFIG_RECEIPTS_ALL, CONFIG_RECEIPTS_NONE };

enum config_row_index {
#define X(section, key, ...) CONFIG_##section##_##key,
    CONFIG_ROWS(X)
#undef X
        CONFIG_ROW_COUNT
};

/* What every section with a name begins with. */
struct config_section {
    char name[CONFIG_SECTION_NAME_MAX + 1]; /* of a sender: its address */
    const char *place;    /* FILE:LINE where it begins; "default": it is there without a file */
    const char **texts;   /* each value as it was written, by the rows of its kind */
    const char **origins; /* of each: "default" or FILE:LINE */
    bool faulty;          /* a fault of it is in the report */
};

#define CONFIG_NAMED_ADDRESS(key)  struct config_address key
#define CONFIG_NAMED_PATH(key)     const char *key
#define CONFIG_NAMED_TEXT(key)     const char *key
#define CONFIG_NAMED_SECRET(key)   const char *key
#define CONFIG_NAMED_INTEGER(key)  int64_t key
#define CONFIG_NAMED_DURATION(key) int64_t key##_ms
#define CONFIG_NAMED_MONEY(key)    int64_t key##_micros
#define CONFIG_NAMED_WORD(key)     int key
#define CONFIG_NAMED_WORDS(key)    uint32_t key /* a bit for each, in the order of the row's words */
#define CONFIG_NAMED_STRUCT(kind, ROWS)                                                            \
    struct kind {                                                                                  \
        union {                                                                                    \
            struct config_section section;                                                         \
            struct { /* the same, for short */                                                     \
                char name[CONFIG_SECTION_NAME_MAX + 1];                                            \
                const char *place, **texts, **origins;                                             \
                bool faulty;                                                                       \
            };                                                                                     \
        };                                                                                         \
        ROWS(X)                                                                                    \
    }
#define X(key, type, ...) CONFIG_NAMED_##type(key);
CONFIG_NAMED_STRUCT(config_plan, CONFIG_PLAN_ROWS);
CONFIG_NAMED_STRUCT(config_carrier, CONFIG_CARRIER_ROWS);
CONFIG_NAMED_STRUCT(config_mmsc, CONFIG_MMSC_ROWS);
CONFIG_NAMED_STRUCT(config_sender, CONFIG_SENDER_ROWS);
CONFIG_NAMED_STRUCT(config_route, CONFIG_ROUTE_ROWS);
#undef X

/* The kinds of such sections, in the order in which they are shown. */
enum { CONFIG_PLAN, CONFIG_CARRIER, CONFIG_MMSC, CONFIG_SENDER, CONFIG_ROUTE, CONFIG_KIND_COUNT };

/* The sections of one kind, in the order of the file. */
struct config_list {
    void *items;
    size_t count, room;
};

/* Made by config_load and not changed after, so any thread may read it. */
struct config {
#define CONFIG_MEMBER_ADDRESS(section, key)  struct config_address section##_##key
#define CONFIG_MEMBER_PATH(section, key)     const char *section##_##key
#define CONFIG_MEMBER_TEXT(section, key)     const char *section##_##key
#define CONFIG_MEMBER_SECRET(section, key)   const char *section##_##key
#define CONFIG_MEMBER_INTEGER(section, key)  int64_t section##_##key
#define CONFIG_MEMBER_DURATION(section, key) int64_t section##_##key##_ms
#define CONFIG_MEMBER_WORD(section, key)     int section##_##key
#define X(section, key, type, ...)           CONFIG_MEMBER_##type(section, key);
    CONFIG_ROWS(X)
#undef X
    struct config_plan *plans; /* those of the program first */
    size_t plan_count;
    struct config_carrier *carriers; /* in the order of the file, as all of these */
    size_t carrier_count;
    struct config_mmsc *mmscs;
    size_t mmsc_count;
    struct config_sender *senders;
    size_t sender_count;
    struct config_route *routes;
    size_t route_count;
    struct config_list lists[CONFIG_KIND_COUNT]; /* the same once more, by kind */

    const char *file;                      /* that was read; NULL = none */
    const char *texts[CONFIG_ROW_COUNT];   /* each value as it was written */
    const char *origins[CONFIG_ROW_COUNT]; /* "default", "FILE:LINE", "SKYLARK_…", "--flag" */
    struct arena memory;
};

enum config_type {
    CONFIG_ADDRESS, /* least: the least port; `words`: a word instead, and host is "" */
    CONFIG_PATH,
    CONFIG_TEXT,   /* most: so many characters; 0 = any number */
    CONFIG_SECRET, /* the same, and not shown */
    CONFIG_INTEGER,
    CONFIG_DURATION,
    CONFIG_MONEY,
    CONFIG_WORD,
    CONFIG_WORDS, /* least: so many of them */
};

struct config_row {
    const char *section, *key;
    enum config_type type;
    const char *initial;
    int64_t least, most;
    const char *words; /* allowed ones of a WORD or WORDS, separated by spaces */
    const char *flag;  /* without dashes, or NULL */
    const char *help;
    size_t offset; /* of the member in struct config, or in that of its kind */
};

extern const struct config_row config_rows[CONFIG_ROW_COUNT];

/* A kind of section that has a name. */
struct config_kind {
    const char *word, *sample; /* [word sample]: "carrier", "NAME" */
    const struct config_row *rows;
    size_t row_count;
    const char *required; /* keys that have no default, separated by spaces */
    bool (*name_good)(const char *name);
    const char *name_rule; /* "a plan's name has …" */
    size_t size;           /* of its struct, which begins with a struct config_section */
    size_t max;
};

extern const struct config_kind config_kinds[CONFIG_KIND_COUNT];

/* The i-th section of a kind. */
const struct config_section *config_section_at(const struct config *c, unsigned kind, size_t i);
/* Cuts the next word off a list that is separated by spaces or commas; empty when none is left. */
struct str config_list_cut(struct str *list);

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
/* The same, but *ret is also there when there are faults, for those who look for more of them:
 * what is faulty has its default, and sections with faults are marked. -ENOMEM: it is NULL. */
int config_read(struct config **ret, const struct config_source *source,
                struct config_report *report);
void config_free(struct config *c);

/* Whether nobody but this machine can reach it. */
bool config_address_is_loopback(const struct config_address *a);

/* NULL when there is none of that name. */
const struct config_plan *config_plan_find(const struct config *c, const char *name);
