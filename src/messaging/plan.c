#include "messaging/plan.h"

#include <stdatomic.h>

static const struct plan builtin[] = {
#define P(name, per_minute, per_hour) {name, {per_minute, per_hour}},
#include "base/plans.def"
#undef P
    {"", {0, 0}},
};

static _Atomic(const struct plan *) current = builtin;

const struct plan *plans_all(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

void plans_set(const struct plan *plans)
{
    atomic_store_explicit(&current, plans ? plans : builtin, memory_order_release);
}

const struct plan *plan_find(struct str name)
{
    for (const struct plan *p = plans_all(); p->name[0]; p++)
        if (str_is(name, p->name))
            return p;
    return NULL;
}
