/// Extents of outputs, as FairleadTorchOutput has them.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_EXTENTS_H_
#define FAIRLEAD_LIB_FRAMEWORKS_EXTENTS_H_

#include <cstdint>

namespace fairlead::frameworks {

/// One extent; moves `code` behind it. `symbol(i)` is the value of a symbol.
template <typename Symbol> int64_t evaluate(const int64_t *&code, Symbol &&symbol) {
  int64_t value = *code++, count = *code++;
  while (count-- > 0)
    value *= symbol(*code++);
  return value;
}

} // namespace fairlead::frameworks
#endif // FAIRLEAD_LIB_FRAMEWORKS_EXTENTS_H_
