/* What we say: in the order of the schema, and nothing else. */
#include "base/clock.h"
#include "base/utf8.h"
#include "mm7/mm7.h"

#include <errno.h>

/* ---- XML ---- */

static const char *escape_of(int32_t point)
{
    switch (point) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;"; /* or a reader makes a line feed of it */
    }
    return NULL;
}

/* XML 1.0 has no other characters, not even as references. */
static bool fits_xml(int32_t point)
{
    return point >= ' ' ? point != 0xfffe && point != 0xffff
                        : point == '\t' || point == '\n' || point == '\r';
}

/* How many bytes at the front go out as they are. */
static size_t plain_length(struct str text)
{
    size_t n = 0;

    while (n < text.n && text.p[n] >= ' ' && text.p[n] < 0x7f && !escape_of(text.p[n]))
        n++;
    return n;
}

static void add_text(struct buf *out, struct str text)
{
    while (text.n > 0) {
        unsigned size = 1;
        size_t plain = plain_length(text);

        buf_add(out, (struct str){text.p, plain});
        text = str_skip(text, plain);
        if (text.n == 0)
            return;
        int32_t point = utf8_decode(text, &size);
        const char *escape = escape_of(point);
        if (!fits_xml(point))
            buf_text(out, "\xef\xbf\xbd");
        else if (escape)
            buf_text(out, escape);
        else
            buf_add(out, (struct str){text.p, size});
        text = str_skip(text, size);
    }
}

static void open_element(struct buf *out, const char *name)
{
    buf_printf(out, "<%s>", name);
}

static void close_element(struct buf *out, const char *name)
{
    buf_printf(out, "</%s>", name);
}

static void add_element(struct buf *out, const char *name, struct str text)
{
    if (text.n == 0)
        return;
    open_element(out, name);
    add_text(out, text);
    close_element(out, name);
}

static void add_flag(struct buf *out, const char *name, bool flag)
{
    add_element(out, name, flag ? STR("true") : STR("false"));
}

/* Whole seconds: not every MMSC takes decimals. */
static void add_time(struct buf *out, const char *name, int64_t at_us)
{
    enum { TO_SECONDS = sizeof "2026-11-15T01:02:03" - 1 };
    char text[RFC3339_SIZE];

    if (at_us == 0)
        return;
    rfc3339_format(at_us, text);
    text[TO_SECONDS] = 'Z';
    add_element(out, name, (struct str){text, TO_SECONDS + 1});
}

/* ---- SOAP ---- */

static struct str or_usual(struct str text, struct str usual)
{
    return text.n ? text : usual;
}

static void add_namespace(struct buf *out, const struct mm7_dialect *d)
{
    add_text(out, or_usual(d->namespace, STR(MM7_NAMESPACE)));
}

static void open_envelope(struct buf *out, const struct mm7_dialect *d, struct str transaction)
{
    buf_text(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                  "<env:Envelope xmlns:env=\"http://schemas.xmlsoap.org/soap/envelope/\">"
                  "<env:Header><mm7:TransactionID xmlns:mm7=\"");
    add_namespace(out, d);
    buf_text(out, "\" env:mustUnderstand=\"1\">");
    add_text(out, transaction);
    buf_text(out, "</mm7:TransactionID></env:Header><env:Body>");
}

static void close_envelope(struct buf *out)
{
    buf_text(out, "</env:Body></env:Envelope>\n");
}

/* The element that says something, up to its version. */
static void open_said(struct buf *out, const struct mm7_dialect *d, enum mm7_kind kind)
{
    buf_printf(out, "<%s xmlns=\"", mm7_kind_name(kind));
    add_namespace(out, d);
    buf_text(out, "\">");
    add_element(out, "MM7Version", or_usual(d->version, STR(MM7_VERSION)));
}

/* ---- SubmitReq ---- */

static void add_address(struct buf *out, const struct mm7_address *address)
{
    add_element(out, mm7_form_name(address->form), address->text);
}

static void add_sender(struct buf *out, const struct mm7_submit *s)
{
    open_element(out, "SenderIdentification");
    add_element(out, "VASPID", s->vasp_id);
    add_element(out, "VASID", s->vas_id);
    if (s->sender.text.n > 0) {
        open_element(out, "SenderAddress");
        add_address(out, &s->sender);
        close_element(out, "SenderAddress");
    }
    close_element(out, "SenderIdentification");
}

/* Those of one role stand in one element. */
static void add_role(struct buf *out, const struct mm7_submit *s, enum mm7_role role)
{
    bool open = false;

    for (size_t i = 0; i < s->recipient_count; i++) {
        if (s->recipients[i].role != role)
            continue;
        if (!open)
            open_element(out, mm7_role_name(role));
        open = true;
        add_address(out, &s->recipients[i].address);
    }
    if (open)
        close_element(out, mm7_role_name(role));
}

static void add_recipients(struct buf *out, const struct mm7_submit *s)
{
    open_element(out, "Recipients");
    for (enum mm7_role role = MM7_ROLE_TO; role <= MM7_ROLE_BCC; role++)
        add_role(out, s, role);
    close_element(out, "Recipients");
}

static void add_content(struct buf *out, struct str id)
{
    if (id.n == 0)
        return;
    buf_text(out, "<Content href=\"cid:");
    add_text(out, id);
    buf_text(out, "\" allowAdaptations=\"true\"/>");
}

/* The schema is a sequence: the order of these lines is the protocol. */
static void add_submit(struct buf *out, const struct mm7_submit *s)
{
    add_sender(out, s);
    add_recipients(out, s);
    add_element(out, "ServiceCode", s->service_code);
    add_element(out, "LinkedID", s->linked_id);
    add_element(out, "MessageClass", s->message_class);
    add_time(out, "TimeStamp", s->timestamp_us);
    add_time(out, "EarliestDeliveryTime", s->earliest_us);
    add_time(out, "ExpiryDate", s->expiry_us);
    add_flag(out, "DeliveryReport", s->delivery_report);
    add_flag(out, "ReadReply", s->read_reply);
    add_element(out, "Priority", s->priority);
    add_element(out, "Subject", s->subject);
    add_content(out, s->content);
}

static bool has_recipients(const struct mm7_submit *s)
{
    for (size_t i = 0; i < s->recipient_count; i++)
        if (s->recipients[i].address.text.n == 0)
            return false;
    return s->recipient_count > 0;
}

int mm7_write_submit(struct buf *out, const struct mm7_dialect *d, const struct mm7_submit *s)
{
    if (!has_recipients(s))
        return -EINVAL;
    open_envelope(out, d, s->transaction);
    open_said(out, d, MM7_SUBMIT_REQ);
    add_submit(out, s);
    close_element(out, mm7_kind_name(MM7_SUBMIT_REQ));
    close_envelope(out);
    return out->failed ? -ENOMEM : 0;
}

/* ---- answers ---- */

static bool is_error(enum mm7_kind kind)
{
    return kind == MM7_RS_ERROR_RSP || kind == MM7_VASP_ERROR_RSP;
}

static bool is_answer(enum mm7_kind kind)
{
    return kind == MM7_SUBMIT_RSP || kind == MM7_DELIVER_RSP || kind == MM7_DELIVERY_REPORT_RSP ||
           kind == MM7_READ_REPLY_RSP || is_error(kind);
}

static void add_status(struct buf *out, const struct mm7_answer *a)
{
    const char *usual = mm7_status_text(a->code);

    open_element(out, "Status");
    buf_printf(out, "<StatusCode>%u</StatusCode>", a->code);
    add_element(out, "StatusText", or_usual(a->text, str_of(usual ? usual : "Error")));
    if (a->details.n > 0) { /* the schema wants an element in it */
        open_element(out, "Details");
        add_element(out, "Reason", a->details);
        close_element(out, "Details");
    }
    close_element(out, "Status");
}

static void add_answer(struct buf *out, const struct mm7_dialect *d, const struct mm7_answer *a)
{
    open_said(out, d, a->kind);
    add_status(out, a);
    if (a->kind == MM7_SUBMIT_RSP) {
        open_element(out, "MessageID");
        add_text(out, a->message_id);
        close_element(out, "MessageID");
    }
    close_element(out, mm7_kind_name(a->kind));
}

int mm7_write_answer(struct buf *out, const struct mm7_dialect *d, const struct mm7_answer *a)
{
    if (!is_answer(a->kind))
        return -EINVAL;
    open_envelope(out, d, a->transaction);
    if (is_error(a->kind))
        buf_text(out, a->code / 1000 == 2 ? "<env:Fault><faultcode>env:Client</faultcode>"
                                            "<faultstring>Client error</faultstring><detail>"
                                          : "<env:Fault><faultcode>env:Server</faultcode>"
                                            "<faultstring>Server error</faultstring><detail>");
    add_answer(out, d, a);
    if (is_error(a->kind))
        buf_text(out, "</detail></env:Fault>");
    close_envelope(out);
    return out->failed ? -ENOMEM : 0;
}
