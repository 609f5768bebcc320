/* What the tests and the fuzz target of decoding share: a struct with a member of every kind, and
 * the table that fills it. */
#pragma once

#include "json/read.h"

struct sample {
    struct str to, text, note;
    struct str_list media;
    int64_t validity;
    bool dry;
    struct str metadata, items;
    bool has_to, has_text, has_note, has_media, has_validity, has_dry, has_metadata, has_items;
};

static const struct json_field fields[] = {
    JSON_FIELD(struct sample, to, JSON_TEXT, "to", NULL),
    JSON_FIELD(struct sample, text, JSON_TEXT, "text", NULL),
    JSON_FIELD(struct sample, note, JSON_TEXT_OR_NULL, "note", "memo"),
    JSON_FIELD(struct sample, media, JSON_TEXT_LIST, "mediaUrls", "media_urls"),
    JSON_FIELD(struct sample, validity, JSON_INT64, "validityPeriod", NULL),
    JSON_FIELD(struct sample, dry, JSON_BOOLEAN, "dryRun", NULL),
    JSON_FIELD(struct sample, metadata, JSON_RAW_OBJECT, "metadata", NULL),
    JSON_FIELD(struct sample, items, JSON_RAW_ARRAY, "items", NULL),
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };
