/* What others say: by local names, in any order. */
#include "base/clock.h"
#include "mm7/mm7.h"
#include "mm7/xml.h"

#include <errno.h>
#include <stddef.h>

_Static_assert((int)MM7_SOAP_MAX == (int)XML_SIZE_MAX, "what is said of SOAP holds for XML");

static enum mm7_kind kind_of(struct str element)
{
    enum mm7_kind kind = 0;

    while (kind != MM7_OTHER && !str_is(element, mm7_kind_name(kind)))
        kind++;
    return kind;
}

/* ---- addresses ---- */

/* Where "/TYPE=" begins, in letters of any size; the end of the text when it does not. */
static size_t type_place(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '/' && str_starts_nocase(str_skip(text, i), STR("/TYPE=")))
            return i;
    return text.n;
}

/* "+38591/TYPE=PLMN" is a number, also as the front of an address of mail. */
static struct mm7_address address_of(enum mm7_form form, struct str text)
{
    size_t end = type_place(text);

    if (end < text.n && form == MM7_FORM_MAIL)
        form = MM7_FORM_NUMBER;
    return (struct mm7_address){form, str_trim((struct str){text.p, end})};
}

/* Of one that stands without an element of its own. */
static enum mm7_form form_by_look(struct str text)
{
    enum { SHORT_CODE_DIGITS = 8 };

    if (memchr(text.p, '@', text.n))
        return MM7_FORM_MAIL;
    return text.p[0] == '+' || type_place(text) > SHORT_CODE_DIGITS ? MM7_FORM_NUMBER
                                                                    : MM7_FORM_SHORT_CODE;
}

static bool read_form(const struct xml_node *node, struct mm7_address *ret)
{
    for (enum mm7_form form = 0; form <= MM7_FORM_MAIL; form++)
        if (str_is(node->name, mm7_form_name(form)) && node->text.n > 0) {
            *ret = address_of(form, node->text);
            return true;
        }
    return false;
}

/* The first address in an element; the element's own text when it has no other. */
static void read_address(const struct xml_node *node, struct mm7_address *ret)
{
    if (!node)
        return;
    for (const struct xml_node *c = node->child; c; c = c->next)
        if (read_form(c, ret))
            return;
    if (node->text.n > 0)
        *ret = address_of(form_by_look(node->text), node->text);
}

static bool read_role(struct str element, enum mm7_role *ret)
{
    for (enum mm7_role role = 0; role <= MM7_ROLE_BCC; role++)
        if (str_is(element, mm7_role_name(role))) {
            *ret = role;
            return true;
        }
    return false;
}

static bool is_true(struct str text)
{
    return str_eq_nocase(text, STR("true")) || str_is(text, "1");
}

/* One of To, Cc or Bcc: any number of addresses, or a text. Returns how many. */
static size_t read_group(const struct xml_node *group, struct mm7_recipient *room, size_t size)
{
    struct mm7_address address;
    enum mm7_role role;
    size_t count = 0;

    if (!read_role(group->name, &role))
        return 0;
    for (const struct xml_node *c = group->child; c && count < size; c = c->next)
        if (read_form(c, &address))
            room[count++] = (struct mm7_recipient){
                role, address, is_true(str_trim(xml_attribute_of(c, "displayOnly")))};
    if (!group->child && group->text.n > 0 && count < size)
        room[count++] =
            (struct mm7_recipient){role, address_of(form_by_look(group->text), group->text), false};
    return count;
}

static int read_recipients(const struct xml_node *node, struct arena *a, struct mm7_heard *ret)
{
    struct mm7_recipient all[MM7_RECIPIENTS_MAX + 1];
    size_t count = 0;

    for (const struct xml_node *c = node ? node->child : NULL; c; c = c->next)
        count += read_group(c, all + count, MM7_RECIPIENTS_MAX + 1 - count);
    if (count > MM7_RECIPIENTS_MAX)
        return -E2BIG;
    if (count == 0)
        return 0;
    ret->recipients = arena_alloc(a, count * sizeof *all);
    if (!ret->recipients)
        return -ENOMEM;
    memcpy(ret->recipients, all, count * sizeof *all);
    ret->recipient_count = count;
    return 0;
}

/* ---- fields ---- */

#define FIELD(element, member)                                                                     \
    {                                                                                              \
        element, offsetof(struct mm7_heard, member)                                                \
    }
static const struct {
    const char *element;
    size_t offset;
} texts[] = {
    FIELD("MM7Version", version),
    FIELD("MessageID", message_id),
    FIELD("MMSRelayServerID", relay_id),
    FIELD("VASPID", vasp_id),
    FIELD("VASID", vas_id),
    FIELD("LinkedID", linked_id),
    FIELD("ServiceCode", service_code),
    FIELD("Subject", subject),
    FIELD("Priority", priority),
    FIELD("MessageClass", message_class),
    FIELD("MMStatus", mm_status),
    FIELD("MMStatusExtension", mm_extension),
    FIELD("StatusText", status_text),
    FIELD("faultcode", fault_code),
    FIELD("faultstring", fault_text),
};

/* What is written twice counts where it has a text first. */
static void read_texts(const struct xml_node *node, struct mm7_heard *ret)
{
    for (size_t i = 0; node && i < sizeof texts / sizeof *texts; i++) {
        struct str *member = (struct str *)((char *)ret + texts[i].offset);
        struct str text = xml_child_text(node, texts[i].element);
        if (member->n == 0)
            *member = text;
    }
}

/* 0 for what is no time; without a zone it is UTC. */
static int64_t time_of(struct arena *a, struct str text)
{
    int64_t at_us = 0;

    if (text.n == 0 || text.n > 40 || rfc3339_parse(text, &at_us))
        return at_us;
    const char *with_zone = arena_printf(a, "%.*sZ", STR_FMT(text));
    return with_zone && rfc3339_parse(str_of(with_zone), &at_us) ? at_us : 0;
}

static void read_code(const struct xml_node *node, struct mm7_heard *ret)
{
    enum { CODE_MAX = 99999 };
    uint64_t code;

    if (!ret->code && str_to_u64(xml_child_text(node, "StatusCode"), &code) && code <= CODE_MAX)
        ret->code = (unsigned)code;
}

/* A text, or elements of which the first with a text counts. */
static struct str details_of(const struct xml_node *details)
{
    if (!details || details->text.n > 0)
        return details ? details->text : STR("");
    for (const struct xml_node *c = details->child; c; c = c->next)
        if (c->text.n > 0)
            return c->text;
    return STR("");
}

static void read_times(const struct xml_node *node, struct arena *a, struct mm7_heard *ret)
{
    ret->at_us = time_of(a, xml_child_text(node, "TimeStamp"));
    if (!ret->at_us)
        ret->at_us = time_of(a, xml_child_text(node, "Date"));
    ret->expiry_us = time_of(a, xml_child_text(node, "ExpiryDate"));
}

static int read_fields(const struct xml_node *node, struct arena *a, struct mm7_heard *ret)
{
    const struct xml_node *identification = xml_child(node, "SenderIdentification");
    const struct xml_node *status = xml_child(node, "Status");

    read_texts(status, ret);
    read_texts(node, ret);
    read_texts(identification, ret);
    read_code(status, ret);
    read_code(node, ret);
    ret->details = details_of(xml_child(status, "Details"));
    read_times(node, a, ret);
    read_address(xml_child(identification, "SenderAddress"), &ret->sender);
    read_address(xml_child(node, "Sender"), &ret->sender);
    read_address(xml_child(node, "Recipient"), &ret->recipient);
    ret->mm = mm7_mm_status_of(ret->mm_status);
    ret->wants_report = is_true(xml_child_text(node, "DeliveryReport"));
    ret->content = mime_id(xml_attribute_of(xml_child(node, "Content"), "href"));
    return read_recipients(xml_child(node, "Recipients"), a, ret);
}

/* ---- the envelope ---- */

/* The first child of a kind that we know, else the first. */
static const struct xml_node *pick(const struct xml_node *parent)
{
    const struct xml_node *first = parent ? parent->child : NULL;

    for (const struct xml_node *c = first; c; c = c->next)
        if (kind_of(c->name) != MM7_OTHER)
            return c;
    return first;
}

/* What a Fault holds is what is heard; a Fault that holds nothing we know is heard itself. */
static const struct xml_node *open_fault(const struct xml_node *fault, struct mm7_heard *ret)
{
    const struct xml_node *detail = xml_child(fault, "detail");

    ret->is_fault = true;
    read_texts(fault, ret);
    if (ret->fault_code.n == 0)
        ret->fault_code = xml_child_text(xml_child(fault, "Code"), "Value"); /* SOAP 1.2 */
    if (ret->fault_text.n == 0)
        ret->fault_text = xml_child_text(xml_child(fault, "Reason"), "Text");
    const struct xml_node *inner = pick(detail ? detail : xml_child(fault, "Detail"));
    return inner && kind_of(inner->name) != MM7_OTHER ? inner : fault;
}

static int read_envelope(const struct xml_node *root, struct arena *a, struct mm7_heard *ret,
                         const char **ret_why)
{
    const struct xml_node *said = pick(xml_child(root, "Body"));

    if (!str_is(root->name, "Envelope") || !said) {
        *ret_why = "it is no SOAP envelope with something in its Body";
        return -EBADMSG;
    }
    ret->transaction = xml_child_text(xml_child(root, "Header"), "TransactionID");
    if (kind_of(said->name) == MM7_FAULT)
        said = open_fault(said, ret);
    ret->kind = kind_of(said->name);
    ret->element = said->name;
    ret->namespace = said->namespace;
    int code = read_fields(said, a, ret);
    *ret_why = code == -E2BIG ? "it has more than 256 recipients" : "memory is short";
    return code;
}

int mm7_read_soap(struct mm7_heard *ret, struct arena *a, struct str xml, char why[MM7_WHY_SIZE])
{
    struct mm7_heard heard = {.mm = MM7_MM_STRANGE};
    const char *reason = "";
    struct xml_node *root;
    int code = xml_read(&root, a, xml, &reason);

    if (!code)
        code = read_envelope(root, a, &heard, &reason);
    if (code)
        str_format(why, MM7_WHY_SIZE, "The SOAP part cannot be read: %s.", reason);
    else
        *ret = heard;
    return code;
}
