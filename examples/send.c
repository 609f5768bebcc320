/* Sends a message, waits until it has arrived, and lists the newest ones. With libcurl and jansson.
 *
 *   cc -o send examples/send.c $(pkg-config --cflags --libs libcurl jansson)
 *   ./send [TO [TEXT [ORDER]]]
 *
 * ORDER makes the message one of a kind: the same ORDER twice is one message. See README.md beside
 * this. */
#include <curl/curl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static CURL *curl; /* one handle, so that all calls share one connection */

struct answer {
    char *text;
    size_t size;
};

static size_t keep(char *piece, size_t one, size_t size, void *context)
{
    struct answer *a = context;
    char *longer = realloc(a->text, a->size + one * size + 1);
    if (!longer)
        return 0;
    memcpy(longer + a->size, piece, one * size);
    a->text = longer;
    a->size += one * size;
    a->text[a->size] = '\0';
    return one * size;
}

static const char *word(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

/* The status of the answer, 0 if there is none; *ret is its JSON. */
static long request(const char *path, const char *body, const char *order, json_t **ret)
{
    char url[1024], ca[1024], line[1024], once[300];
    struct answer a = {0};
    long status = 0;
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

    snprintf(url, sizeof url, "%s%s", setting("SKYLARK_URL", "https://127.0.0.1:8443"), path);
    snprintf(ca, sizeof ca, "%s/.local/share/skylark/ca.pem", setting("HOME", ""));
    snprintf(line, sizeof line, "Authorization: Bearer %s", setting("SKYLARK_API_KEY", ""));
    headers = curl_slist_append(headers, line);
    if (order) {
        snprintf(once, sizeof once, "Idempotency-Key: %s", order);
        headers = curl_slist_append(headers, once);
    }
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_CAINFO, setting("SKYLARK_CA", ca));
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &a);
    if (body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    CURLcode result = curl_easy_perform(curl);
    if (result != CURLE_OK)
        fprintf(stderr, "%s\n", curl_easy_strerror(result));
    else
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    *ret = a.text ? json_loads(a.text, 0, NULL) : NULL;
    curl_slist_free_all(headers);
    free(a.text);
    return status;
}

/* The JSON of a success, or NULL when an error was explained. Tries again what is worth it: the
 * server says when. Thanks to the key nothing is sent twice. */
static json_t *patiently(const char *path, const char *body, const char *order)
{
    json_t *answer = NULL;

    for (int tries = 1;; tries++) {
        long status = request(path, body, order, &answer);
        if (status >= 200 && status < 300)
            return answer;
        json_int_t wait_s = json_integer_value(json_object_get(answer, "retryAfter"));
        if (wait_s == 0 || tries == 3)
            break;
        json_decref(answer);
        sleep((unsigned)wait_s);
    }
    if (answer) {
        const char *field = word(answer, "field");
        fprintf(stderr, "%s: %s%s%s%s\n", word(answer, "code"), word(answer, "message"),
                *field ? " (field " : "", field, *field ? ")" : "");
    }
    json_decref(answer);
    return NULL;
}

/* Follows a message to its end and frees it; true if it arrived. */
static bool follow(json_t *message)
{
    char path[128], before[32] = "";

    snprintf(path, sizeof path, "/v1/messages/%s", word(message, "messageId"));
    printf("accepted %s: %s\n", word(message, "messageId"), word(message, "status"));
    snprintf(before, sizeof before, "%s", word(message, "status"));
    while (message && strstr("scheduled queued sent", before)) {
        usleep(200000);
        json_decref(message);
        message = patiently(path, NULL, NULL);
        if (message && strcmp(word(message, "status"), before) != 0)
            printf("now %s\n", word(message, "status"));
        snprintf(before, sizeof before, "%s", word(message, "status"));
    }
    json_decref(message);
    return strcmp(before, "delivered") == 0;
}

static void list(void)
{
    json_t *page = patiently("/v1/messages?limit=3", NULL, NULL);
    const json_t *data = json_object_get(page, "data");

    puts("newest messages:");
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *entry = json_array_get(data, i);
        printf("  %s  %s  %s\n", word(entry, "messageId"), word(entry, "status"),
               word(entry, "to"));
    }
    json_decref(page);
}

int main(int argc, char **argv)
{
    const char *to = argc > 1 ? argv[1] : "+15551234567";
    const char *text = argc > 2 ? argv[2] : "Hello from C";
    char random[33];
    unsigned long long bits[2];
    bool arrived = false;

    if (getrandom(bits, sizeof bits, 0) != sizeof bits)
        return 1;
    snprintf(random, sizeof random, "%016llx%016llx", bits[0], bits[1]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl = curl_easy_init();
    json_t *body = json_pack("{ss, ss}", "to", to, "text", text);
    char *sent = body ? json_dumps(body, 0) : NULL;
    json_t *message =
        curl && sent ? patiently("/v1/send", sent, argc > 3 ? argv[3] : random) : NULL;
    if (message) {
        arrived = follow(message);
        list();
    }
    json_decref(body);
    free(sent);
    curl_easy_cleanup(curl);
    curl_global_cleanup();
    return arrived ? 0 : 1;
}
