/* What the files of `skylark keys` share. */
#pragma once

#include "cli/local.h"
#include "messaging/key.h"

enum { KEY_ID_SIZE = 4 + ID_DIGITS + 1 };

void key_id_format(const struct store *s, int64_t id, char out[KEY_ID_SIZE]);
/* The key with this id, whatever its state; an exit code, and the user has been told. */
int key_at(struct local *l, const char *id, struct key_record *ret);
