/* An object that refers to what Sample.c defines, and defines one name again. */
extern int zeroed[100];
extern int given;
int sample_count(void);

int second_count(void) { return sample_count() + 100; }
int *second_zeroed(void) { return zeroed; }
int second_given(void) { return given; }
int sample_call(int i) { return -i; }
