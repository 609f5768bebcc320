/* skylark smsc: understands the options; the SMSC itself is above. */
#include "cli/local.h"

#define SMSC_LISTEN "127.0.0.1:2775"

static bool read_number(const struct invocation *in, enum option_id id, uint64_t most,
                        unsigned *ret)
{
    const char *text = in->values[id];
    uint64_t value = 0;

    if (text && (!str_to_u64(str_of(text), &value) || value > most)) {
        talk("--%s is a number from 0 to %llu.", options[id].name, (unsigned long long)most);
        return false;
    }
    *ret = (unsigned)value;
    return true;
}

int run_smsc(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct smsc_options o = {.listen = in->values[OPTION_LISTEN],
                             .log = in->values[OPTION_LOG],
                             .silent = in->values[OPTION_SILENT],
                             .quiet = in->values[OPTION_QUIET]};

    if (!o.listen)
        o.listen = SMSC_LISTEN;
    if (!read_number(in, OPTION_FAIL, 100, &o.fail_percent) ||
        !read_number(in, OPTION_THROTTLE, 1000000, &o.throttle))
        return CLI_USAGE;
    if (in->values[OPTION_TLS]) {
        int r = local_configure(&l, in);
        if (r != CLI_OK)
            return r;
        o.tls_dir = l.config->server_data_dir;
    }
    return in->programs->smsc(&o);
}
