/* What the writing connection remembers of the requests that are answered once. */
#pragma once

#include "store/recent.h"

struct once {
    struct recent recent;
    int64_t last; /* number of the newest row */
    bool loaded;  /* `recent` and `last` are as the tables are */
    bool touched; /* in this transaction */
};

void once_done(struct once *o);
void once_rolled_back(struct once *o);
