#include "carriers/smpp_manner.h"

/* The words of the configuration stand in the order of the enums. */
_Static_assert(SMPP_GSM == 0 && SMPP_GSM_PACKED == 1 && SMPP_LATIN1 == 2 && SMPP_ASCII == 3 &&
                   SMPP_UCS2 == 4,
               "alphabet");
_Static_assert(SMPP_LONG_UDH8 == 0 && SMPP_LONG_UDH16 == 1 && SMPP_LONG_SAR == 2 &&
                   SMPP_LONG_PAYLOAD == 3,
               "long_text");

enum { TON_MAX = 6, NPI_MAX = 18 };

struct ton_npi {
    const char *key, *text;
    uint8_t *ton, *npi;
};

static bool read_ton_npi(const struct ton_npi *t, char *why, size_t why_size)
{
    struct str npi = str_of(t->text), ton = str_cut(&npi, '/');
    uint64_t ton_value, npi_value;

    if (!str_to_u64(ton, &ton_value) || !str_to_u64(npi, &npi_value) || ton_value > TON_MAX ||
        npi_value > NPI_MAX) {
        str_format(why, why_size,
                   "%s is '%s'; write the type of number (0 to %d), a slash and the numbering plan "
                   "(0 to %d), such as 1/1",
                   t->key, t->text, TON_MAX, NPI_MAX);
        return false;
    }
    *t->ton = (uint8_t)ton_value;
    *t->npi = (uint8_t)npi_value;
    return true;
}

static bool read_addresses(const struct config_carrier *c, struct smpp_manner *m, char *why,
                           size_t why_size)
{
    const struct ton_npi all[] = {
        {"number_ton_npi", c->number_ton_npi, &m->number_ton, &m->number_npi},
        {"name_ton_npi", c->name_ton_npi, &m->name_ton, &m->name_npi},
        {"short_code_ton_npi", c->short_code_ton_npi, &m->short_ton, &m->short_npi},
        {"recipient_ton_npi", c->recipient_ton_npi, &m->recipient_ton, &m->recipient_npi},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!read_ton_npi(&all[i], why, why_size))
            return false;
    return true;
}

uint8_t smpp_manner_version(const struct config_carrier *config)
{
    static const uint8_t versions[] = {0x33, 0x34, 0x50};
    return versions[config->version];
}

bool smpp_manner_read(const struct config_carrier *config, struct smpp_manner *ret, char *why,
                      size_t why_size)
{
    static const uint8_t registered[] = {[CONFIG_RECEIPTS_FINAL] = 0x01,
                                         [CONFIG_RECEIPTS_FAILURES] = 0x02,
                                         [CONFIG_RECEIPTS_ALL] = 0x11,
                                         [CONFIG_RECEIPTS_NONE] = 0x00};
    struct smpp_manner m = {.alphabet = (enum smpp_alphabet)config->alphabet,
                            .data_coding = (int)config->data_coding,
                            .long_text = (enum smpp_long_text)config->long_text,
                            .no_parameters = smpp_manner_version(config) == 0x33,
                            .esm_class = (uint8_t)config->esm_class,
                            .registered_delivery = registered[config->receipts],
                            .service_type = config->service_type};

    if (!read_addresses(config, &m, why, why_size))
        return false;
    *ret = m;
    return true;
}
