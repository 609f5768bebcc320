/* Shared by sqlite_volume.c and sqlite_merge.c. */
#pragma once

#include "store/sqlite_volume.h"

int volume_begin(struct sqlite_store *s, struct volume_writer *w, const struct shelf *shelf,
                 int level, int64_t first, int64_t last);
int volume_put(struct sqlite_store *s, struct volume_writer *w, const struct entry *e);
/* From here on it is in use. */
int volume_finish(struct sqlite_store *s, struct volume_writer *w);
int volume_drop(struct sqlite_store *s, struct shelf *shelf, int64_t id);
/* Puts a volume in place of `n` that stand at `at`. */
int shelf_replace(struct shelf *shelf, size_t at, size_t n, const struct volume *v);

/* The volumes of a level that stand side by side, when they are enough to be merged: how many, and
 * where; else 0. */
size_t merge_candidates(const struct sqlite_store *s, const struct shelf *shelf, int level,
                        size_t *ret_at);
bool merge_has_work(const struct sqlite_store *s, const struct shelf *shelf);
int merge_work(struct sqlite_store *s, struct shelf *shelf, size_t entries);
void merge_forget(struct shelf *shelf);
