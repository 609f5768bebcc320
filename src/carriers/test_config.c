#include "carriers/test_config.h"

enum { VERSION_3_4 = 1 };

struct config_carrier test_carrier_config(void)
{
    return (struct config_carrier){.name = "acme",
                                   .address = {.host = "127.0.0.1", .port = 2775},
                                   .system_id = "us",
                                   .password = "secret",
                                   .system_type = "",
                                   .bind = CONFIG_BIND_TRANSCEIVER,
                                   .binds = 1,
                                   .version = VERSION_3_4,
                                   .tls_ca = "",
                                   .tls_certificate = "",
                                   .tls_key = "",
                                   .tls_name = "",
                                   .window = 10,
                                   .enquire_link_ms = 30000,
                                   .response_timeout_ms = 60000,
                                   .connect_timeout_ms = 10000,
                                   .reconnect_min_ms = 1000,
                                   .reconnect_max_ms = 60000,
                                   .refused_wait_ms = 300000,
                                   .stall_timeout_ms = 60000,
                                   .data_coding = -1,
                                   .number_ton_npi = "1/1",
                                   .name_ton_npi = "5/0",
                                   .short_code_ton_npi = "3/0",
                                   .recipient_ton_npi = "1/1",
                                   .service_type = "",
                                   .statuses = ""};
}

struct config_mmsc test_mmsc_config(void)
{
    return (struct config_mmsc){.name = "acme",
                                .url = "http://127.0.0.1:1/mm7",
                                .vasp_id = "us",
                                .vas_id = "service",
                                .username = "",
                                .password = "",
                                .token = "",
                                .version = "6.8.0",
                                .namespace = "urn:mm7",
                                .service_code = "",
                                .reports = 1,
                                .window = 4,
                                .connect_timeout_ms = 5000,
                                .response_timeout_ms = 9000,
                                .reconnect_min_ms = 10,
                                .reconnect_max_ms = 10,
                                .refused_wait_ms = 300000,
                                .tls_ca = "",
                                .listen_path = "",
                                .listen_username = "",
                                .listen_password = "",
                                .allow = ""};
}
