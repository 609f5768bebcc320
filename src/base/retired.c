#include "base/retired.h"

#include <stdlib.h>

struct retired {
    struct retired *earlier;
    void *what;
    retired_release *release;
    int64_t at_us;
};

void retire(struct retired **list, void *what, retired_release *release, int64_t now_us)
{
    struct retired *r = what ? malloc(sizeof *r) : NULL;

    if (!r)
        return;
    *r = (struct retired){*list, what, release, now_us};
    *list = r;
}

void retired_free(struct retired **list, int64_t before_us)
{
    while (*list) {
        struct retired *r = *list;
        if (r->at_us >= before_us) {
            list = &r->earlier;
            continue;
        }
        *list = r->earlier;
        r->release(r->what);
        free(r);
    }
}
