/* XML from the network, as a small tree. The only user of libxml2. Refuses what SOAP forbids and
 * attackers like: document types, entities of one's own, other encodings than UTF-8, US-ASCII and
 * ISO-8859-1; never opens a file or connection. Bounded in size, depth and number. */
#pragma once

#include "base/arena.h"

enum {
    XML_SIZE_MAX = 256 << 10,
    XML_TAG_MAX = 8 << 10,
    XML_DEPTH_MAX = 32,
    XML_NODES_MAX = 4096,
    XML_ATTRIBUTES_MAX = 16
};

struct xml_attribute {
    struct str name, value; /* without prefix; the value trimmed */
    struct xml_attribute *next;
};

/* Views into the arena. */
struct xml_node {
    struct str name; /* without prefix */
    struct str namespace;
    struct str text; /* its own, without that of its children; trimmed; UTF-8 */
    struct xml_attribute *attributes;
    struct xml_node *child, *next;
};

/* The root. -EBADMSG: no XML, or not of the kind that is taken; -E2BIG: over a limit; -ENOMEM.
 * Then *ret_why is half a sentence: "it has a document type". */
int xml_read(struct xml_node **ret, struct arena *a, struct str bytes, const char **ret_why);

/* The first child of that name; NULL when there is none, or no node. */
const struct xml_node *xml_child(const struct xml_node *node, const char *name);
/* Its text; "" when there is none. */
struct str xml_child_text(const struct xml_node *node, const char *name);
struct str xml_attribute_of(const struct xml_node *node, const char *name);
