/// printf of generated code.
#include <cstdarg>
#include <cstdio>

#include "fairlead/Runtime.h"

void FairleadPrintf(const char *format, ...) {
  va_list values;
  va_start(values, format);
  std::vprintf(format, values);
  va_end(values);
  std::fflush(stdout);
}
