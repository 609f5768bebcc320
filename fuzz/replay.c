/* Runs a fuzz target over stored inputs, for builds without libFuzzer: each argument is a file or
 * a folder of files. One that does not exist is passed over, but finding nothing to run at all is a
 * failure, so that a lost corpus is noticed. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed;

static int replay_bytes(FILE *file, size_t size)
{
    /* Exactly as many bytes as there are, so that the address sanitizer sees the end. */
    uint8_t *data = malloc(size ? size : 1);
    if (!data)
        return -ENOMEM;
    size_t n = fread(data, 1, size, file);
    if (n == size) {
        LLVMFuzzerTestOneInput(data, size);
        replayed++;
    }
    free(data);
    return n == size ? 0 : -EIO;
}

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -errno;
    int r = replay_bytes(file, size);
    fclose(file);
    return r;
}

static int replay_path(const char *path);

static int replay_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -errno;
    int r = 0;
    for (struct dirent *entry = readdir(dir); entry && r == 0; entry = readdir(dir)) {
        char child[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        int n = snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
        r = n < (int)sizeof(child) ? replay_path(child) : -ENAMETOOLONG;
    }
    closedir(dir);
    return r;
}

static int replay_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return -errno;
    return S_ISDIR(st.st_mode) ? replay_folder(path) : replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int r = replay_path(argv[i]);
        if (r < 0 && r != -ENOENT) {
            fprintf(stderr, "replay: %s: %s\n", argv[i], strerror(-r));
            return 1;
        }
    }
    printf("replayed %zu inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
