#include "lower/cpu/collective/Lanes.h"

using namespace mlir;

namespace fairlead::lower {

Value pick(ImplicitLocOpBuilder &b, Value first, Value second, ArrayRef<int32_t> order) {
  return LLVM::ShuffleVectorOp::create(b, first, second, b.getDenseI32ArrayAttr(order));
}

Value joined(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors) {
  SmallVector<Value> parts(vectors);
  while (parts.size() > 1) {
    SmallVector<Value> next;
    auto length = static_cast<int32_t>(cast<VectorType>(parts[0].getType()).getNumElements());
    SmallVector<int32_t> order(2 * length);
    for (int32_t i = 0; i < 2 * length; ++i)
      order[i] = i;
    for (size_t i = 0; i < parts.size(); i += 2)
      next.push_back(pick(b, parts[i], parts[i + 1], order));
    parts = std::move(next);
  }
  return parts.front();
}

Value part(ImplicitLocOpBuilder &b, Value vector, int64_t begin, int64_t count) {
  SmallVector<int32_t> order;
  for (int64_t i = 0; i < count; ++i)
    order.push_back(static_cast<int32_t>(begin + i));
  return pick(b, vector, vector, order);
}

} // namespace fairlead::lower
