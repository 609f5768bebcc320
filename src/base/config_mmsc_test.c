/* Sections [mmsc NAME]. */
#include "base/test_config.h"

#include <errno.h>
#include <stdio.h>

#define MMSC "[mmsc mms]\nurl = https://mmsc.example/mm7\n"
#define GB   "[sender +447700900123]\ncapabilities = sms mms\n"

static void an_mmsc(void **state)
{
    load_good(MMSC "username = sky\npassword = x\nlisten_path = /reports\nlisten_username = them\n"
                   "listen_password = y\nallow = 192.0.2.0/24, 2001:db8::/32 198.51.100.7\n"
                   "media_types = jpeg webp\nnumbers = plmn\n[mmsc two]\nurl = http://10.0.0.1:80\n"
                   "token = z\n" GB "without_mms = links\ncarriers = mms\n"
                   "[route all]\ncarrier = two\n");
    assert_int_equal(config->mmsc_count, 2);
    const struct config_mmsc *m = &config->mmscs[0];
    assert_string_equal(m->name, "mms");
    assert_string_equal(m->url, "https://mmsc.example/mm7");
    assert_string_equal(m->version, "6.8.0");
    assert_int_equal(m->media_types, 1 << 0 | 1 << 3);
    assert_int_equal(m->numbers, CONFIG_NUMBERS_PLMN);
    assert_int_equal(m->encoding, CONFIG_ENCODING_BASE64);
    assert_int_equal(m->window, 32);
    assert_int_equal(m->refused_wait_ms, 300000);
    assert_int_equal(config->senders[0].without_mms, CONFIG_WITHOUT_MMS_LINKS);
}

static void bad_values(void **state)
{
    static const struct {
        const char *lines, *message;
        int line;
    } cases[] = {
        {"username = a\n", "mmsc mms.username is set and its password is not; set both or none", 3},
        {"password = a\n", "mmsc mms.password is set and its username is not; set both or none", 3},
        {"listen_username = a\n",
         "mmsc mms.listen_username is set and its listen_password is not; set both or none", 3},
        {"username = a\npassword = b\ntoken = c\n",
         "mmsc mms has a token and a username; set one of them: the other is not used", 5},
        {"listen_path = reports\n",
         "mmsc mms.listen_path must begin with / and have no blank, ? or #, not 'reports'", 3},
        {"listen_path = /a?b\n",
         "mmsc mms.listen_path must begin with / and have no blank, ? or #, not '/a?b'", 3},
        {"allow = 192.0.2.0/24 10.0.0.0/33\n",
         "mmsc mms.allow must be networks such as 192.0.2.0/24 or 2001:db8::/32, not '10.0.0.0/33'",
         3},
        {"allow = mmsc.example\n",
         "mmsc mms.allow must be networks such as 192.0.2.0/24 or 2001:db8::/32, not "
         "'mmsc.example'",
         3},
        {"version = 6.8\n", "mmsc mms.version must be three numbers such as 6.8.0, not '6.8'", 3},
        {"version = 6.8.0.1\n",
         "mmsc mms.version must be three numbers such as 6.8.0, not '6.8.0.1'", 3},
        {"version = v6.8.0\n", "mmsc mms.version must be three numbers such as 6.8.0, not 'v6.8.0'",
         3},
        {"version = 6..0\n", "mmsc mms.version must be three numbers such as 6.8.0, not '6..0'", 3},
        {"namespace = REL-6-MM7-1-4\n",
         "mmsc mms.namespace must be the whole address as the MMSC gives it, without blanks and "
         "any of < > & \" ', such as http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/"
         "schema/REL-6-MM7-1-4, not 'REL-6-MM7-1-4'",
         3},
        {"reconnect_min = 2m\n", "mmsc mms.reconnect_min is longer than its reconnect_max", 3},
        {"media_types = tiff\n",
         "mmsc mms.media_types must be some of jpeg, png, gif, webp, mp4, 3gp, amr, mp3, vcard, "
         "text, not "
         "'tiff'",
         3},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, MMSC "%s" GB, cases[i].lines);
        check_fault(text, cases[i].line, cases[i].message);
    }
}

static void namespaces(void **state)
{
    static const char *const bad[] = {"http://a.example/x y",
                                      "http://a.example/<x",
                                      "http://a/x>",
                                      "http://a.example/?a&b",
                                      "http://a.example/\"",
                                      "http://a.example/'",
                                      "/a:b",
                                      ":mm7",
                                      "urn:",
                                      "http://\xc3\xa4.example"};
    char text[512];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct config_source source;
        snprintf(text, sizeof text, MMSC "namespace = %s\n" GB, bad[i]);
        source = source_of(text);
        assert_int_equal(load(&source), -EINVAL);
        assert_int_equal(config_report.error_count, 1);
        snprintf(text, sizeof text, "not '%s'\n", bad[i]);
        assert_non_null(memmem(config_report.errors.p, config_report.errors.n, text, strlen(text)));
    }
    load_good(MMSC "namespace = http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/"
                   "REL-5-MM7-1-0\nversion = 5.10.0\n" GB);
    load_good(MMSC "namespace = urn:mm7\n" GB);
    load_good(MMSC "namespace =\nversion =\n" GB); /* the usual ones */
}

static void bad_urls(void **state)
{
    static const char *const bad[] = {"mmsc.example/mm7", "ftp://mmsc.example", "https://",
                                      "https:///mm7", "http://a b"};
    char text[256], want[256];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "[mmsc mms]\nurl = %s\n" GB, bad[i]);
        snprintf(want, sizeof want,
                 "mmsc mms.url must be an address such as https://mmsc.example/mm7, not '%s'",
                 bad[i]);
        check_fault(text, 2, want);
    }
    check_fault("[mmsc mms]\n" GB, 1,
                "[mmsc mms] needs url: Where the MMSC takes messages: https://mmsc.example/mm7.");
    check_fault("[server]\npublic_url = sms.example.com\n", 2,
                "server.public_url must be an address such as https://sms.example.com, not "
                "'sms.example.com'");
}

/* And the fault does not show what it is about. */
static void passwords_do_not_belong_into_urls(void **state)
{
    static const char *const bad[] = {"https://us:secret@mmsc.example/mm7",
                                      "http://us@mmsc.example", "ftp://us:secret@mmsc.example",
                                      "us:secret@mmsc.example/mm7",
                                      "https://us:secret\\@mmsc.example"};
    char text[256];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "[mmsc mms]\nurl = %s\n" GB, bad[i]);
        check_fault(text, 2,
                    "mmsc mms.url must not have a name or a password before its host, where it "
                    "would be shown; set mmsc mms.username and mmsc mms.password");
    }
    check_fault("[server]\npublic_url = https://us:secret@sms.example.com\n", 2,
                "server.public_url must not have a name or a password before its host: clients see "
                "it");
    load_good("[mmsc mms]\nurl = https://mmsc.example/mm7?to=us@example.com\n" GB);
}

static void names_and_paths_are_its_own(void **state)
{
    check_fault("[carrier mms]\naddress = a:1\nsystem_id = x\n" MMSC GB, 4,
                "there is a [carrier mms] already; an MMSC needs a name of its own");
    check_fault(MMSC "[mmsc two]\nurl = https://b.example\nlisten_path = /mm7/mms\n" GB, 5,
                "mmsc two brings its reports to /mm7/mms, and so does mms; give one of them "
                "another listen_path");
    check_fault(MMSC GB "carriers = mss\n", 5,
                "sender +447700900123 names the carrier 'mss', which is not there; did you mean "
                "'mms'?");
    check_fault(MMSC, 1,
                "a carrier needs a sender; write a section [sender ADDRESS], such as [sender "
                "+18005551234]");
}

static void so_many_together(void **state)
{
    char text[16384] = "[carrier one]\naddress = a:1\nsystem_id = x\n" GB;
    size_t n = strlen(text);

    for (int i = 0; i < CONFIG_CARRIERS_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "[mmsc m%d]\nurl = http://a.example\n", i);
    check_fault(text, 6, "there are 1 carriers and 64 MMSCs; at most 64 are possible together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_CASE(an_mmsc),
        CONFIG_CASE(bad_values),
        CONFIG_CASE(namespaces),
        CONFIG_CASE(bad_urls),
        CONFIG_CASE(passwords_do_not_belong_into_urls),
        CONFIG_CASE(names_and_paths_are_its_own),
        CONFIG_CASE(so_many_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
