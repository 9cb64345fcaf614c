/* An object with what exported ones have: calls out, constants, data, tables of addresses. */
#include <stdint.h>
#include <string.h>

static int counter = 40;
int zeroed[100];
static const char *const words[] = {"zero", "one", "two"};

int sample_count(void) { return ++counter + zeroed[3]; }
const char *sample_word(int i) { return words[i]; }
uint64_t sample_length(const char *text) { return strlen(text); }
int (*const sample_table[2])(void) = {sample_count, sample_count};
int sample_call(int i) { return sample_table[i](); }
void *sample_outside(void) { return (void *)&strlen; }
