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

static uint32_t own_or(int64_t own, uint32_t of_plan)
{
    if (own == LIMIT_OF_PLAN)
        return of_plan;
    return own > UINT32_MAX ? UINT32_MAX : (uint32_t)own;
}

struct limit_plan plan_limits(const struct key_record *key)
{
    const struct plan *plan = plan_find(str_of(key->plan));

    if (!plan)
        plan = plan_find(STR(PLAN_DEFAULT));
    return (struct limit_plan){own_or(key->per_minute, plan->limits.per_minute),
                               own_or(key->per_hour, plan->limits.per_hour)};
}
