#include "view/public_url.h"

#include <stdatomic.h>

static char kept[PUBLIC_URL_MAX + 1];
static _Atomic size_t length;

void public_url_set(const char *url)
{
    atomic_store(&length, 0);
    str_format(kept, sizeof kept, "%s", url);
    size_t n = strlen(kept);
    while (n && kept[n - 1] == '/')
        n--;
    atomic_store(&length, n);
}

struct str public_url(void)
{
    return (struct str){kept, atomic_load(&length)};
}
