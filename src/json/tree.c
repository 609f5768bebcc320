#include "json/tree.h"

#include <jansson.h>

enum { EXACT_DIGITS = 15 }; /* of a decimal that a double gives back as it was written */

static const json_t *inner(const struct json_node *node)
{
    return (const json_t *)node;
}

static const struct json_node *outer(const json_t *value)
{
    return (const struct json_node *)value;
}

struct json_node *json_tree_parse(struct str text)
{
    return (struct json_node *)json_loadb(text.n ? text.p : "", text.n, JSON_ALLOW_NUL, NULL);
}

void json_tree_free(struct json_node *root)
{
    json_decref((json_t *)root);
}

const struct json_node *json_node_at(const struct json_node *node, const char *path)
{
    struct str rest = str_of(path);
    char name[64];

    while (node && rest.p) {
        struct str head = str_cut(&rest, '.');
        str_format(name, sizeof name, "%.*s", STR_FMT(head));
        uint64_t index;
        node = str_to_u64(head, &index) && json_is_array(inner(node))
                   ? outer(json_array_get(inner(node), index))
                   : outer(json_object_get(inner(node), name));
    }
    return node;
}

size_t json_node_count(const struct json_node *node)
{
    return json_array_size(inner(node));
}

const struct json_node *json_node_item(const struct json_node *node, size_t index)
{
    return outer(json_array_get(inner(node), index));
}

void json_node_each(const struct json_node *node,
                    void (*take)(void *context, struct str name, const struct json_node *value),
                    void *context)
{
    json_t *object = (json_t *)node; /* jansson's iterators take no const; nothing is changed */

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        take(context, str_of(json_object_iter_key(at)), outer(json_object_iter_value(at)));
}

struct str json_node_string(const struct json_node *node)
{
    return (struct str){json_string_value(inner(node)), json_string_length(inner(node))};
}

static int add(const char *bytes, size_t n, void *context)
{
    buf_add(context, (struct str){bytes, n});
    return 0;
}

void json_node_text(const struct json_node *node, struct buf *out)
{
    if (!node || json_is_null(inner(node)))
        return;
    if (json_is_string(inner(node)))
        buf_add(out, json_node_string(node));
    else
        json_node_write(node, false, out);
}

void json_node_write(const struct json_node *node, bool indent, struct buf *out)
{
    size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(EXACT_DIGITS);

    json_dump_callback(inner(node), add, out, flags | (indent ? JSON_INDENT(2) : JSON_COMPACT));
}
