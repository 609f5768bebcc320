/* The MessageID of an MMSC as the reference that a message is kept under, and that its reports are
 * found by: as it is, but for blanks around it; one that is too long for a reference is its digest.
 * Pure. */
#pragma once

#include "store/records.h"

/* A view of the id, or of `room`. "" when the id is. */
struct str mm7_reference(struct str message_id, char room[REFERENCE_MAX]);
