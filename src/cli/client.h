/* The way from the command line to a running server: where it is, which authority vouches for it,
 * which key to use, and what its refusals mean. */
#pragma once

#include "cli/command.h"
#include "net/http_client.h"
#include "json/tree.h"

#include <limits.h>

enum { CLIENT_URL_MAX = 512, CLIENT_KEY_MAX = 256 };

struct client {
    char url[CLIENT_URL_MAX]; /* without a slash at the end */
    char ca_file[PATH_MAX];   /* "" = the system's authorities */
    bool local;               /* a loopback address */
    char folder[PATH_MAX];    /* where the address was found; "" = it was given */
    char key[CLIENT_KEY_MAX];
    const char *idempotency_key; /* NULL = none */
    bool wants_csv;              /* in place of JSON */
};

/* Finds out all of it, or tells what is missing; an exit code. */
int client_open(struct client *c, const struct invocation *in);

/* One request. Other than CLI_OK the user has been told. The reply is to be done in every case. */
int client_call(const struct client *c, const char *method, const char *path, struct str body,
                struct http_reply *reply);

/* Follows an answer that does not end. Nothing is told; the reply is to be done in every case.
 * `last` is the id of the last event that was seen, or "". */
enum http_outcome client_follow(const struct client *c, const char *path, const char *last,
                                const struct http_follow *wish, struct http_reply *reply);
/* What client_call would have told, and its exit code. */
int client_tell(const struct client *c, enum http_outcome outcome, const struct http_reply *reply);
/* A local server may have another address when it comes back. */
void client_look_again(struct client *c);

/* One request, and the answer is parsed; the tree is the caller's. */
int client_fetch(const struct client *c, const char *method, const char *path, struct str body,
                 struct json_node **ret);

/* Opens a client for one request and parses the answer; the tree is the caller's. */
int client_ask(const struct invocation *in, const char *method, const char *path, struct str body,
               struct json_node **ret);

/* Which option becomes which parameter of a query. */
struct client_parameter {
    enum option_id option;
    const char *name;
};

/* Adds those that were given to a path, and a NUL. */
void client_query(struct buf *path, const struct invocation *in,
                  const struct client_parameter *parameters, size_t count);
/* GET with those that were given as the query; the tree is the caller's. */
int client_list(const struct invocation *in, const char *path,
                const struct client_parameter *parameters, size_t count, struct json_node **ret);

/* Adds text as part of a query or path: what is not plain is percent-encoded. */
void client_escape(struct buf *out, const char *text);
/* Whether the host of a URL is this machine itself, as far as the URL tells. */
bool client_url_is_local(struct str url);
/* Whether text can be part of a path as it is: letters, digits, _ and -. */
bool client_plain_id(const char *text);
