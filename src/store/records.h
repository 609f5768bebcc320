/* What is kept: plain records, no behaviour. Views inside a record point into memory of whoever
 * filled it (a request's arena, a reader's arena). Times are unix microseconds, 0 = not yet;
 * money is micro-units (millionths) of the currency. The numbers of the enums are on disk:
 * add at the end, never renumber. */
#pragma once

#include "base/str.h"

enum { FIRST_ACCOUNT = 1 }; /* every store has it from the start */

enum mode { MODE_TEST = 0, MODE_LIVE = 1 };

/* X(name, number on disk, word in the API) */
#define MESSAGE_STATUSES(X)                                                                        \
    X(SCHEDULED, 1, "scheduled")                                                                   \
    X(QUEUED, 2, "queued")                                                                         \
    X(SENT, 3, "sent")                                                                             \
    X(DELIVERED, 4, "delivered")                                                                   \
    X(FAILED, 5, "failed")                                                                         \
    X(CANCELLED, 6, "cancelled")                                                                   \
    X(RECEIVED, 7, "received")

#define NUMBER_TYPES(X)                                                                            \
    X(TOLL_FREE, 1, "toll-free")                                                                   \
    X(LOCAL, 2, "local")                                                                           \
    X(SHORT_CODE, 3, "short-code")                                                                 \
    X(ALPHANUMERIC, 4, "alphanumeric")

#define COVERAGES(X)                                                                               \
    X(HIGH, 1, "high")                                                                             \
    X(MEDIUM, 2, "medium")                                                                         \
    X(LOW, 3, "low")

#define ROUTE_REASONS(X)                                                                           \
    X(SMART, 1, "smart-routing")                                                                   \
    X(LOCAL, 2, "local-routing")                                                                   \
    X(INTERNATIONAL, 3, "international-routing")                                                   \
    X(USER, 4, "user-specified")                                                                   \
    X(FAILOVER, 5, "failover")

#define ENCODINGS(X)                                                                               \
    X(GSM7, 1, "GSM-7")                                                                            \
    X(UCS2, 2, "UCS-2")

#define DIRECTIONS(X)                                                                              \
    X(OUTBOUND, 1, "outbound")                                                                     \
    X(INBOUND, 2, "inbound")

#define MESSAGE_KINDS(X)                                                                           \
    X(SMS, 1, "sms")                                                                               \
    X(MMS, 2, "mms")

#define MESSAGE_TYPES(X)                                                                           \
    X(TRANSACTIONAL, 1, "transactional")                                                           \
    X(MARKETING, 2, "marketing")                                                                   \
    X(OTP, 3, "otp")                                                                               \
    X(ALERT, 4, "alert")                                                                           \
    X(PROMOTIONAL, 5, "promotional")

/* Why a message failed. X(name, number on disk, errorCode, errorMessage) */
#define FAILURES(X)                                                                                \
    X(INVALID_DESTINATION, 1, "invalid_destination", "The number cannot exist in its country.")    \
    X(UNREACHABLE, 2, "unreachable", "The handset could not be reached.")                          \
    X(CARRIER_REJECTED, 3, "carrier_rejected", "The carrier refused the message.")                 \
    X(CARRIER_BLOCKED, 4, "carrier_blocked", "The carrier blocks this sender or destination.")     \
    X(SPAM_FILTERED, 5, "spam_filtered", "The carrier took the message for spam.")                 \
    X(RECIPIENT_OPTED_OUT, 6, "recipient_opted_out", "The recipient has opted out.")               \
    X(NO_ROUTE, 7, "no_route", "No carrier takes messages for this destination.")                  \
    X(NO_SENDER, 8, "no_sender", "No sending number can reach this destination.")                  \
    X(QUEUE_FULL, 9, "queue_full", "The carrier's queue is full.")                                 \
    X(VALIDITY_EXPIRED, 10, "validity_expired", "The message was not sent within its validity.")   \
    X(CARRIER_EXPIRED, 11, "carrier_expired", "The carrier gave up before the handset answered.")  \
    X(UNDELIVERABLE, 12, "undeliverable", "The carrier could not deliver the message.")            \
    X(CARRIER_DELETED, 13, "carrier_deleted", "The carrier deleted the message.")                  \
    X(MEDIA_UNREACHABLE, 14, "media_unreachable", "A media file could not be fetched.")            \
    X(MEDIA_TOO_LARGE, 15, "media_too_large", "A media file is too large.")                        \
    X(UNSUPPORTED_MEDIA_TYPE, 16, "unsupported_media_type",                                        \
      "A media file has an unsupported type.")                                                     \
    X(UPSTREAM_TIMEOUT, 17, "upstream_timeout", "The carrier did not answer in time.")             \
    X(UPSTREAM_ERROR, 18, "upstream_error", "The carrier reported an error of its own.")           \
    X(UNKNOWN, 19, "unknown", "The carrier gave no reason.")

enum message_status {
#define X(name, number, word) STATUS_##name = (number),
    MESSAGE_STATUSES(X)
#undef X
};
enum number_type {
#define X(name, number, word) NUMBER_##name = (number),
    NUMBER_TYPES(X)
#undef X
};
enum coverage {
#define X(name, number, word) COVERAGE_##name = (number),
    COVERAGES(X)
#undef X
};
enum route_reason {
#define X(name, number, word) REASON_##name = (number),
    ROUTE_REASONS(X)
#undef X
};
enum encoding {
#define X(name, number, word) ENCODING_##name = (number),
    ENCODINGS(X)
#undef X
};
enum direction {
#define X(name, number, word) DIRECTION_##name = (number),
    DIRECTIONS(X)
#undef X
};
enum message_kind {
#define X(name, number, word) KIND_##name = (number),
    MESSAGE_KINDS(X)
#undef X
};
enum message_type {
#define X(name, number, word) TYPE_##name = (number),
    MESSAGE_TYPES(X)
#undef X
};
enum failure {
    FAILURE_NONE = 0,
#define X(name, number, code, text) FAILURE_##name = (number),
    FAILURES(X)
#undef X
};

struct message {
    int64_t id;      /* given by the store when it is accepted */
    int64_t account; /* whose it is */
    enum mode mode;
    enum direction direction;
    enum message_status status;
    enum message_kind kind;
    enum message_type type;
    struct str from, to; /* "+15551234567", or letters for an alphanumeric sender */
    struct str text;     /* UTF-8 */
    struct str media;    /* media URLs, one per line; empty for SMS */
    enum encoding encoding;
    unsigned segments;
    enum number_type number_type;
    enum coverage coverage;
    enum route_reason reason;
    unsigned rate_limit;   /* messages per minute of the sender */
    unsigned calling_code; /* of the destination: 1, 44, … */
    char country[3];       /* of the destination: ISO 3166 alpha-2, "" unknown */
    int64_t cost_micros;
    char currency[4];
    unsigned
        carrier; /* number of the carrier that it goes to or went to; 0: the simulator, or none */
    bool handed; /* while queued: a carrier may have got it without our knowing */
    unsigned retry_count;
    enum failure failure;
    int64_t created_us, updated_us, sent_us, delivered_us, failed_us, cancelled_us;

    /* What few messages have; empty or 0 when it was not given. */
    struct str subject;
    struct str tags;     /* one per line, in the order given */
    struct str metadata; /* a JSON object, as text */
    struct str webhook_url, webhook_failover_url;
    int64_t validity_s;   /* 0 = not given: VALIDITY_DEFAULT_S holds */
    int64_t scheduled_us; /* when it is to be queued */
    int64_t batch;        /* number of its batch */
};

/* Messages that were sent in one request: their numbers lie between the batch's own and `last`,
 * with no other message between them. */
struct batch_record {
    int64_t id; /* given by the store before its messages get theirs */
    int64_t account;
    enum mode mode;
    int64_t created_us;
    unsigned total, accepted; /* items that were given; items that became messages */
    int64_t last;             /* number of the last message; `id` when there is none */
};

enum { STATUS_SLOTS = 8 }; /* room for a number per status */

/* An entry of a message's history that its own rows do not tell. */
#define EVENT_KINDS(X)                                                                             \
    X(OPTED_OUT, 1, "opted_out")                                                                   \
    X(OPTED_IN, 2, "opted_in")                                                                     \
    X(LATE_RECEIPT, 3, "late_receipt")                                                             \
    X(CARRIER_ANSWER, 4, "carrier_answer")                                                         \
    X(RETRY, 5, "retry")                                                                           \
    X(FAILOVER, 6, "failover")                                                                     \
    X(POSSIBLE_DUPLICATE, 7, "possible_duplicate")                                                 \
    X(RECEIPT, 8, "receipt")                                                                       \
    X(MEDIA, 9, "media")

enum event_kind {
#define X(name, number, word) EVENT_##name = (number),
    EVENT_KINDS(X)
#undef X
};

struct event_record {
    int64_t message;
    int64_t at_us;
    enum event_kind kind;
    struct str detail; /* a sentence for people */
};

/* Requests that are answered once: what an Idempotency-Key stands for. */
enum { ONCE_KEY_SIZE = 16, ONCE_PRINT_SIZE = 16 };

struct once_record {
    int64_t account;
    enum mode mode;
    uint8_t key[ONCE_KEY_SIZE];     /* keyed hash of path and Idempotency-Key */
    uint8_t print[ONCE_PRINT_SIZE]; /* keyed hash of the parsed request */
    int64_t created_us;             /* given by the store */
    int64_t message;                /* the answer was this message, as accepted; else 0 and: */
    unsigned status;
    struct str answer; /* the body, sealed by the caller where it holds a secret */
};

/* Who must not be written to. */
#define OPT_OUT_SOURCES(X)                                                                         \
    X(API, 1, "api")                                                                               \
    X(KEYWORD, 2, "keyword")

enum opt_out_source {
#define X(name, number, word) OPT_OUT_BY_##name = (number),
    OPT_OUT_SOURCES(X)
#undef X
};

struct opt_out_record {
    int64_t id; /* given by the store */
    int64_t account;
    enum mode mode;
    struct str number; /* "+15551234567" */
    enum opt_out_source source;
    struct str keyword; /* what the recipient wrote; "" when it came over the API */
    int64_t created_us;
};

enum { KEY_HASH_SIZE = 32, PLAN_NAME_MAX = 32, ADDRESS_MAX = 45 };
enum { KEY_NAME_CHARS = 64, KEY_NAME_MAX = 4 * KEY_NAME_CHARS }; /* characters, bytes of UTF-8 */
enum { ACCOUNT_NAME_MAX = 64 };

struct account_record {
    int64_t id;
    char name[ACCOUNT_NAME_MAX + 1];
    int64_t created_us;
    int64_t suspended_us;   /* 0 = on */
    bool metered;           /* live messages are paid from the balance, and refused without */
    int64_t balance_micros; /* when metered */
};

enum { LIMIT_OF_PLAN = -1 }; /* a key without a limit of its own */

struct key_record {
    int64_t id;
    int64_t account;
    enum mode mode;
    char name[KEY_NAME_MAX + 1];
    char plan[PLAN_NAME_MAX + 1];
    uint8_t hash[KEY_HASH_SIZE]; /* SHA-256 of the whole key; the key itself is never kept */
    char last_four[5];
    uint32_t permissions;         /* bits of enum permission; 0 = none listed: all but keys:* */
    int64_t per_minute, per_hour; /* its own limits: 0 = none; LIMIT_OF_PLAN */
    int64_t created_us;
    int64_t revoked_us; /* off from then on, which may lie ahead (a rotation with grace); 0 = on */
    int64_t expires_us;
    bool account_suspended; /* read with it */
};

/* How much a key is used: kept beside the key, because it changes all the time. */
struct key_usage {
    int64_t key;
    int64_t last_us; /* 0 = never */
    char address[ADDRESS_MAX + 1];
    int64_t requests; /* so far; when written: how many more */
};

/* How much of its windows a key has used: what limits need to go on after a restart. */
struct limit_count {
    int64_t key;
    int64_t minute, hour; /* which window: unix time divided by 60 and by 3600 */
    uint32_t minute_used, hour_used;
};

/* ---- live carriers ---- */

enum { CARRIER_NAME_MAX = 32, CARRIER_NOTE_MAX = 200, REFERENCE_MAX = 65, PREFIX_MAX = 15 };

#define CARRIER_STATES(X)                                                                          \
    X(UNUSED, 0, "unused") /* not in the configuration (any more), or no server runs */            \
    X(CONNECTING, 1, "connecting")                                                                 \
    X(BOUND, 2, "bound")                                                                           \
    X(DOWN, 3, "down")                                                                             \
    X(DRAINED, 4, "drained")                                                                       \
    X(READY, 5, "ready") /* of one that is not bound to: it answers, as far as we know */

enum carrier_state {
#define X(name, number, word) CARRIER_##name = (number),
    CARRIER_STATES(X)
#undef X
};

/* A carrier by its name in the configuration, and how it stands, as the server last noted it. */
struct carrier_record {
    unsigned id; /* given by the store, for good */
    char name[CARRIER_NAME_MAX + 1];
    bool drained; /* by the operator: gets nothing new */

    int64_t told_us; /* when the rest was noted */
    enum carrier_state state;
    int64_t since_us;
    unsigned binds_up, binds;
    int64_t waiting, in_flight; /* messages; segments */
    /* Since the carrier was first seen. */
    int64_t submitted, taken, refused, throttled, receipts, strays, maybe_twice;
    char note[CARRIER_NOTE_MAX + 1]; /* the last trouble, a sentence */
};

/* Under this id a carrier took this part (from 1) of a message, or the whole (0). */
struct reference_record {
    unsigned carrier;
    struct str id; /* in the form in which receipts are looked for */
    int64_t message;
    unsigned part;
};

/* A receipt that no message was found for. */
struct stray_record {
    int64_t id; /* given by the store */
    int64_t at_us;
    unsigned carrier;
    struct str reference, source, destination, raw;
};

/* A part of a message from a handset that waits for the others. */
struct inbound_part_record {
    unsigned carrier;
    struct str from, to;
    unsigned reference, total, number; /* number counts from 1 */
    struct str text;
    int64_t at_us;
};

/* ---- media ---- */

enum { MEDIA_HASH_SIZE = 32, MEDIA_TYPE_MAX = 63, MEDIA_MAX = 10 };

/* A media file of a message, fetched from where its URL says or brought by a carrier. The content
 * lies in a file of its own, once, however many messages have it. */
struct media_record {
    int64_t message;
    unsigned number;               /* its place in the message, from 1 */
    uint8_t hash[MEDIA_HASH_SIZE]; /* SHA-256 of the content */
    char type[MEDIA_TYPE_MAX + 1]; /* "image/jpeg" */
    int64_t size;
    int64_t at_us; /* when it came */
    int64_t place; /* where the content lies; the store's own */
    bool loose;    /* see store_media_put */
};

/* A price of an operator's list: of a prefix, or of a country. */
struct price_record {
    char prefix[PREFIX_MAX + 1]; /* digits; "" with a country, or for all others */
    char country[3];             /* ISO 3166 alpha-2, or "" */
    enum message_kind kind;      /* SMS: per segment; MMS: per message */
    int64_t from_us;             /* valid from then on */
    int64_t micros;
};

/* ---- what clients are told ---- */

/* A notice is what the API calls an event: that a message came into a status, or something beside.
 * X(name, number on disk, type in the API). The first have the numbers of the statuses. */
#define NOTICE_KINDS(X)                                                                            \
    X(SCHEDULED, 1, "message.scheduled")                                                           \
    X(QUEUED, 2, "message.queued")                                                                 \
    X(SENT, 3, "message.sent")                                                                     \
    X(DELIVERED, 4, "message.delivered")                                                           \
    X(FAILED, 5, "message.failed")                                                                 \
    X(CANCELLED, 6, "message.cancelled")                                                           \
    X(RECEIVED, 7, "message.received")                                                             \
    X(OPT_OUT, 8, "message.opt_out")                                                               \
    X(OPT_IN, 9, "message.opt_in")                                                                 \
    X(TEST, 10, "webhook.test")

enum notice_kind {
#define X(name, number, word) NOTICE_##name = (number),
    NOTICE_KINDS(X)
#undef X
};

struct notice_record {
    /* From the source of message numbers, in the order of commits. The first of a message (that it
     * was accepted: queued, scheduled or received) has the message's own number and no row: the
     * message is its row. */
    int64_t id;
    int64_t account;
    enum mode mode;
    enum notice_kind kind;
    int64_t message; /* 0 for NOTICE_TEST */
    int64_t at_us;
    /* The message as it was then, as far as that changes. */
    int64_t sent_us; /* 0 = not yet */
    enum failure failure;
    unsigned retry_count, carrier;
};

enum { ENDPOINTS_MAX = 10, ENDPOINT_DESCRIPTION_CHARS = 256, SECRET_TEXT_MAX = 128 };

/* Why an endpoint is off. */
#define ENDPOINT_OFF_REASONS(X)                                                                    \
    X(NONE, 0, "")                                                                                 \
    X(ASKED, 1, "disabled")  /* by the client */                                                   \
    X(GONE, 2, "gone")       /* it answered 410 */                                                 \
    X(FAILING, 3, "failing") /* nothing but failures for five days */

enum endpoint_off {
#define X(name, number, word) ENDPOINT_OFF_##name = (number),
    ENDPOINT_OFF_REASONS(X)
#undef X
};

/* Where an account wants to be told. */
struct endpoint_record {
    int64_t id; /* given by the store */
    int64_t account;
    /* False: one that a client made. True: the origin ("https://example.com:8443") of addresses
     * that messages bring along (webhookUrl); made by the store, signed with the account's own
     * secret (secret_record), and in no list. */
    bool of_messages;
    uint32_t modes;  /* bits 1 << enum mode */
    uint32_t kinds;  /* bits 1 << enum notice_kind */
    bool every_kind; /* "*": kinds that are yet to come, too */
    struct str url, description;
    struct str secret, old_secret; /* "whsec_…"; the old one is "" but during a rotation */
    int64_t old_until_us;
    int64_t created_us, updated_us;

    /* How it stands. */
    enum endpoint_off off;
    int64_t off_us;
    unsigned failures;        /* in a row */
    int64_t failing_since_us; /* since the last success; 0 = it is well */
    int64_t paused_until_us;  /* 0 = not paused */
    int64_t last_success_us;  /* 0 = never */

    /* A redelivery that is under way: deliveries between these numbers in these states. */
    int64_t replay_from, replay_to; /* 0, 0 = none; `from` moves on */
    uint32_t replay_states, replay_modes;
};

/* With what an account's messages that bring an address along are signed, per mode. */
struct secret_record {
    int64_t account;
    enum mode mode;
    struct str secret, old_secret;
    int64_t old_until_us;
};

/* The numbers begin with 2, because 0 and 1 take no room on disk: a row does not grow. */
#define DELIVERY_STATES(X)                                                                         \
    X(WAITING, 2, "pending")                                                                       \
    X(DONE, 3, "delivered")                                                                        \
    X(FAILED, 4, "failed")

enum delivery_state {
#define X(name, number, word) DELIVERY_##name = (number),
    DELIVERY_STATES(X)
#undef X
};

/* One notice on its way to one endpoint. */
struct delivery_record {
    int64_t id; /* from the source of message numbers */
    int64_t endpoint;
    int64_t account;
    enum mode mode;
    int64_t notice;
    enum notice_kind kind;
    int64_t message; /* 0 for NOTICE_TEST */
    enum delivery_state state;
    unsigned attempts; /* so far, in all */
    unsigned tries; /* of them in this round: since it was made, or since it was asked for again */
    int64_t created_us;
    int64_t due_us; /* while it waits: not before */
};

/* A place among what waits: when it is due, and its number. */
struct delivery_place {
    int64_t due_us, id;
};

enum { ATTEMPT_ANSWER_MAX = 1024, ATTEMPT_ERROR_MAX = 256, ATTEMPT_SIGNATURE_MAX = 256 };

/* One try to deliver, as it went. */
struct attempt_record {
    int64_t delivery;
    unsigned number; /* from 1 */
    bool failover;   /* to the message's webhookFailoverUrl */
    int64_t at_us, duration_us;
    int64_t connect_us;   /* of it, until the connection stood; 0 = it was there already */
    unsigned status;      /* of the answer; 0 = there was none */
    struct str error;     /* a sentence when it failed without an answer; "" */
    struct str answer;    /* its first 1024 bytes */
    struct str signature; /* X-Service-Signature and webhook-signature, one per line */
    struct str url;       /* where it went, which may have changed since; "" = nowhere */
};

/* ---- numbers ---- */

/* What messages have in common that are counted together. A message belongs to one series from when
 * it is accepted. */
struct series_record {
    int64_t id; /* given by the store: 2, 3, … for each account and mode */
    int64_t account;
    enum mode mode;
    enum direction direction;
    enum message_kind kind;
    enum message_type type;
    enum number_type number_type;
    char country[3];   /* of the destination: ISO 3166 alpha-2, "" unknown */
    struct str sender; /* "from" of outbound messages; "" of inbound ones */
    struct str tags;   /* sorted, each once, one per line */
    bool other_tags; /* their tags are not told apart: the account has used too many sets of them */
};

/* So many sets of tags are told apart, for an account and mode. */
enum { SERIES_TAG_SETS_MAX = 2048 };

struct rollup_slot {
    unsigned slot; /* an enum failure; or a slot of times, see rollup.h */
    int64_t count;
};

/* Those that have a count, in the order of slots. */
struct rollup_slots {
    struct rollup_slot *at;
    size_t count, room;
};

/* Counts of the messages of a series that were accepted in one span of time, as they stand now. */
struct rollup {
    int64_t accepted;               /* counted once, when they were; never changed by moves */
    int64_t statuses[STATUS_SLOTS]; /* by what they are now */
    int64_t segments;               /* of outbound messages */
    int64_t cost_micros; /* of outbound messages, what clients pay: see message_is_free */
    int64_t delivery_ms; /* sum of the times from sent to delivered */
    struct rollup_slots failures, times;
};

/* What happened to messages in a span of time, whenever they were accepted. X(member) */
#define PULSE_COUNTS(X)                                                                            \
    X(accepted)                                                                                    \
    X(sent)                                                                                        \
    X(delivered)                                                                                   \
    X(failed)                                                                                      \
    X(cancelled)                                                                                   \
    X(received)                                                                                    \
    X(hook_failures) /* attempts to tell clients that did not succeed */

struct pulse {
#define X(member) int64_t member;
    PULSE_COUNTS(X)
#undef X
};

struct pulse_minute {
    int64_t minute; /* unix time / 60 */
    struct pulse seconds[60];
};

enum { QUEUE_LANES_MAX = 64 };

/* What waits, of an account and mode. */
struct queue_state {
    int64_t scheduled, queued, sent;
    int64_t oldest_queued_us; /* when the oldest was queued, to the second; 0 = none is */
    int64_t hooks_pending;    /* deliveries of webhooks */
    struct queue_lane {
        unsigned carrier; /* 0: the simulator */
        int64_t queued;
    } lanes[QUEUE_LANES_MAX];
    size_t lane_count; /* carriers that have some */
};

/* Whether all that was counted is right. */
struct books {
    int64_t accepted; /* ever, of all accounts */
    int64_t delivered, failed, cancelled, received, in_flight;
    int64_t messages;    /* in the store now */
    int64_t differences; /* counts that are not what they should be; 0 = all is well */
    char first[200];     /* the first of them, a sentence; "" */
};
