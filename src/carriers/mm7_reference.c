#include "carriers/mm7_reference.h"

#include "net/digest.h"

_Static_assert((int)REFERENCE_MAX > 2 * (int)DIGEST_SHA256_SIZE, "room for a digest and a NUL");

struct str mm7_reference(struct str message_id, char room[REFERENCE_MAX])
{
    uint8_t digest[DIGEST_SHA256_SIZE];
    struct str id = str_trim(message_id);

    if (id.n <= REFERENCE_MAX)
        return id;
    digest_sha256(id, digest);
    digest_hex(digest, sizeof digest, room);
    return str_of(room);
}
