#include "carriers/mm7_door.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "net/address_range.h"

#include <errno.h>
#include <stdlib.h>

/* A name, a colon and a password, each of 255 bytes at most. */
enum { CREDENTIALS_MAX = 511 };

/* ---- made ---- */

static struct str cut_word(struct str *rest)
{
    size_t n = 0;

    while (rest->n && memchr(" ,\t", rest->p[0], 3))
        *rest = str_skip(*rest, 1);
    while (n < rest->n && !memchr(" ,\t", rest->p[n], 3))
        n++;
    struct str word = {rest->p, n};
    *rest = str_skip(*rest, n);
    return word;
}

static int read_ranges(struct mm7_door *d, const struct config_mmsc *m, char *why)
{
    struct str rest = str_of(m->allow);

    d->ranges = calloc(rest.n / 2 + 1, sizeof *d->ranges);
    if (!d->ranges)
        return -ENOMEM;
    for (struct str word = cut_word(&rest); word.n; word = cut_word(&rest)) {
        const char *flaw = address_range_parse(word, &d->ranges[d->range_count]);
        if (flaw) {
            str_format(why, MM7_DOOR_WHY_SIZE, "[mmsc %s] allow: '%.*s' %s", m->name,
                       STR_FMT(utf8_shown(word, 48)), flaw);
            return -EINVAL;
        }
        d->range_count++;
    }
    return 0;
}

static int read_path(struct mm7_door *d, const struct config_mmsc *m, char *why)
{
    if (m->listen_path[0])
        str_format(d->path, sizeof d->path, "%s", m->listen_path);
    else
        str_format(d->path, sizeof d->path, "/mm7/%s", m->name);
    if (d->path[0] == '/' && !strpbrk(d->path, "?# \t"))
        return 0;
    str_format(why, MM7_DOOR_WHY_SIZE,
               "[mmsc %s] listen_path must begin with a slash and have no blank, '?' or '#': "
               "/reports/acme",
               m->name);
    return -EINVAL;
}

static int read_credentials(struct mm7_door *d, const struct config_mmsc *m, char *why)
{
    char text[CREDENTIALS_MAX + 1];
    const char *flaw = NULL;

    if (strchr(m->listen_username, ':'))
        flaw = "listen_username must not have a colon: HTTP cannot say it";
    else if (m->listen_password[0] && !m->listen_username[0])
        flaw = "listen_password is set and listen_username is not; set both or none";
    else if (m->listen_username[0] && !m->listen_password[0])
        flaw = "listen_username is set and listen_password is not; set both or none";
    if (flaw) {
        str_format(why, MM7_DOOR_WHY_SIZE, "[mmsc %s] %s", m->name, flaw);
        return -EINVAL;
    }
    d->guarded = m->listen_username[0] != '\0';
    str_format(text, sizeof text, "%s:%s", m->listen_username, m->listen_password);
    digest_sha256(str_of(text), d->credentials);
    return 0;
}

static bool is_public(const struct config_address *a)
{
    return a->host[0] && !config_address_is_loopback(a);
}

/* Whoever can reach a door that is open to all can say that messages arrived. */
static int check_guarded(const struct mm7_door *d, const struct config_address *listen,
                         const struct config_address *bound, char *why)
{
    bool named = is_public(listen);

    if (d->guarded || d->range_count || (!named && !(bound && is_public(bound))))
        return 0;
    str_format(why, MM7_DOOR_WHY_SIZE,
               "[mmsc %s] everybody who reaches %s could bring its reports; set "
               "listen_username and listen_password, or allow%s",
               d->name, named ? "mm7.listen" : "the listener",
               named ? "" : "; it moves to mm7.listen at the next start only");
    return -EINVAL;
}

static int check_apart(const struct mm7_doors *d, const struct mm7_door *door, char *why)
{
    for (const struct mm7_door *other = d->doors; other < door; other++)
        if (strcmp(other->path, door->path) == 0) {
            str_format(why, MM7_DOOR_WHY_SIZE,
                       "[mmsc %s] and [mmsc %s] both come to %.80s; give one another listen_path",
                       other->name, door->name, door->path);
            return -EINVAL;
        }
    return 0;
}

static int read_door(const struct mm7_doors *all, struct mm7_door *d, const struct config_mmsc *m,
                     const struct config *config, const struct config_address *bound, char *why)
{
    str_format(d->name, sizeof d->name, "%s", m->name);
    int failed = read_path(d, m, why);
    if (!failed)
        failed = read_credentials(d, m, why);
    if (!failed)
        failed = read_ranges(d, m, why);
    if (!failed)
        failed = check_guarded(d, &config->mm7_listen, bound, why);
    return failed ? failed : check_apart(all, d, why);
}

int mm7_doors_new(struct mm7_doors **ret, const struct config *config,
                  const struct config_address *bound, mm7_door_number *number, void *context,
                  char why[MM7_DOOR_WHY_SIZE])
{
    struct mm7_doors *d = calloc(1, sizeof *d + config->mmsc_count * sizeof *d->doors);
    int failed = d ? 0 : -ENOMEM;

    *ret = NULL;
    why[0] = '\0';
    for (size_t i = 0; i < config->mmsc_count && !failed; i++) {
        const struct config_mmsc *m = &config->mmscs[i];
        failed = read_door(d, &d->doors[i], m, config, bound, why);
        d->count = i + 1;
        d->doors[i].carrier = number ? number(context, m->name) : 0;
    }
    if (failed) {
        if (!why[0])
            str_format(why, MM7_DOOR_WHY_SIZE, "MMSCs cannot be let in: %s", strerror(-failed));
        mm7_doors_free(d);
        return failed;
    }
    *ret = d;
    return 0;
}

void mm7_doors_free(struct mm7_doors *d)
{
    for (size_t i = 0; d && i < d->count; i++)
        free(d->doors[i].ranges);
    free(d);
}

/* ---- entered ---- */

static bool comes_from_there(const struct mm7_door *d, const struct in6_addr *address)
{
    const unsigned char *bytes = address->s6_addr;
    bool v4 = IN6_IS_ADDR_V4MAPPED(address);

    for (size_t i = 0; i < d->range_count; i++)
        if (address_range_holds(&d->ranges[i], v4 ? AF_INET : AF_INET6, v4 ? bytes + 12 : bytes))
            return true;
    return d->range_count == 0;
}

bool mm7_doors_admit(const struct mm7_doors *d, const struct in6_addr *address)
{
    bool admitted = d->count == 0;

    for (size_t i = 0; i < d->count && !admitted; i++)
        admitted = comes_from_there(&d->doors[i], address);
    return admitted;
}

/* What "Basic BASE64" says, the only one of its name; "" when there is none. */
static struct str basic_of(const struct http_head *head, char out[CREDENTIALS_MAX])
{
    struct str value = STR("");
    unsigned count = 0;
    size_t n;

    for (size_t i = 0; i < head->field_count; i++)
        if (str_eq_nocase(head->fields[i].name, STR("Authorization"))) {
            value = head->fields[i].value;
            count++;
        }
    if (count != 1 || !str_starts_nocase(value, STR("Basic ")) ||
        !base64_decode(str_trim(str_skip(value, 6)), out, CREDENTIALS_MAX, &n))
        return STR("");
    return (struct str){out, n};
}

static bool shows_credentials(const struct mm7_door *d, const struct http_head *head)
{
    uint8_t shown[DIGEST_SHA256_SIZE];
    char text[CREDENTIALS_MAX];

    if (!d->guarded)
        return true;
    digest_sha256(basic_of(head, text), shown);
    return digest_equal(shown, d->credentials, sizeof shown);
}

enum mm7_entry mm7_doors_enter(const struct mm7_doors *d, const struct http_request *r,
                               const struct mm7_door **ret_door)
{
    const struct mm7_door *door = NULL;

    for (size_t i = 0; i < d->count && !door; i++)
        if (d->doors[i].carrier && str_is(r->head.path, d->doors[i].path))
            door = &d->doors[i];
    if (!door)
        return MM7_ENTRY_NO_DOOR;
    *ret_door = door;
    if (!comes_from_there(door, &r->peer->address))
        return MM7_ENTRY_ADDRESS;
    return shows_credentials(door, &r->head) ? MM7_ENTRY_OPEN : MM7_ENTRY_CREDENTIALS;
}
