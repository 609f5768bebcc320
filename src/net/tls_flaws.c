#include "net/tls_internal.h"

#include <gnutls/x509.h>

static const struct {
    unsigned flaws;
    const char *clause;
} clauses[] = {
    {GNUTLS_CERT_EXPIRED, "has expired"},
    {GNUTLS_CERT_NOT_ACTIVATED, "is not valid yet"},
    {GNUTLS_CERT_REVOKED, "was revoked"},
    {GNUTLS_CERT_INSECURE_ALGORITHM, "is signed with a weak algorithm"},
    {GNUTLS_CERT_PURPOSE_MISMATCH, "is not one for servers"},
};

static void add_clause(struct buf *out, const char *clause, const char *name)
{
    buf_printf(out, "%s%s%s", out->n ? " and " : "the certificate ", clause, name);
}

void tls_flaws_explain(unsigned flaws, const char *ca, const char *name, char why[TLS_WHY_SIZE])
{
    struct buf out BUF_CLEANUP;

    buf_init(&out, 8192);
    if (flaws & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA))
        add_clause(&out, "is not signed by an authority ", ca ? "in " : "that this system trusts");
    if (out.n && ca)
        buf_text(&out, ca);
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (flaws & clauses[i].flaws)
            add_clause(&out, clauses[i].clause, "");
    if (flaws & GNUTLS_CERT_UNEXPECTED_OWNER)
        add_clause(&out, "is for other names than ", name);
    if (out.n == 0)
        add_clause(&out, "cannot be trusted", "");
    str_format(why, TLS_WHY_SIZE, "%.*s", STR_FMT(buf_str(&out)));
}
