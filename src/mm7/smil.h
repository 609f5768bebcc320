/* SMIL: how the parts of a message are shown, page by page. */
#pragma once

#include "base/buf.h"

enum { SMIL_NAME_SIZE = 16 };

/* "2.jpg": what the n-th file of a message is called, from 1 on. Content-ID and Content-Location.
 */
void smil_name(size_t number, struct str type, char out[SMIL_NAME_SIZE]);
#define SMIL_TEXT_NAME "text.txt"

/* Appends the document: a page (par) for each file, the text on the first; one page of text when
 * there is no file. */
void smil_write(struct buf *out, bool has_text, const struct str *types, size_t count);
