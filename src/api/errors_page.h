/* The error-reference page: every error code with its cause, its fix and an example. It is where
 * `documentation` in an error points to, one anchor per code. */
#pragma once

#include "base/buf.h"

/* About 20 KB; made once at start. */
void errors_page_write(struct buf *out);
