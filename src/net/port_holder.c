#include "net/port_holder.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATE_LISTEN = 0x0A, PATH_SIZE = 320 };

/* An address as /proc shows it: words in network order, IPv4 in the last of them. */
struct place {
    uint32_t words[4];
    unsigned port;
};

static bool place_of(const struct sockaddr *address, struct place *ret)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

    *ret = (struct place){.words = {0, 0, htonl(0xffff), 0}};
    if (address->sa_family == AF_INET) {
        ret->words[3] = v4->sin_addr.s_addr;
        ret->port = ntohs(v4->sin_port);
    } else if (address->sa_family == AF_INET6) {
        memcpy(ret->words, &v6->sin6_addr, sizeof ret->words);
        ret->port = ntohs(v6->sin6_port);
    }
    return ret->port != 0;
}

static bool is_any(const struct place *p)
{
    return p->words[3] == 0;
}

/* One line of /proc/net/tcp or tcp6: "0: 0100007F:20FB 00000000:0000 0A … inode …". */
static bool read_line(const char *line, struct place *ret, unsigned long *ret_inode)
{
    uint32_t *w = ret->words;
    unsigned state;
    int at = 0;

    *ret = (struct place){.words = {0, 0, htonl(0xffff), 0}};
    if (sscanf(line, " %*u: %8X%8X%8X%8X:%X %*[0-9A-F]:%*X %X%n", &w[0], &w[1], &w[2], &w[3],
               &ret->port, &state, &at) != 6) {
        *ret = (struct place){.words = {0, 0, htonl(0xffff), 0}};
        if (sscanf(line, " %*u: %8X:%X %*8X:%*X %X%n", &w[3], &ret->port, &state, &at) != 3)
            return false;
    }
    /* Queues, timer, retransmits, user and time-outs stand between the state and the inode. */
    return state == STATE_LISTEN &&
           sscanf(line + at, " %*X:%*X %*X:%*X %*X %*u %*u %lu", ret_inode) == 1;
}

/* The inode of the listening socket in our way; 0 = none. One at our very address comes before one
 * that listens everywhere. */
static unsigned long find_socket(const char *table, const struct place *wanted, bool exact)
{
    char line[512];
    unsigned long inode = 0;
    FILE *f = fopen(table, "re");

    while (f && !inode && fgets(line, sizeof line, f)) {
        struct place held;
        unsigned long found;
        if (!read_line(line, &held, &found) || held.port != wanted->port)
            continue;
        bool same = memcmp(held.words, wanted->words, sizeof held.words) == 0;
        if (same || (!exact && (is_any(&held) || is_any(wanted))))
            inode = found;
    }
    if (f)
        fclose(f);
    return inode;
}

static bool holds(const char *pid, const char *socket)
{
    char path[PATH_SIZE], target[64];
    struct dirent *e;
    bool found = false;

    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *fds = opendir(path);
    while (fds && !found && (e = readdir(fds))) {
        ssize_t n = readlinkat(dirfd(fds), e->d_name, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = '\0';
        found = strcmp(target, socket) == 0;
    }
    if (fds)
        closedir(fds);
    return found;
}

static void name_process(const char *pid, char out[PORT_HOLDER_SIZE])
{
    char path[PATH_SIZE], name[32] = "";

    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    FILE *f = fopen(path, "re");
    if (f && !fgets(name, sizeof name, f))
        name[0] = '\0';
    if (f)
        fclose(f);
    name[strcspn(name, "\n")] = '\0';
    for (char *c = name; *c; c++) /* a process may call itself what it likes */
        if (!isprint((unsigned char)*c))
            *c = '?';
    snprintf(out, PORT_HOLDER_SIZE, "%s (pid %.20s)", name[0] ? name : "a program", pid);
}

static bool find_process(unsigned long inode, char out[PORT_HOLDER_SIZE])
{
    char socket[64];
    struct dirent *e;
    bool found = false;
    DIR *processes = opendir("/proc");

    snprintf(socket, sizeof socket, "socket:[%lu]", inode);
    while (processes && !found && (e = readdir(processes))) {
        found = isdigit((unsigned char)e->d_name[0]) && holds(e->d_name, socket);
        if (found)
            name_process(e->d_name, out);
    }
    if (processes)
        closedir(processes);
    return found;
}

bool port_holder_find(const struct sockaddr *wanted, char out[PORT_HOLDER_SIZE])
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    struct place place;
    unsigned long inode = 0;

    out[0] = '\0';
    if (!place_of(wanted, &place))
        return false;
    for (int look = 0; look < 4 && !inode; look++)
        inode = find_socket(tables[look % 2], &place, look < 2);
    return inode && find_process(inode, out);
}
