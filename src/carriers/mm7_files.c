#include "carriers/mm7_files.h"

int mm7_files_keep(const struct store *s, const struct mm7_delivered *d,
                   struct arrival_media media[MEDIA_MAX])
{
    struct str contents[MEDIA_MAX];

    for (size_t i = 0; i < d->file_count; i++) {
        contents[i] = d->files[i]->bytes;
        mm7_deliver_type(d->files[i], media[i].record.type);
    }
    return arrival_media_keep(s, contents, media, d->file_count);
}
