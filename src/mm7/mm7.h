/* MM7 6.8.0 (3GPP TS 23.140): what an MMSC and we say to each other, as SOAP over HTTP. Reads
 * leniently: any namespace and order, blanks, the forms of Nokia and Mbuni. Writes strictly, in the
 * order of the schema. Pure: no socket, no clock. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "mm7/mime.h"
#include "mm7/status.h"

#define MM7_NAMESPACE "http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-6-MM7-1-4"
#define MM7_VERSION   "6.8.0"

enum { MM7_SOAP_MAX = 256 << 10, MM7_RECIPIENTS_MAX = 256 };

/* What MMSCs differ in; "" is the usual. */
struct mm7_dialect {
    struct str namespace, version;
};

/* X(name, element) */
#define MM7_FORMS(X)                                                                               \
    X(NUMBER, "Number")                                                                            \
    X(SHORT_CODE, "ShortCode")                                                                     \
    X(MAIL, "RFC2822Address")

enum mm7_form {
#define X(name, element) MM7_FORM_##name,
    MM7_FORMS(X)
#undef X
};

struct mm7_address {
    enum mm7_form form;
    struct str text; /* when read: without blanks and without "/TYPE=PLMN"; "" = there is none */
};

#define MM7_ROLES(X)                                                                               \
    X(TO, "To")                                                                                    \
    X(CC, "Cc")                                                                                    \
    X(BCC, "Bcc")

enum mm7_role {
#define X(name, element) MM7_ROLE_##name,
    MM7_ROLES(X)
#undef X
};

struct mm7_recipient {
    enum mm7_role role;
    struct mm7_address address;
    bool display_only; /* others get it; this one is only told of */
};

/* ---- what we say ---- */

/* What is "" or 0 is left out. Texts are UTF-8; what XML cannot hold becomes U+FFFD. Times are unix
 * time. */
struct mm7_submit {
    struct str transaction; /* echoed in the answer */
    struct str vasp_id, vas_id;
    struct mm7_address sender;
    const struct mm7_recipient *recipients; /* at least one */
    size_t recipient_count;
    struct str service_code, linked_id;
    struct str message_class; /* Personal Informational Advertisement Auto */
    int64_t timestamp_us, earliest_us, expiry_us;
    bool delivery_report, read_reply; /* both are always said */
    struct str priority;              /* Normal High Low */
    struct str subject;
    struct str content; /* Content-ID of the part that holds the message, without <> */
};

/* Appends the SOAP envelope, with an XML declaration. -EINVAL: no recipient, or one without text;
 * -ENOMEM: the buffer is full. */
int mm7_write_submit(struct buf *out, const struct mm7_dialect *d, const struct mm7_submit *s);

/* The kinds of what is said. X(name, element) */
#define MM7_KINDS(X)                                                                               \
    X(SUBMIT_REQ, "SubmitReq")                                                                     \
    X(SUBMIT_RSP, "SubmitRsp")                                                                     \
    X(DELIVER_REQ, "DeliverReq")                                                                   \
    X(DELIVER_RSP, "DeliverRsp")                                                                   \
    X(DELIVERY_REPORT_REQ, "DeliveryReportReq")                                                    \
    X(DELIVERY_REPORT_RSP, "DeliveryReportRsp")                                                    \
    X(READ_REPLY_REQ, "ReadReplyReq")                                                              \
    X(READ_REPLY_RSP, "ReadReplyRsp")                                                              \
    X(RS_ERROR_RSP, "RSErrorRsp")                                                                  \
    X(VASP_ERROR_RSP, "VASPErrorRsp")                                                              \
    X(FAULT, "Fault")                                                                              \
    X(OTHER, "") /* an element that is not of this list */

enum mm7_kind {
#define X(name, element) MM7_##name,
    MM7_KINDS(X)
#undef X
};

/* Their elements: "DeliverReq", "" of OTHER; "Number"; "To". */
const char *mm7_kind_name(enum mm7_kind kind);
const char *mm7_form_name(enum mm7_form form);
const char *mm7_role_name(enum mm7_role role);
/* What a request is answered with: DELIVER_RSP for DELIVER_REQ…; VASP_ERROR_RSP for what is no
 * request that an MMSC makes. */
enum mm7_kind mm7_answer_to(enum mm7_kind request);

struct mm7_answer {
    enum mm7_kind kind;     /* one of the …_RSP; the errors are put into a SOAP Fault */
    struct str transaction; /* of the request; "" when it could not be read */
    unsigned code;
    struct str text;       /* "": the usual text of the code */
    struct str details;    /* for people; "" = none */
    struct str message_id; /* of a SUBMIT_RSP */
};

/* Content-Type of it: text/xml; charset=utf-8. -EINVAL: the kind is no answer. */
int mm7_write_answer(struct buf *out, const struct mm7_dialect *d, const struct mm7_answer *a);

/* ---- what we hear ---- */

/* Everything that anybody says; what was not said is "" or 0. Views into the arena. */
struct mm7_heard {
    enum mm7_kind kind; /* of a Fault that holds an RSErrorRsp or another answer: that answer */
    bool is_fault;
    struct str element; /* its name as it was written */
    struct str namespace, version;
    struct str transaction;
    struct str message_id; /* also of reports: that of the message */

    unsigned code; /* of answers; 0 = none */
    struct str status_text, details;
    struct str fault_code, fault_text;

    struct str mm_status; /* of reports and read replies, as it was written */
    enum mm7_mm_status mm;
    struct str mm_extension;

    struct mm7_address sender, recipient; /* of reports; some MMSCs swap them */
    struct mm7_recipient *recipients;
    size_t recipient_count;
    struct str relay_id, vasp_id, vas_id, linked_id, service_code;
    struct str subject, priority, message_class;
    int64_t at_us;      /* TimeStamp or Date; 0 = none, or none that can be read */
    int64_t expiry_us;  /* of a SubmitReq */
    bool wants_report;  /* of a SubmitReq */
    struct str content; /* the Content-ID of its content, without cid: and <> */
};

enum { MM7_WHY_SIZE = 160 };

/* Reads the body of an HTTP request or answer: SOAP alone, or a multipart whose start is SOAP.
 * *count is the room in parts (MIME_PARTS_MAX is always enough), and then how many other parts than
 * SOAP there are, in their order; SMIL is one of them. Decoded bytes lie in the arena, which needs
 * room for the body once more and 1 MiB; parts that are not encoded are views of the body.
 * -EBADMSG: no MIME, XML or SOAP; -E2BIG: more than the limits allow; -ENOMEM: the arena is full.
 * Then `why` is a sentence for people, and nothing else is written. */
int mm7_read(struct mm7_heard *ret, struct arena *a, struct str content_type, struct str body,
             struct mm7_part parts[], size_t *count, char why[MM7_WHY_SIZE]);
/* The SOAP envelope alone. */
int mm7_read_soap(struct mm7_heard *ret, struct arena *a, struct str xml, char why[MM7_WHY_SIZE]);
