#include <stdio.h>

int main(void)
{
    puts("skylark " SKYLARK_VERSION);
    return 0;
}
