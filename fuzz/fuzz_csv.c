/* Files of prices: whatever they hold, either every record can be priced or there is a fault. */
#include "cli/price_file.h"
#include "messaging/price.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct price_file file = {.records = NULL};
    struct price_list *list = NULL;
    struct arena memory;

    arena_init(&memory, 1 << 20);
    price_file_read(&file, "prices.csv", (struct str){(const char *)data, size}, &memory);
    assert((file.fault_count > 0) == (file.faults.n > 0));
    if (file.fault_count == 0) {
        assert(file.count > 0);
        int refused = price_list_make(&list, file.records, file.count, INT64_MAX);
        assert(refused == 0);
        for (size_t i = 1; i < file.count; i++)
            assert(price_record_compare(&file.records[i - 1], &file.records[i]) < 0);
    }
    price_list_free(list);
    price_file_done(&file);
    arena_done(&memory);
    return 0;
}
