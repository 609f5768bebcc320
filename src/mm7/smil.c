#include "mm7/smil.h"

#include <stdio.h>

/* Types, the ends of names, and the elements that show them. What is not here is a "ref" that a
 * phone offers to keep. */
static const struct {
    const char *type, *ending, *element;
} kinds[] = {
    {"image/jpeg", "jpg", "img"},   {"image/png", "png", "img"},
    {"image/gif", "gif", "img"},    {"image/webp", "webp", "img"},
    {"video/mp4", "mp4", "video"},  {"video/3gpp", "3gp", "video"},
    {"audio/amr", "amr", "audio"},  {"audio/mpeg", "mp3", "audio"},
    {"audio/mp4", "m4a", "audio"},  {"audio/3gpp", "3gp", "audio"},
    {"text/plain", "txt", "text"},  {"text/vcard", "vcf", "ref"},
    {"text/x-vcard", "vcf", "ref"}, {"", "bin", "ref"},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static size_t kind_of(struct str type)
{
    size_t i = 0;

    while (i < KIND_COUNT - 1 && !str_eq_nocase(type, str_of(kinds[i].type)))
        i++;
    return i;
}

void smil_name(size_t number, struct str type, char out[SMIL_NAME_SIZE])
{
    str_format(out, SMIL_NAME_SIZE, "%zu.%s", number, kinds[kind_of(type)].ending);
}

static void add_text(struct buf *out)
{
    buf_text(out, "<text src=\"cid:" SMIL_TEXT_NAME "\" region=\"Text\"/>");
}

/* Sound has no place on the screen. A video or sound says itself when its page is over. */
static void add_file(struct buf *out, size_t number, struct str type)
{
    const char *element = kinds[kind_of(type)].element;
    char name[SMIL_NAME_SIZE];

    smil_name(number, type, name);
    buf_printf(out, "<%s src=\"cid:%s\"", element, name);
    if (str_is(str_of(element), "text"))
        buf_text(out, " region=\"Text\"");
    else if (!str_is(str_of(element), "audio"))
        buf_text(out, " region=\"Image\"");
    buf_text(out, "/>");
}

static bool runs(struct str type)
{
    return str_starts_nocase(type, STR("video/")) || str_starts_nocase(type, STR("audio/"));
}

static void open_page(struct buf *out, bool runs_by_itself)
{
    buf_text(out, runs_by_itself ? "<par>" : "<par dur=\"5s\">");
}

void smil_write(struct buf *out, bool has_text, const struct str *types, size_t count)
{
    buf_text(out, "<smil><head><layout><root-layout width=\"100%\" height=\"100%\"/>"
                  "<region id=\"Image\" top=\"0\" left=\"0\" height=\"70%\" width=\"100%\""
                  " fit=\"meet\"/>"
                  "<region id=\"Text\" top=\"70%\" left=\"0\" height=\"30%\" width=\"100%\""
                  " fit=\"scroll\"/></layout></head><body>");
    for (size_t i = 0; i < count; i++) {
        open_page(out, runs(types[i]));
        add_file(out, i + 1, types[i]);
        if (i == 0 && has_text)
            add_text(out);
        buf_text(out, "</par>");
    }
    if (count == 0) {
        open_page(out, false);
        if (has_text)
            add_text(out);
        buf_text(out, "</par>");
    }
    buf_text(out, "</body></smil>");
}
