#include "net/seal.h"

#include <assert.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

enum { NONCE = 12, TAG = 16 };

void seal_key(struct str secret, struct str word, uint8_t out[SEAL_KEY_SIZE])
{
    int r =
        gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret.p, secret.n, word.n ? word.p : "", word.n, out);
    assert(r == 0);
    (void)r;
}

static gnutls_aead_cipher_hd_t cipher_of(const uint8_t key[SEAL_KEY_SIZE])
{
    gnutls_datum_t datum = {(unsigned char *)key, SEAL_KEY_SIZE};
    gnutls_aead_cipher_hd_t cipher = NULL;

    return gnutls_aead_cipher_init(&cipher, GNUTLS_CIPHER_AES_256_GCM, &datum) == 0 ? cipher : NULL;
}

int seal_close(const uint8_t key[SEAL_KEY_SIZE], struct str plain, struct arena *a, struct str *ret)
{
    size_t room = plain.n + TAG;
    char *out = arena_bytes(a, NONCE + room);
    gnutls_aead_cipher_hd_t cipher = out ? cipher_of(key) : NULL;

    if (!cipher)
        return -ENOMEM;
    int r = gnutls_rnd(GNUTLS_RND_NONCE, out, NONCE);
    if (r == 0)
        r = gnutls_aead_cipher_encrypt(cipher, out, NONCE, NULL, 0, TAG, plain.n ? plain.p : "",
                                       plain.n, out + NONCE, &room);
    gnutls_aead_cipher_deinit(cipher);
    if (r < 0)
        return -ENOMEM;
    *ret = (struct str){out, NONCE + room};
    return 0;
}

int seal_open(const uint8_t key[SEAL_KEY_SIZE], struct str sealed, struct arena *a, struct str *ret)
{
    if (sealed.n < SEAL_EXTRA)
        return -EBADMSG;
    size_t room = sealed.n - SEAL_EXTRA;
    char *out = arena_bytes(a, room + 1); /* never of no size */
    gnutls_aead_cipher_hd_t cipher = out ? cipher_of(key) : NULL;

    if (!cipher)
        return -ENOMEM;
    int r = gnutls_aead_cipher_decrypt(cipher, sealed.p, NONCE, NULL, 0, TAG, sealed.p + NONCE,
                                       sealed.n - NONCE, out, &room);
    gnutls_aead_cipher_deinit(cipher);
    if (r < 0)
        return -EBADMSG;
    *ret = (struct str){out, room};
    return 0;
}
