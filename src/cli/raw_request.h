/* A webhook as somebody saved it: an HTTP request as text. The request line may be missing, lines
 * may end in LF or CR LF, and what stands behind the first empty line is the body, byte for byte.
 */
#pragma once

#include "base/str.h"

/* Views of the text that was read; p is NULL where a header is missing. */
struct raw_request {
    struct str signature;                                   /* X-Service-Signature */
    struct str webhook_id, webhook_time, webhook_signature; /* of Standard Webhooks */
    struct str content_length;
    struct str body;
};

enum raw_request_fault {
    RAW_REQUEST_GOOD,
    RAW_REQUEST_NO_BODY,   /* no empty line ends the headers */
    RAW_REQUEST_NO_HEADER, /* `line` is none */
    RAW_REQUEST_TWICE,     /* `line` repeats a header that may stand there only once */
    RAW_REQUEST_CHUNKED    /* the body would have to be put together first */
};

enum raw_request_fault raw_request_parse(struct str text, struct raw_request *ret,
                                         size_t *ret_line);
