/* Answers of the API, read by the command line: a parsed value one can walk. */
#pragma once

#include "base/buf.h"

struct json_node; /* a value inside a tree */

/* NULL when the text is not JSON. The tree owns all nodes in it. */
struct json_node *json_tree_parse(struct str text);
void json_tree_free(struct json_node *root);

/* The value at a path of member names and places in arrays, "data.0.to"; NULL when there is none.
 */
const struct json_node *json_node_at(const struct json_node *node, const char *path);
/* Items of an array; 0 of anything else. */
size_t json_node_count(const struct json_node *node);
const struct json_node *json_node_item(const struct json_node *node, size_t index);

/* Each member of an object, in the order in which they were written. */
void json_node_each(const struct json_node *node,
                    void (*take)(void *context, struct str name, const struct json_node *value),
                    void *context);

/* A string's own bytes, valid as long as the tree; p is NULL when it is no string. */
struct str json_node_string(const struct json_node *node);
/* Any value as text without quotes; null and nothing add nothing. */
void json_node_text(const struct json_node *node, struct buf *out);
/* The value as JSON again, on one line, or indented for people. */
void json_node_write(const struct json_node *node, bool indent, struct buf *out);

static inline void json_tree_cleanup(struct json_node **root)
{
    json_tree_free(*root);
}
#define JSON_TREE_CLEANUP __attribute__((cleanup(json_tree_cleanup)))
