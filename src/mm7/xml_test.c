#include "mm7/xml.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static const char *why;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 20);
    why = NULL;
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* From exactly as many bytes as there are, so that the address sanitizer sees the end. */
static int read_bytes(struct str bytes, struct xml_node **ret)
{
    char *copy = malloc(bytes.n + !bytes.n);

    if (bytes.n)
        memcpy(copy, bytes.p, bytes.n);
    int code = xml_read(ret, &arena, (struct str){copy, bytes.n}, &why);
    free(copy);
    return code;
}

static struct xml_node *good(const char *text)
{
    struct xml_node *root = NULL;

    if (read_bytes(str_of(text), &root))
        fail_msg("%s: %s", text, why);
    assert_non_null(root);
    return root;
}

static void refused(struct str bytes, int code, const char *reason)
{
    struct xml_node *root = NULL;

    why = NULL;
    assert_int_equal(read_bytes(bytes, &root), code);
    assert_null(root);
    assert_non_null(why);
    if (!strstr(why, reason))
        fail_msg("'%s' is not '%s'", why, reason);
    assert_true(arena.total <= arena.max);
}

#define IS(view, text) assert_true(str_is((view), (text)))

/* ---- what is read ---- */

static void trees_are_read(void **state)
{
    const struct xml_node *root = good("<a x='1' n:y=\" 2 \"><b>one</b><c/><b>two</b></a>");

    IS(root->name, "a");
    IS(xml_attribute_of(root, "x"), "1");
    IS(xml_attribute_of(root, "y"), "2");
    IS(xml_attribute_of(root, "z"), "");
    IS(xml_child_text(root, "b"), "one");
    IS(xml_child_text(root, "c"), "");
    IS(xml_child_text(root, "d"), "");
    IS(root->child->next->next->text, "two");
    assert_null(root->child->next->next->next);
    assert_null(xml_child(NULL, "b"));
    IS(xml_attribute_of(NULL, "x"), "");
}

static void names_come_without_prefixes(void **state)
{
    const struct xml_node *root = good("<s:a xmlns:s='urn:1' xmlns='urn:2'><b/><s:b/><x:c/></s:a>");

    IS(root->name, "a");
    IS(root->namespace, "urn:1");
    IS(root->child->name, "b");
    IS(root->child->namespace, "urn:2");
    IS(root->child->next->namespace, "urn:1");
    IS(root->child->next->next->name, "c"); /* a prefix that nobody declared */
    assert_null(root->attributes);
}

static void texts_are_joined_and_trimmed(void **state)
{
    const struct xml_node *root =
        good("\xef\xbb\xbf \r\n<?xml version='1.0'?><!-- c --><a>\n  one <b>no</b>"
             "&lt;&#x41;&#66;&amp;<![CDATA[<&> ]]><!-- no -->\xc3\xbc\t</a><!-- c --> \n");

    IS(root->text, "one <AB&<&> \xc3\xbc");
    IS(xml_child_text(root, "b"), "no");
}

static void long_texts_are_whole(void **state)
{
    BUF_CLEANUP struct buf text;

    buf_init(&text, XML_SIZE_MAX);
    buf_text(&text, "<a>");
    for (int i = 0; i < 20000; i++)
        buf_printf(&text, "%05d,", i);
    buf_text(&text, "</a>");
    struct xml_node *root = NULL;
    assert_int_equal(read_bytes(buf_str(&text), &root), 0);
    assert_int_equal(root->text.n, 120000);
    assert_memory_equal(root->text.p, text.p + 3, 120000);
}

static void latin_1_becomes_utf8(void **state)
{
    IS(good("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xfc</a>")->text, "\xc3\xbc");
    IS(good("<?xml version=\"1.0\" encoding = \"utf-8\" ?><a>\xc3\xbc</a>")->text, "\xc3\xbc");
    IS(good("<?xml version='1.0' encoding='us-ascii'?><a>u</a>")->text, "u");
}

/* ---- what is refused ---- */

static void document_types_are_refused(void **state)
{
    static const char *const texts[] = {
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/x.dtd'><a/>",
        "<!DOCTYPE a PUBLIC 'p' 'file:///etc/passwd'><a/>",
        "<?xml version='1.0'?>\n<!DOCTYPE a [<!ELEMENT a ANY>]><a/>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'http://127.0.0.1:1/x'> %p;]><a/>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refused(str_of(texts[i]), -EBADMSG, "document type");
}

static void files_are_never_opened(void **state)
{
    char path[] = "/tmp/skylark-xml-XXXXXX", text[300];
    int fd = mkstemp(path);

    assert_true(fd >= 0 && write(fd, "secret", 6) == 6);
    close(fd);
    snprintf(text, sizeof text, "<!DOCTYPE a [<!ENTITY e SYSTEM 'file://%s'>]><a>&e;</a>", path);
    refused(str_of(text), -EBADMSG, "document type");
    snprintf(text, sizeof text,
             "<a xmlns:i='http://www.w3.org/2001/XInclude'><i:include href='file://%s' parse='text'"
             "/></a>",
             path);
    IS(good(text)->text, "");
    IS(good(text)->child->text, "");
    unlink(path);
}

static void a_billion_laughs_are_refused(void **state)
{
    BUF_CLEANUP struct buf text;

    buf_init(&text, 1 << 16);
    buf_text(&text, "<!DOCTYPE l [<!ENTITY l0 'lol'>");
    for (int i = 1; i < 30; i++) {
        buf_printf(&text, "<!ENTITY l%d '", i);
        for (int k = 0; k < 10; k++)
            buf_printf(&text, "&l%d;", i - 1);
        buf_text(&text, "'>");
    }
    buf_text(&text, "]><l>&l29;</l>");
    refused(buf_str(&text), -EBADMSG, "document type");
    assert_true(arena.total <= 8192);
}

static void entities_are_refused(void **state)
{
    refused(STR("<a>&e;</a>"), -EBADMSG, "");
    refused(STR("<a b='&e;'/>"), -EBADMSG, "");
    refused(STR("<a>&nbsp;</a>"), -EBADMSG, "");
    refused(STR("<a>&#0;</a>"), -EBADMSG, "well-formed");
    refused(STR("<a>&#xD800;</a>"), -EBADMSG, "well-formed");
}

static void nest(struct buf *text, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        buf_text(text, "<a>");
    for (size_t i = 0; i < depth; i++)
        buf_text(text, "</a>");
}

static void depth_is_limited(void **state)
{
    static const size_t depths[] = {XML_DEPTH_MAX, XML_DEPTH_MAX + 1, 10000};
    struct xml_node *root;

    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        BUF_CLEANUP struct buf text;
        buf_init(&text, XML_SIZE_MAX);
        nest(&text, depths[i]);
        if (i == 0)
            assert_int_equal(read_bytes(buf_str(&text), &root), 0);
        else
            refused(buf_str(&text), -E2BIG, "32 deep");
    }
}

static void fill(struct buf *text, const char *front, const char *what, size_t count,
                 const char *back)
{
    buf_text(text, front);
    for (size_t i = 0; i < count; i++)
        buf_text(text, what);
    buf_text(text, back);
}

static void size_is_limited(void **state)
{
    BUF_CLEANUP struct buf text;
    struct xml_node *root;

    buf_init(&text, 20 << 20);
    fill(&text, "<a>", "x", XML_SIZE_MAX - 7, "</a>");
    assert_int_equal(read_bytes(buf_str(&text), &root), 0);
    assert_int_equal(root->text.n, XML_SIZE_MAX - 7);
    buf_clear(&text);
    fill(&text, "<a>", "x", XML_SIZE_MAX - 6, "</a>");
    refused(buf_str(&text), -E2BIG, "256 KiB");
    buf_clear(&text);
    fill(&text, "<a>", "0123456789", 1 << 20, "</a>");
    refused(buf_str(&text), -E2BIG, "256 KiB");
}

static void numbers_are_limited(void **state)
{
    BUF_CLEANUP struct buf text;
    struct xml_node *root;

    buf_init(&text, XML_SIZE_MAX);
    fill(&text, "<a>", "<b/>", XML_NODES_MAX - 1, "</a>");
    assert_int_equal(read_bytes(buf_str(&text), &root), 0);
    buf_clear(&text);
    fill(&text, "<a>", "<b/>", XML_NODES_MAX, "</a>");
    refused(buf_str(&text), -E2BIG, "4096 elements");
    for (int count = XML_ATTRIBUTES_MAX; count <= XML_ATTRIBUTES_MAX + 1; count++) {
        buf_clear(&text);
        buf_text(&text, "<a");
        for (int i = 0; i < count; i++)
            buf_printf(&text, " a%d='1'", i);
        buf_text(&text, "/>");
        if (count == XML_ATTRIBUTES_MAX)
            assert_int_equal(read_bytes(buf_str(&text), &root), 0);
        else
            refused(buf_str(&text), -E2BIG, "16 attributes");
    }
}

/* Before the parser sees it, whose work grows with the square of what a tag has. */
static void tags_are_limited(void **state)
{
    static const char *const pieces[] = {" a=''", " a='>'", " a=\">'\"", " xmlns:a='u'", " ", "a"};
    BUF_CLEANUP struct buf text;
    struct xml_node *root;

    buf_init(&text, XML_SIZE_MAX);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        buf_clear(&text);
        fill(&text, "<a>don't \"</a", pieces[i], XML_TAG_MAX / strlen(pieces[i]) + 1, ">");
        refused(buf_str(&text), -E2BIG, "8 KiB");
        buf_clear(&text);
        fill(&text, "<a><b", pieces[i], XML_TAG_MAX / strlen(pieces[i]) + 1, "=");
        refused(buf_str(&text), -E2BIG, "8 KiB");
    }
    buf_clear(&text);
    fill(&text, "<a", " ", XML_TAG_MAX - 4, "/>");
    assert_int_equal(read_bytes(buf_str(&text), &root), 0);
    buf_clear(&text);
    fill(&text, "<a", " ", XML_TAG_MAX - 3, "/>");
    refused(buf_str(&text), -E2BIG, "8 KiB");
}

/* What is no tag may be longer, and hold whatever looks like one. */
static void other_markup_is_not(void **state)
{
    static const char *const around[][2] = {
        {"<!-- ' <b ", " --><a/>"}, {"<?b ' \"", "?><a/>"}, {"<a><![CDATA[<b '", "]]></a>"}};
    BUF_CLEANUP struct buf text;
    struct xml_node *root;

    buf_init(&text, XML_SIZE_MAX);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        buf_clear(&text);
        fill(&text, around[i][0], "x", 2 * XML_TAG_MAX, around[i][1]);
        assert_int_equal(read_bytes(buf_str(&text), &root), 0);
    }
    refused(STR("<!-- "), -EBADMSG, "not well-formed");
    refused(STR("<?"), -EBADMSG, "not well-formed");
    refused(STR("<![CDATA["), -EBADMSG, "not well-formed");
}

static void memory_is_limited(void **state)
{
    BUF_CLEANUP struct buf text;

    buf_init(&text, XML_SIZE_MAX);
    fill(&text, "<a>", "&lt;", 60000, "</a>");
    refused(buf_str(&text), -ENOMEM, "memory");
    arena_done(&arena);
    arena_init(&arena, 1);
    refused(STR("<a>x</a>"), -ENOMEM, "memory");
}

static void broken_xml_is_refused(void **state)
{
    static const char *const texts[] = {
        "<a>",
        "<a><b></a>",
        "<a></b>",
        "<a/><b/>",
        "<a/>x",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<",
        "<a",
        "<a>]]></a>",
        "<a>&</a>",
        "<a>\x01</a>",
        "<?xml version='1.0'?>",
        "<!-- x -->",
        "<a><![CDATA[x</a>",
        "<a>\xff</a>",
        "<a>\xc0\x80</a>",
        "<a>\xed\xa0\x80</a>",
        "<a>\xc3</a>",
        "<\xff/>",
        "<?xml version='1.0' encoding='us-ascii'?><a>\xc3\xbc</a>",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refused(str_of(texts[i]), -EBADMSG, "well-formed");
    refused(STR(""), -EBADMSG, "empty");
    refused(STR(" \r\n"), -EBADMSG, "empty");
    refused(STR("hello"), -EBADMSG, "not XML");
    refused(STR("<a>x\0y</a>"), -EBADMSG, "not XML");
    refused(STR("<a/>\0"), -EBADMSG, "not XML");
}

static void other_encodings_are_refused(void **state)
{
    refused(STR("\xff\xfe<\0a\0/\0>\0"), -EBADMSG, "not XML in UTF-8");
    refused(STR("\xfe\xff\0<\0a\0/\0>"), -EBADMSG, "not XML in UTF-8");
    refused(STR("<\0a\0/\0>\0"), -EBADMSG, "not XML in UTF-8");
    refused(STR("\x4c\x6f\xa7\x94\x93"), -EBADMSG, "not XML in UTF-8");
    refused(STR("<?xml version='1.0' encoding='UTF-16'?><a/>"), -EBADMSG, "encoding");
    refused(STR("<?xml version='1.0' encoding='UTF-7'?><a/>"), -EBADMSG, "encoding");
    refused(STR("<?xml version='1.0' encoding='EBCDIC-US'?><a/>"), -EBADMSG, "encoding");
    refused(STR("<?xml version='1.0' encoding=\"no-such\"?><a/>"), -EBADMSG, "encoding");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(trees_are_read),
        CASE(names_come_without_prefixes),
        CASE(texts_are_joined_and_trimmed),
        CASE(long_texts_are_whole),
        CASE(latin_1_becomes_utf8),
        CASE(document_types_are_refused),
        CASE(files_are_never_opened),
        CASE(a_billion_laughs_are_refused),
        CASE(entities_are_refused),
        CASE(depth_is_limited),
        CASE(size_is_limited),
        CASE(numbers_are_limited),
        CASE(tags_are_limited),
        CASE(other_markup_is_not),
        CASE(memory_is_limited),
        CASE(broken_xml_is_refused),
        CASE(other_encodings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
