/* The words of the API for the enums of the records, from the same tables. A number that is in no
 * table (a record of a newer program) is "unknown". */
#pragma once

#include "store/records.h"

const char *status_word(enum message_status value);
const char *number_type_word(enum number_type value);
const char *coverage_word(enum coverage value);
const char *reason_word(enum route_reason value);
const char *encoding_word(enum encoding value);
const char *direction_word(enum direction value);
const char *kind_word(enum message_kind value);
const char *message_type_word(enum message_type value);
const char *opt_out_source_word(enum opt_out_source value);
const char *carrier_state_word(enum carrier_state value);
const char *mode_word(enum mode value); /* "test" or "live" */

/* NULL for FAILURE_NONE: there is nothing to say. */
const char *failure_code(enum failure value);
const char *failure_text(enum failure value);

/* False for a word that is none of them. */
bool message_type_from_word(struct str word, enum message_type *ret);
bool mode_from_word(struct str word, enum mode *ret);
