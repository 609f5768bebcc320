#include "mm7/xml.h"

#include <errno.h>
#include <libxml/parser.h>
#include <pthread.h>

/* Characters come in pieces; they are joined when their element ends. */
struct piece {
    struct str bytes;
    struct piece *next;
};

struct level {
    struct xml_node *node, *last_child;
    struct piece *first, *last;
    size_t text_size;
};

/* One reading, on the stack of xml_read. */
struct reading {
    struct arena *arena;
    struct xml_node *root;
    struct level levels[XML_DEPTH_MAX];
    size_t depth, nodes;
    int code; /* 0 until something is wrong; the first fault counts */
    const char *why;
};

static void stop(xmlParserCtxtPtr parser, int code, const char *why)
{
    struct reading *r = parser->_private;

    if (!r->code) {
        r->code = code;
        r->why = why;
    }
    xmlStopParser(parser);
}

static struct str view_of(const xmlChar *text)
{
    return str_of((const char *)text);
}

/* ---- elements ---- */

/* libxml2 has five pointers for each: name, prefix, namespace, where the value begins and ends. */
enum { ATTRIBUTE_POINTERS = 5, VALUE_BEGIN = 3, VALUE_END = 4 };

static bool add_attribute(struct reading *r, struct xml_attribute ***tail, const xmlChar **five)
{
    struct xml_attribute *a = arena_new(r->arena, struct xml_attribute);
    struct str value = {(const char *)five[VALUE_BEGIN],
                        (size_t)(five[VALUE_END] - five[VALUE_BEGIN])};

    if (!a)
        return false;
    a->name = arena_copy(r->arena, view_of(five[0]));
    a->value = str_trim(arena_copy(r->arena, value));
    **tail = a;
    *tail = &a->next;
    return a->name.p && a->value.p;
}

static struct xml_node *new_node(struct reading *r, const xmlChar *name, const xmlChar *namespace,
                                 size_t count, const xmlChar **attributes)
{
    struct xml_node *node = arena_new(r->arena, struct xml_node);

    if (!node)
        return NULL;
    node->name = arena_copy(r->arena, view_of(name));
    node->namespace = arena_copy(r->arena, view_of(namespace));
    node->text = STR("");
    struct xml_attribute **tail = &node->attributes;
    for (size_t i = 0; i < count; i++)
        if (!add_attribute(r, &tail, attributes + i * ATTRIBUTE_POINTERS))
            return NULL;
    return node->name.p && node->namespace.p ? node : NULL;
}

static void hang_in(struct reading *r, struct xml_node *node)
{
    struct level *parent = r->depth > 0 ? &r->levels[r->depth - 1] : NULL;

    if (!parent)
        r->root = node;
    else if (!parent->last_child)
        parent->node->child = node;
    else
        parent->last_child->next = node;
    if (parent)
        parent->last_child = node;
    r->levels[r->depth++] = (struct level){.node = node};
}

static void on_open(void *context, const xmlChar *name, const xmlChar *prefix,
                    const xmlChar *namespace, int namespace_count, const xmlChar **namespaces,
                    int count, int default_count, const xmlChar **attributes)
{
    xmlParserCtxtPtr parser = context;
    struct reading *r = parser->_private;

    if (r->code)
        return;
    if (r->depth == XML_DEPTH_MAX) {
        stop(parser, -E2BIG, "its elements are nested more than 32 deep");
        return;
    }
    if (r->nodes++ == XML_NODES_MAX) {
        stop(parser, -E2BIG, "it has more than 4096 elements");
        return;
    }
    if (count > XML_ATTRIBUTES_MAX || namespace_count > XML_ATTRIBUTES_MAX) {
        stop(parser, -E2BIG, "an element has more than 16 attributes");
        return;
    }
    struct xml_node *node = new_node(r, name, namespace, (size_t)count, attributes);
    if (!node)
        stop(parser, -ENOMEM, "it takes more memory than there is for it");
    else
        hang_in(r, node);
}

static void on_text(void *context, const xmlChar *text, int n)
{
    xmlParserCtxtPtr parser = context;
    struct reading *r = parser->_private;

    if (r->code || r->depth == 0)
        return;
    struct level *level = &r->levels[r->depth - 1];
    struct piece *piece = arena_new(r->arena, struct piece);
    if (piece)
        piece->bytes = arena_copy(r->arena, (struct str){(const char *)text, (size_t)n});
    if (!piece || !piece->bytes.p) {
        stop(parser, -ENOMEM, "it takes more memory than there is for it");
        return;
    }
    if (level->last)
        level->last->next = piece;
    else
        level->first = piece;
    level->last = piece;
    level->text_size += piece->bytes.n;
}

static bool join_text(struct reading *r, struct level *level)
{
    if (level->first == level->last) {
        if (level->first)
            level->node->text = str_trim(level->first->bytes);
        return true;
    }
    char *at = arena_bytes(r->arena, level->text_size);
    if (!at)
        return false;
    struct str all = {at, level->text_size};
    for (const struct piece *p = level->first; p; at += p->bytes.n, p = p->next)
        memcpy(at, p->bytes.p, p->bytes.n);
    level->node->text = str_trim(all);
    return true;
}

static void on_close(void *context, const xmlChar *name, const xmlChar *prefix,
                     const xmlChar *namespace)
{
    xmlParserCtxtPtr parser = context;
    struct reading *r = parser->_private;

    if (r->code || r->depth == 0)
        return;
    if (!join_text(r, &r->levels[r->depth - 1]))
        stop(parser, -ENOMEM, "it takes more memory than there is for it");
    r->depth--;
}

/* ---- what is refused ---- */

static void on_document_type(void *context, const xmlChar *name, const xmlChar *public_id,
                             const xmlChar *system_id)
{
    stop(context, -EBADMSG, "it has a document type, which SOAP forbids");
}

/* An entity that XML itself does not have. */
static void on_reference(void *context, const xmlChar *name)
{
    stop(context, -EBADMSG, "it uses an entity that is not of XML itself");
}

/* The name in encoding="…" of the XML declaration; "" when it does not say. */
static struct str declared_encoding(struct str bytes)
{
    const char *end = str_starts(bytes, STR("<?xml")) ? memmem(bytes.p, bytes.n, "?>", 2) : NULL;
    struct str head = {bytes.p, end ? (size_t)(end - bytes.p) : 0};
    const char *at = head.n ? memmem(head.p, head.n, "encoding", 8) : NULL;

    if (!at)
        return STR("");
    struct str rest = str_skip(head, (size_t)(at - head.p) + 8);
    str_cut(&rest, '=');
    rest = str_trim(rest);
    if (rest.n < 2 || (rest.p[0] != '"' && rest.p[0] != '\''))
        return STR("");
    char quote = rest.p[0];
    rest = str_skip(rest, 1);
    return str_cut(&rest, quote);
}

static bool encoding_is_known(struct str name)
{
    static const char *const known[] = {"utf-8", "us-ascii", "ascii", "iso-8859-1"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(name, str_of(known[i])))
            return true;
    return name.n == 0;
}

/* How long the markup is that `s` begins with: all of `s` when it does not end. */
static size_t markup_size(struct str s, bool *ret_tag)
{
    static const struct {
        struct str begin, end;
    } others[] = {
        {{"<!--", 4}, {"-->", 3}}, {{"<![CDATA[", 9}, {"]]>", 3}}, {{"<?", 2}, {"?>", 2}}};
    char quote = '\0';

    *ret_tag = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct str inside = str_skip(s, others[i].begin.n);
        if (!str_starts(s, others[i].begin))
            continue;
        const char *end =
            inside.n ? memmem(inside.p, inside.n, others[i].end.p, others[i].end.n) : NULL;
        return end ? (size_t)(end - s.p) + others[i].end.n : s.n;
    }
    *ret_tag = true;
    for (size_t i = 0; i < s.n; i++) {
        if (!quote && s.p[i] == '>')
            return i + 1;
        if (quote ? s.p[i] == quote : s.p[i] == '"' || s.p[i] == '\'')
            quote = quote ? '\0' : s.p[i];
    }
    return s.n;
}

/* The parser compares each attribute of a tag with all others, before it tells us of one. */
static bool has_long_tag(struct str bytes)
{
    bool tag;

    for (const char *at; bytes.n && (at = memchr(bytes.p, '<', bytes.n));) {
        bytes = str_skip(bytes, (size_t)(at - bytes.p));
        size_t size = markup_size(bytes, &tag);
        if (tag && size > XML_TAG_MAX)
            return true;
        bytes = str_skip(bytes, size);
    }
    return false;
}

/* What can be told before the parser sees it. Without NULs and with a '<' first it is in no
 * encoding of wider characters, and not in EBCDIC. */
static int check_bytes(struct str bytes, const char **ret_why)
{
    if (bytes.n > XML_SIZE_MAX) {
        *ret_why = "it is larger than 256 KiB";
        return -E2BIG;
    }
    if (bytes.n == 0 || bytes.p[0] != '<' || memchr(bytes.p, '\0', bytes.n)) {
        *ret_why = bytes.n ? "it is not XML in UTF-8" : "it is empty";
        return -EBADMSG;
    }
    if (!encoding_is_known(declared_encoding(bytes))) {
        *ret_why = "its encoding is not UTF-8";
        return -EBADMSG;
    }
    if (has_long_tag(bytes)) {
        *ret_why = "it has a tag of more than 8 KiB";
        return -E2BIG;
    }
    return 0;
}

/* ---- reading ---- */

static void set_up(xmlParserCtxtPtr parser, struct reading *r)
{
    *parser->sax = (xmlSAXHandler){
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = on_open,
        .endElementNs = on_close,
        .characters = on_text,
        .cdataBlock = on_text,
        .ignorableWhitespace = on_text,
        .internalSubset = on_document_type,
        .reference = on_reference,
    };
    parser->_private = r;
}

static void parse(struct reading *r, struct str bytes)
{
    xmlParserCtxtPtr parser = xmlNewParserCtxt();

    if (!parser) {
        r->code = -ENOMEM;
        r->why = "memory is short";
        return;
    }
    set_up(parser, r);
    /* Without handlers for errors and with these options it prints nothing; what it found is in
     * wellFormed. */
    xmlDocPtr none = xmlCtxtReadMemory(parser, bytes.p, (int)bytes.n, NULL, NULL,
                                       XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (none)
        xmlFreeDoc(none);
    if (!r->code && (!parser->wellFormed || r->depth > 0 || !r->root)) {
        r->code = -EBADMSG;
        r->why = "it is not well-formed XML";
    }
    xmlFreeParserCtxt(parser);
}

int xml_read(struct xml_node **ret, struct arena *a, struct str bytes, const char **ret_why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (str_starts(bytes, STR("\xef\xbb\xbf")))
        bytes = str_skip(bytes, 3);
    bytes = str_trim(bytes);
    int code = check_bytes(bytes, ret_why);
    if (code)
        return code;
    pthread_once(&once, xmlInitParser);
    struct reading r = {.arena = a};
    parse(&r, bytes);
    if (r.code)
        *ret_why = r.why;
    else
        *ret = r.root;
    return r.code;
}

/* ---- looking ---- */

const struct xml_node *xml_child(const struct xml_node *node, const char *name)
{
    for (const struct xml_node *c = node ? node->child : NULL; c; c = c->next)
        if (str_is(c->name, name))
            return c;
    return NULL;
}

struct str xml_child_text(const struct xml_node *node, const char *name)
{
    const struct xml_node *child = xml_child(node, name);

    return child ? child->text : STR("");
}

struct str xml_attribute_of(const struct xml_node *node, const char *name)
{
    for (const struct xml_attribute *a = node ? node->attributes : NULL; a; a = a->next)
        if (str_is(a->name, name))
            return a->value;
    return STR("");
}
