/* What an exported function is to the linker: it raises and launches through the runtime library,
   and calls vector math that only that library brings along. */
#include "fairlead/Runtime.h"

typedef float Float4 __attribute__((vector_size(16)));
Float4 _ZGVbN4v_expf(Float4);
float powf(float, float);

__attribute__((visibility("default"))) void fairleadSampleMath(float *values, float exponent) {
  static const FairleadFailure kNegative = {"ValueError", "negative exponent"};
  if (exponent < 0)
    FairleadRaise(0, &kNegative, 0, 0);
  Float4 *vector = (Float4 *)values;
  *vector = _ZGVbN4v_expf(*vector);
  values[0] = powf(values[0], exponent);
}
