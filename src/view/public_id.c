#include "view/public_id.h"

enum { PREFIX_SIZE = PUBLIC_ID_SIZE - ID_DIGITS };

void public_id_format(const struct id_cipher *ids, const char *prefix, int64_t id,
                      char out[PUBLIC_ID_SIZE])
{
    memcpy(out, prefix, PREFIX_SIZE);
    id_encode(ids, id, out + PREFIX_SIZE);
}

bool public_id_parse(const struct id_cipher *ids, const char *prefix, struct str text, int64_t *ret)
{
    return str_starts(text, (struct str){prefix, PREFIX_SIZE}) &&
           id_decode(ids, str_skip(text, PREFIX_SIZE), ret);
}

void public_id_put(struct json_writer *w, const struct id_cipher *ids, const char *prefix,
                   int64_t id)
{
    char text[PUBLIC_ID_SIZE];

    public_id_format(ids, prefix, id, text);
    json_put_string(w, (struct str){text, sizeof text});
}
