/* What a media file is, told by its first bytes; what its server says must not contradict. Nothing
 * of a file is looked at beyond these bytes. Pure. */
#pragma once

#include "messaging/carrier.h"

enum { SNIFF_BYTES = 512 };

enum sniff_verdict {
    SNIFF_KNOWN,
    SNIFF_UNKNOWN,      /* none of the kinds that messages carry */
    SNIFF_PAGE,         /* a web page: most likely an error in place of the file */
    SNIFF_CONTRADICTED, /* the server says that it is something else; `kind` is what it is */
    SNIFF_NOT_SAID      /* text is only text when the server says so */
};

struct sniffed {
    enum sniff_verdict verdict;
    enum media_kind kind;
};

/* head: the first SNIFF_BYTES bytes, or all if there are fewer. content_type: the header as it
 * came, or "". */
struct sniffed sniff(struct str head, struct str content_type);

/* "image/jpeg": as what a file of this kind is kept and sent on. */
const char *media_type_of(enum media_kind kind);
/* Which one it is that is kept as this type. False: none. */
bool media_kind_of(const char *type, enum media_kind *ret);
/* What a header says without its parameters: "text/plain" of "text/plain; charset=utf-8". */
struct str media_type_said(struct str content_type);
