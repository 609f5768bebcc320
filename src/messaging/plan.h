/* Plans: named pairs of request limits that keys refer to. */
#pragma once

#include "messaging/limit.h"
#include "store/records.h"

struct plan {
    char name[PLAN_NAME_MAX + 1];
    struct limit_plan limits;
};

#define PLAN_DEFAULT "default"

/* Of the plans now in force; NULL when there is none of this name. Any thread. */
const struct plan *plan_find(struct str name);

/* Puts other plans in the place of the built-in ones, at start or when the configuration is read
 * again. The array must stay as long as others may be reading it; it ends with a plan without a
 * name. NULL: the built-in plans. */
void plans_set(const struct plan *plans);

/* All plans in force, ended by one without a name. */
const struct plan *plans_all(void);

/* What holds for a key: its own limits, or those of its plan. A plan that was taken out of the
 * configuration is the default one. */
struct limit_plan plan_limits(const struct key_record *key);
