/* Receives webhooks: checks who sent them, drops repetitions, prints a line for each event. With
 * GnuTLS and jansson.
 *
 *   cc -o receiver examples/webhooks/receiver.c $(pkg-config --cflags --libs gnutls jansson)
 *   SKYLARK_WEBHOOK_SECRET=whsec_… ./receiver [PORT]
 *
 * It speaks plain HTTP, one request at a time, and only to this machine: for `skylark webhooks
 * listen --forward-to http://127.0.0.1:4000`, or behind something that speaks TLS. */
#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 256 * 1024, REMEMBERED = 10000, SIGNATURE = 7 + 64 };

static const char *secrets = ""; /* two of them during a rotation, with a space between */

/* X-Service-Signature: the key is the whole secret as it is written, `whsec_` included. */
static bool is_signed(const char *secret, size_t length, const char *signature, const char *body,
                      size_t size)
{
    unsigned char digest[32];
    char wanted[SIGNATURE + 1] = "sha256=";

    if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret, length, body, size, digest) != 0)
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(wanted + 7 + 2 * i, 3, "%02x", digest[i]);
    /* In the same time whether the first byte differs or the last: nobody can guess by bytes. */
    return strcspn(signature, "\r") == SIGNATURE &&
           gnutls_memcmp(signature, wanted, SIGNATURE) == 0;
}

static bool is_genuine(const char *signature, const char *body, size_t size)
{
    bool genuine = false;

    for (const char *secret = secrets; *(secret += strspn(secret, " "));) {
        size_t length = strcspn(secret, " ");
        genuine |= is_signed(secret, length, signature, body, size);
        secret += length;
    }
    return genuine;
}

/* Deliveries come at least once. Yours remembers the ids where it keeps what the events change. */
static bool is_new(const char *id)
{
    static char seen[REMEMBERED][32];
    static size_t next;

    for (size_t i = 0; i < REMEMBERED; i++)
        if (strcmp(seen[i], id) == 0)
            return false;
    snprintf(seen[next++ % REMEMBERED], sizeof *seen, "%s", id);
    return true;
}

static int handle(const char *body, size_t size)
{
    json_t *event = json_loadb(body, size, 0, NULL);
    const char *id = "", *type = "", *about = "";
    int faulty = json_unpack(event, "{ss ss s{s?s s?s}}", "id", &id, "type", &type, "data",
                             "webhookId", &about, "messageId", &about);

    if (!faulty && is_new(id))
        printf("%s  %s  %s\n", id, type, about);
    json_decref(event);
    return faulty ? 400 : 204;
}

/* The value of a field of the head; "" if there is none. */
static const char *field(const char *head, const char *name)
{
    for (const char *line = head; (line = strstr(line, "\r\n")) && line[2] != '\r';) {
        line += 2;
        if (strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            return line + strlen(name) + 1 + strspn(line + strlen(name) + 1, " \t");
    }
    return "";
}

/* Reads one request and returns the status of its answer. */
static int receive(int connection)
{
    static char request[LONGEST + 1];
    char *body = NULL;
    size_t size = 0, have = 0;

    for (ssize_t n = 1; !body || have < (size_t)(body - request) + size; have += (size_t)n) {
        n = read(connection, request + have, LONGEST - have);
        if (n <= 0)
            return 400;
        request[have + (size_t)n] = '\0';
        if (!body && (body = strstr(request, "\r\n\r\n"))) {
            body += 4;
            size = strtoul(field(request, "Content-Length"), NULL, 10);
            if (size > LONGEST)
                return 400;
        }
    }
    bool genuine = is_genuine(field(request, "X-Service-Signature"), body, size);
    return genuine ? handle(body, size) : 401;
}

/* A socket that listens on this machine only; the port 0 takes any that is free. */
static int listen_on(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 64)) {
        perror("The port cannot be listened on");
        exit(1);
    }
    getsockname(listener, (struct sockaddr *)&address, &(socklen_t){sizeof address});
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    return listener;
}

int main(int argc, char **argv)
{
    struct timeval patience = {.tv_sec = 10};

    if (!(secrets = getenv("SKYLARK_WEBHOOK_SECRET"))) {
        fputs("SKYLARK_WEBHOOK_SECRET is not set. `skylark webhooks listen --print-secret` prints "
              "it.\n",
              stderr);
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    int listener = listen_on(argc > 1 ? argv[1] : "4000");
    for (int connection; (connection = accept(listener, NULL, NULL)) >= 0; close(connection)) {
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        dprintf(connection, "HTTP/1.1 %d \r\nConnection: close\r\n\r\n", receive(connection));
    }
    return 0;
}
