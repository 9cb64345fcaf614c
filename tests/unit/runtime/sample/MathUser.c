/* What an exported function is to the linker: it raises and launches through the runtime library,
   and calls math that only that library brings along. */
#include "fairlead/Runtime.h"

float powf(float, float);

__attribute__((visibility("default"))) void fairleadSampleMath(float *value, float exponent) {
  static const FairleadFailure kNegative = {"ValueError", "negative exponent"};
  if (exponent < 0)
    FairleadRaise(0, &kNegative, 0, 0);
  *value = powf(*value, exponent);
}
