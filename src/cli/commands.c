/* Every command: its words, what it takes, and how it explains itself. */
#include "cli/command.h"

#define HAS(name)  [OPTION_##name] = true
#define STORE_SET  HAS(CONFIG), HAS(DATA_DIR)
#define CLIENT_SET STORE_SET, HAS(URL), HAS(CACERT), HAS(OUTPUT)
#define SETTING_SET                                                                                \
    STORE_SET, HAS(LISTEN), HAS(WORKERS), HAS(LOG_LEVEL), HAS(LOG_FORMAT), HAS(ALLOW_LOCALHOST),   \
        HAS(ALLOW_LOCALHOST_MEDIA), HAS(METRICS_LISTEN), HAS(MM7_LISTEN)

#define MEANS(...) ((const struct meaning[]){__VA_ARGS__, {OPTION_COUNT, NULL, NULL}})
#define MEANS_SECRET                                                                               \
    {                                                                                              \
        OPTION_SECRET_FILE, "FILE",                                                                \
            "File with a secret of your own, whsec_ and base64; - is standard input. Not given: "  \
            "one is "                                                                              \
            "made."                                                                                \
    }
#define MEANS_GRACE                                                                                \
    {                                                                                              \
        OPTION_GRACE, "HOURS", "How long the old secret goes on, 0 to 168; 24 if not given."       \
    }

#define REPORT_SET                                                                                 \
    CLIENT_SET, HAS(START), HAS(END), HAS(PERIOD), HAS(INTERVAL), HAS(COUNTRY), HAS(MESSAGE_TYPE), \
        HAS(TAG), HAS(FROM), HAS(PLOT), HAS(NO_PLOT)
#define MEANS_REPORT                                                                               \
    MEANS({OPTION_TAG, "WORD", "Only messages with this tag."},                                    \
          {OPTION_FROM, "SENDER", "Only messages from this number or name."},                      \
          {OPTION_MESSAGE_TYPE, "TYPE",                                                            \
           "Only transactional, marketing, otp, alert or promotional ones."})

const struct command commands[] = {
    {.words = "serve",
     .options = {SETTING_SET},
     .run = run_serve,
     .summary = "Run the server.",
     .details = "Works without any configuration: makes its folder, store and certificates at the "
                "first start and tells what to do next. SIGTERM stops it, SIGHUP makes it read the "
                "configuration again.",
     .example = "skylark serve --data-dir ./data --listen 127.0.0.1:8443"},
    {.words = "send",
     .arguments = "[NUMBER TEXT]",
     .most = 2,
     .options = {CLIENT_SET, HAS(TO), HAS(FROM), HAS(TEXT), HAS(MEDIA), HAS(MESSAGE_TYPE),
                 HAS(SUBJECT), HAS(TAG), HAS(METADATA), HAS(VALIDITY), HAS(SCHEDULE), HAS(DRY_RUN),
                 HAS(IDEMPOTENCY_KEY)},
     .run = run_send,
     .summary = "Send a message.",
     .details =
         "The key comes from $SKYLARK_API_KEY, or from the file test-key in the data folder. "
         "With a test key no message leaves the machine. With --media it becomes an MMS, which "
         "needs no text.",
     .example = "skylark send +15550001234 \"Hello\""},
    {.words = "messages list",
     .options = {CLIENT_SET, HAS(LIMIT), HAS(CURSOR), HAS(STATUS), HAS(TO), HAS(FROM),
                 HAS(DIRECTION), HAS(TAG), HAS(BATCH), HAS(AFTER), HAS(BEFORE)},
     .run = run_messages_list,
     .summary = "Show messages, newest first.",
     .example = "skylark messages list --status failed --after 2026-01-31T00:00:00Z -o csv"},
    {.words = "messages get",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET},
     .run = run_messages_get,
     .summary = "Show one message.",
     .example = "skylark messages get msg_4fT9aKx02Lq"},
    {.words = "messages events",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET},
     .run = run_messages_events,
     .summary = "Show what happened to a message, and why.",
     .example = "skylark messages events msg_4fT9aKx02Lq"},
    {.words = "messages cancel",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET},
     .run = run_messages_cancel,
     .summary = "Call back a message that no carrier has yet.",
     .example = "skylark messages cancel msg_4fT9aKx02Lq"},
    {.words = "webhooks list",
     .options = {CLIENT_SET},
     .run = run_webhooks_list,
     .summary = "Show the addresses that are told what happens to messages.",
     .example = "skylark webhooks list"},
    {.words = "webhooks create",
     .arguments = "URL",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET, HAS(EVENTS), HAS(MODE), HAS(DESCRIPTION), HAS(SECRET_FILE)},
     .meanings =
         MEANS({OPTION_EVENTS, "LIST",
                "What to tell: message.sent,message.delivered,message.failed if not given; * is "
                "all. 'skylark webhooks event-types' explains them."},
               {OPTION_MODE, "MODE",
                "Of which messages: test, live or all. With a test key only test, which it is "
                "when not given."},
               MEANS_SECRET),
     .run = run_webhooks_create,
     .summary = "Have an address told what happens to messages.",
     .details = "Each event is a POST with JSON, signed with a secret that is shown once, now. "
                "The address must be https and of the public internet, unless the operator lets "
                "others through (webhooks.allow, webhooks.allow_localhost). To try things on your "
                "own machine 'skylark webhooks listen' needs none of that.",
     .example = "skylark webhooks create https://example.com/hook --events message.failed"},
    {.words = "webhooks get",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET},
     .run = run_webhooks_get,
     .summary = "Show one webhook and how it stands.",
     .example = "skylark webhooks get whk_4fT9aKx02Lq"},
    {.words = "webhooks update",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET, HAS(ENDPOINT), HAS(EVENTS), HAS(MODE), HAS(DESCRIPTION), HAS(ENABLE),
                 HAS(DISABLE)},
     .meanings = MEANS(
         {OPTION_EVENTS, "LIST", "What to tell, such as message.sent,message.failed; * is all."}),
     .run = run_webhooks_update,
     .summary = "Change a webhook, or switch it on or off.",
     .details = "What is not named stays as it is.",
     .example = "skylark webhooks update whk_4fT9aKx02Lq --enable"},
    {.words = "webhooks delete",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET},
     .run = run_webhooks_delete,
     .summary = "Remove a webhook, and what waits for it.",
     .example = "skylark webhooks delete whk_4fT9aKx02Lq"},
    {.words = "webhooks rotate-secret",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET, HAS(GRACE), HAS(SECRET_FILE)},
     .meanings = MEANS(MEANS_GRACE, MEANS_SECRET),
     .run = run_webhooks_rotate_secret,
     .summary = "Give a webhook a new secret.",
     .details = "During the hours of grace X-Service-Signature is made with the old secret, and "
                "webhook-signature lists both; so receivers can change over in their own time.",
     .example = "skylark webhooks rotate-secret whk_4fT9aKx02Lq --grace 24"},
    {.words = "webhooks message-secret",
     .options = {CLIENT_SET, HAS(GRACE)},
     .meanings = MEANS(MEANS_GRACE),
     .run = run_webhooks_message_secret,
     .summary = "Make a new secret for the webhookUrl of messages.",
     .details = "What goes to a webhookUrl that a message brings is signed with one secret for all "
                "messages of the account, one for test and one for live. It is shown only when "
                "it is made, which this does.",
     .example = "skylark webhooks message-secret"},
    {.words = "webhooks test",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET},
     .run = run_webhooks_test,
     .summary = "Send a webhook an event to try it, and tell what it answers.",
     .details = "Waits up to 35 seconds. Exits with 0 when the answer is 2xx, with 1 when it is "
                "not, and with 8 when nothing was sent in that time.",
     .example = "skylark webhooks test whk_4fT9aKx02Lq"},
    {.words = "webhooks deliveries",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET, HAS(LIMIT), HAS(CURSOR), HAS(STATUS), HAS(SINCE), HAS(UNTIL)},
     .meanings =
         MEANS({OPTION_STATUS, "WORD", "Only those that are pending, delivered or failed."}),
     .run = run_webhooks_deliveries,
     .summary = "Show what was sent to a webhook, newest first.",
     .example = "skylark webhooks deliveries whk_4fT9aKx02Lq --status failed --since 1h"},
    {.words = "webhooks delivery",
     .arguments = "ID DELIVERY-ID",
     .least = 2,
     .most = 2,
     .options = {CLIENT_SET},
     .run = run_webhooks_delivery,
     .summary = "Show the bytes of one delivery: request, tries and answers.",
     .example = "skylark webhooks delivery whk_4fT9aKx02Lq dlv_2nB7cQe91Rs"},
    {.words = "webhooks retry",
     .arguments = "ID DELIVERY-ID",
     .least = 2,
     .most = 2,
     .options = {CLIENT_SET},
     .run = run_webhooks_retry,
     .summary = "Try one delivery again, now.",
     .example = "skylark webhooks retry whk_4fT9aKx02Lq dlv_2nB7cQe91Rs"},
    {.words = "webhooks redeliver",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {CLIENT_SET, HAS(SINCE), HAS(UNTIL), HAS(ALL), HAS(DRY_RUN)},
     .meanings = MEANS({OPTION_DRY_RUN, NULL, "Only tell how many there are; send nothing."}),
     .run = run_webhooks_redeliver,
     .summary = "Send again what failed in a time, oldest first.",
     .details = "On a terminal it tells how many there are and asks first.",
     .example = "skylark webhooks redeliver whk_4fT9aKx02Lq --since 1h --dry-run"},
    {.words = "webhooks event-types",
     .options = {CLIENT_SET},
     .run = run_webhooks_event_types,
     .summary = "Explain the events that there are.",
     .example = "skylark webhooks event-types"},
    {.words = "webhooks listen",
     .options = {STORE_SET, HAS(URL), HAS(CACERT), HAS(FORWARD_TO), HAS(EVENTS), HAS(FROM),
                 HAS(SINCE_START), HAS(PRINT_SECRET), HAS(WRITE_ENV)},
     .meanings =
         MEANS({OPTION_FROM, "ID", "Begin behind this event, evt_…; not given: from now on."},
               {OPTION_EVENTS, "LIST",
                "Only these, such as message.sent,message.failed; all if not given."}),
     .run = run_webhooks_listen,
     .summary = "Forward events to a program on your own machine.",
     .details =
         "Follows the events of your key and posts each to a URL as a webhook would: same "
         "body, same headers, signed. No tunnel and no public address are needed. The secret "
         "is made once and stays the same. When the server goes away it waits and misses "
         "nothing. A forward that fails is tried three times more; then it goes on.",
     .example = "skylark webhooks listen --forward-to http://localhost:3000/hook --write-env "
                ".env:WEBHOOK_SECRET"},
    {.words = "webhooks verify",
     .arguments = "[BODY-FILE]",
     .most = 1,
     .options = {HAS(SIGNATURE), HAS(WEBHOOK_ID), HAS(WEBHOOK_TIMESTAMP), HAS(WEBHOOK_SIGNATURE),
                 HAS(REQUEST), HAS(SECRET_FILE)},
     .run = run_webhooks_verify,
     .summary = "Explain why the signature of a webhook is right or wrong.",
     .details =
         "Takes the body from a file or standard input, the headers from options, or all of "
         "it from --request. The secret comes from --secret-file or $SKYLARK_WEBHOOK_SECRET. "
         "Tells what is expected, and when it does not fit, which of the usual mistakes "
         "would explain it. Asks no server. Exits with 0 when all is right, with 1 when it "
         "is not.",
     .example = "skylark webhooks verify body.json --signature \"sha256=…\" --secret-file secret"},
    {.words = "events list",
     .options = {CLIENT_SET, HAS(LIMIT), HAS(CURSOR), HAS(EVENTS), HAS(AFTER)},
     .meanings = MEANS({OPTION_AFTER, "ID",
                        "Those behind this event, oldest first; evt_… of the last one seen."}),
     .run = run_events_list,
     .summary = "Show what happened to messages, newest first.",
     .example = "skylark events list --events message.failed"},
    {.words = "stats",
     .options = {CLIENT_SET, HAS(WATCH)},
     .run = run_stats,
     .summary = "Show how it stands now, and what limits throughput.",
     .details = "What happened in the last minute, hour and 24 hours, the queue and its age, "
                "throughput, webhooks. With --watch on a terminal it is drawn anew every second; "
                "elsewhere it is a line a second, and with -o jsonl each event as it comes. When "
                "the server goes away it is waited for.",
     .example = "skylark stats --watch"},
    {.words = "usage",
     .options = {REPORT_SET},
     .meanings = MEANS_REPORT,
     .run = run_usage,
     .summary = "Show how many messages there were, and a plot.",
     .details =
         "Messages and segments sent, messages received, API calls and cost; then by country, "
         "message type, number type and tag. Each message counts at the time when it was "
         "accepted. With a test key those of test mode, with a live key the live ones.",
     .example = "skylark usage --period 7d --country US"},
    {.words = "delivery",
     .options = {REPORT_SET},
     .meanings = MEANS_REPORT,
     .run = run_delivery,
     .summary = "Show how many messages arrived, how fast, and why others did not.",
     .details = "Each message counts at the time when it was accepted, in the state that it is in "
                "now. The rate is that of the delivered among those that were delivered or failed; "
                "the time is that from the carrier taking a message to its receipt, the average "
                "and what 95 % do not exceed.",
     .example = "skylark delivery --start 2026-01-01 --end 2026-01-31 --interval week"},
    {.words = "costs",
     .options = {REPORT_SET},
     .meanings = MEANS_REPORT,
     .run = run_costs,
     .summary = "Show what messages cost, and what the month will come to.",
     .details =
         "What was cancelled, or failed before a carrier had it, costs nothing. The month is "
         "the running one, whatever time was asked for: what it has cost so far, as if it "
         "went on like that.",
     .example = "skylark costs --period 90d --interval month -o csv"},
    {.words = "keys create",
     .arguments = "[NAME]",
     .most = 1,
     .options = {STORE_SET, HAS(OUTPUT), HAS(NAME), HAS(TYPE), HAS(PLAN), HAS(PERMISSIONS),
                 HAS(PER_MINUTE), HAS(PER_HOUR), HAS(EXPIRES), HAS(ACCOUNT)},
     .run = run_keys_create,
     .summary = "Make an API key.",
     .details = "Works on the data folder itself, while the server runs or not: whoever may write "
                "there may make keys. The key is shown once and kept only as a hash.",
     .example = "skylark keys create \"web shop\" --type live --permissions sms:send"},
    {.words = "keys list",
     .options = {STORE_SET, HAS(OUTPUT), HAS(ACCOUNT)},
     .run = run_keys_list,
     .summary = "Show the API keys, without their secret part.",
     .example = "skylark keys list"},
    {.words = "keys rotate",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {STORE_SET, HAS(OUTPUT), HAS(GRACE)},
     .run = run_keys_rotate,
     .summary = "Put a new key in the place of an old one.",
     .details = "The new key has the name, permissions and limits of the old one, which goes off "
                "at once, or when the hours of grace are over.",
     .example = "skylark keys rotate key_4fT9aKx02Lq --grace 24"},
    {.words = "keys revoke",
     .arguments = "ID",
     .least = 1,
     .most = 1,
     .options = {STORE_SET},
     .run = run_keys_revoke,
     .summary = "Turn an API key off, for good.",
     .example = "skylark keys revoke key_4fT9aKx02Lq"},
    {.words = "accounts create",
     .arguments = "NAME",
     .least = 1,
     .most = 1,
     .options = {STORE_SET, HAS(OUTPUT)},
     .run = run_accounts_create,
     .summary = "Make an account.",
     .details = "An account has keys, messages and opt-outs of its own. There is one from the "
                "start, 'default'.",
     .example = "skylark accounts create acme"},
    {.words = "accounts list",
     .options = {STORE_SET, HAS(OUTPUT)},
     .run = run_accounts_list,
     .summary = "Show the accounts and their balances.",
     .example = "skylark accounts list"},
    {.words = "accounts suspend",
     .arguments = "NAME",
     .least = 1,
     .most = 1,
     .options = {STORE_SET},
     .run = run_accounts_suspend,
     .summary = "Refuse all keys of an account, until it is resumed.",
     .example = "skylark accounts suspend acme"},
    {.words = "accounts resume",
     .arguments = "NAME",
     .least = 1,
     .most = 1,
     .options = {STORE_SET},
     .run = run_accounts_resume,
     .summary = "Let the keys of a suspended account work again.",
     .example = "skylark accounts resume acme"},
    {.words = "accounts credit",
     .arguments = "NAME AMOUNT",
     .least = 2,
     .most = 2,
     .options = {STORE_SET},
     .run = run_accounts_credit,
     .summary = "Add US dollars to an account's balance.",
     .details = "The first credit makes the account a prepaid one: live messages are paid from "
                "its balance, and refused when it does not cover them. Behind -- an amount may "
                "be negative, to take back what was credited by mistake.",
     .example = "skylark accounts credit acme 25.50"},
    {.words = "carriers list",
     .options = {STORE_SET, HAS(OUTPUT)},
     .run = run_carriers_list,
     .summary = "Show the carriers and how they stand.",
     .details =
         "As the server last noted it: once a second while something changes. Messages wait, "
         "segments (of MMS: messages) are in flight; the rest is counted since the carrier was "
         "first seen.",
     .example = "skylark carriers list -o json"},
    {.words = "carriers drain",
     .arguments = "NAME",
     .least = 1,
     .most = 1,
     .options = {STORE_SET},
     .run = run_carriers_drain,
     .summary = "Give a carrier no new messages, until it is enabled.",
     .details = "It stays bound, so that receipts and messages from handsets still come. A running "
                "server does it within a second; a restart changes nothing.",
     .example = "skylark carriers drain acme"},
    {.words = "carriers enable",
     .arguments = "NAME",
     .least = 1,
     .most = 1,
     .options = {STORE_SET},
     .run = run_carriers_enable,
     .summary = "Give a drained carrier messages again.",
     .example = "skylark carriers enable acme"},
    {.words = "carriers test",
     .arguments = "NAME",
     .least = 1,
     .most = 1,
     .options = {STORE_SET, HAS(OUTPUT)},
     .run = run_carriers_test,
     .summary = "Connect to a carrier or an MMSC, and tell each step.",
     .details = "With the settings of its section; no server needs to run, and no message is sent. "
                "Exits with 0 when the carrier can be used. A carrier is bound to, which takes one "
                "bind of your account for a moment. Of an MMSC the url is asked for, with your "
                "credentials, and what it answers is told.",
     .example = "skylark carriers test acme"},
    {.words = "receipts list",
     .options = {STORE_SET, HAS(OUTPUT), HAS(LIMIT), HAS(CURSOR)},
     .run = run_receipts_list,
     .summary = "Show receipts that no message was found for, newest first.",
     .details = "When there are many, the carrier writes ids in receipts in another form than in "
                "its answers; the setting receipt_ids of the carrier says which.",
     .example = "skylark receipts list --limit 10"},
    {.words = "prices import",
     .arguments = "FILE",
     .least = 1,
     .most = 1,
     .options = {STORE_SET, HAS(REPLACE)},
     .run = run_prices_import,
     .summary = "Read prices from a CSV file; - is standard input.",
     .details = "The first line names the columns: prefix or country, price, and if need be "
                "currency (USD), valid_from and type (sms or mms). Prices are US dollars per "
                "segment, or per message for MMS. The prefix * stands for all others. Either all "
                "lines are imported, or none and every fault is named. A running server charges "
                "by them within a second.",
     .example = "skylark prices import prices.csv --replace"},
    {.words = "prices list",
     .options = {STORE_SET, HAS(OUTPUT)},
     .run = run_prices_list,
     .summary = "Show the imported prices; -o csv can be imported again.",
     .example = "skylark prices list -o csv"},
    {.words = "prices clear",
     .options = {STORE_SET},
     .run = run_prices_clear,
     .summary = "Remove all imported prices; the built-in ones hold then.",
     .example = "skylark prices clear"},
    {.words = "route explain",
     .arguments = "NUMBER",
     .least = 1,
     .most = 1,
     .options = {STORE_SET, HAS(FROM), HAS(MMS), HAS(MESSAGE_TYPE), HAS(ACCOUNT), HAS(OUTPUT)},
     .run = run_route_explain,
     .summary = "Show which way a live message to a number would go, and why.",
     .details =
         "Sender, carrier and price, then each route to the number in the order in which "
         "they are tried. With --mms the way of a message with media: as an MMS, or as an SMS "
         "with links where no MMS goes and the sender's without_mms says so. From the "
         "configuration, and what the server last noted of its carriers; nothing is sent.",
     .example = "skylark route explain +447700900123 --mms"},
    {.words = "doctor",
     .options = {STORE_SET, HAS(OUTPUT), HAS(BOOKS)},
     .run = run_doctor,
     .summary = "Look for what is wrong, and say what helps.",
     .details = "Configuration, data folder and its rights, certificate, disk, clock, store, the "
                "server if one runs, carriers that it cannot use, and whether all that was counted "
                "agrees. With --books every message is read and counted again, which takes seconds "
                "for millions of them. "
                "Works on the data folder, while the server runs or not. Exits with 1 when "
                "something is wrong; a warning is not.",
     .example = "skylark doctor --books"},
    {.words = "config check",
     .arguments = "[FILE]",
     .most = 1,
     .options = {HAS(CONFIG)},
     .run = run_config_check,
     .summary = "Look for faults in the configuration.",
     .details = "Tells all faults at once, each with its file and line, and exits with 78 when "
                "there are any.",
     .example = "skylark config check /etc/skylark/skylark.ini"},
    {.words = "config show",
     .options = {SETTING_SET, HAS(OUTPUT)},
     .run = run_config_show,
     .summary = "Show each setting, its value and where that comes from.",
     .example = "skylark config show -o json"},
    {.words = "smsc",
     .options = {STORE_SET, HAS(LISTEN), HAS(TLS), HAS(FAIL), HAS(THROTTLE), HAS(SILENT),
                 HAS(QUIET), HAS(LOG)},
     .run = run_smsc,
     .summary = "Play a carrier, to try live mode without one.",
     .details = "Listens on 127.0.0.1:2775 for SMPP, takes any bind, prints each message, answers, "
                "and sends receipts. A line such as \"+15551234567 STOP\" is sent as if that "
                "handset wrote it to whoever wrote to it last; a sender between the two names "
                "another receiver.",
     .example = "skylark smsc --fail 5"},
    {.words = "version", .run = run_version, .summary = "Show the version."},
    {.words = "help",
     .arguments = "[COMMAND]",
     .most = 2,
     .run = run_help,
     .summary = "Explain a command.",
     .example = "skylark help keys create"},
};

const size_t command_count = sizeof commands / sizeof *commands;
