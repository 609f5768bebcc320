/* The inbox over a real listener, with a real engine's loop, store and writer behind it; and an
 * MMSC that brings things to it. */
#pragma once

#include "carriers/mm7_inbox.h"
#include "messaging/test_receipts.h"
#include "mm7/mm7.h"

#include <stdatomic.h>

enum { TEST_BODIES_MAX = 4 << 20 };

extern struct loop *test_loop; /* the engine's */
extern struct mm7_inbox *test_inbox;
extern struct buf test_request;
extern _Atomic int test_noted, test_noted_strays;

/* With one MMSC, acme, that may come from everywhere. */
int test_inbox_set_up(void **state);
int test_inbox_tear_down(void **state);
/* The doors of this configuration from now on. */
void test_use(const char *sections);

/* Says what `test_request` holds, and has the answer; its status. */
int test_ask(void);
int test_post_with(const char *path, const char *fields, const char *type, struct str body);
int test_post(const char *body);
/* Whether the answer has this. */
bool test_says(const char *text);
/* What it means to a reader of MM7. */
struct mm7_heard test_heard(void);
void test_assert_answer(enum mm7_kind kind, unsigned code, const char *transaction);

/* What is written to the log between the two. */
void test_log_begin(void);
const char *test_log_end(void);

#define XML "<?xml version='1.0'?>"
#define BARE(space, transaction, inside)                                                           \
    "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'>"                             \
    "<e:Header><TransactionID xmlns='" space "'>" transaction "</TransactionID></e:Header>"        \
    "<e:Body>" inside "</e:Body></e:Envelope>"
#define ENVELOPE(space, transaction, inside) XML BARE(space, transaction, inside)

#define REPORT(space, id, status)                                                                  \
    ENVELOPE(space, "tx-9",                                                                        \
             "<DeliveryReportReq xmlns='" space "'><MM7Version>5.3.0</MM7Version>"                 \
             "<MessageID>" id "</MessageID><Recipient><Number>1</Number></Recipient>"              \
             "<Sender><Number>2</Number></Sender><MMStatus>" status                                \
             "</MMStatus></DeliveryReportReq>")

#define BOUNDARY "multipart/related; type=\"text/xml\"; start=\"<s>\"; boundary=b"
#define DELIVER(parts)                                                                             \
    "--b\r\nContent-Type: text/xml\r\nContent-ID: <s>\r\n\r\n" ENVELOPE(                           \
        MM7_NAMESPACE, "tx-7",                                                                     \
        "<DeliverReq xmlns='" MM7_NAMESPACE "'><Sender><Number>+14155550100</Number></Sender>"     \
        "<Recipients><To><Number>+18005551234</Number></To></Recipients>"                          \
        "<Content href='cid:c'/></DeliverReq>") "\r\n" parts "--b--\r\n"
