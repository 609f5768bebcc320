/* Files of settings for programs, ".env": one of them is set, everything else stays as it is. */
#pragma once

#include "base/buf.h"

/* Letters, digits and _, and no digit first. */
bool env_name_good(struct str name);
/* The file's text with NAME=value in place of each line that sets NAME, or behind the last line. */
void env_file_set(struct str text, struct str name, struct str value, struct buf *out);
/* The same with a file, at once and with the rights that it has; a new one is for its owner only.
 */
int env_file_write(const char *path, struct str name, struct str value);
