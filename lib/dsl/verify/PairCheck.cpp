#include "dsl/verify/PairCheck.h"

#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// The name of PTX's instruction.
std::string instructionOf(Operation *op) { return op->getName().stripDialect().str(); }

/// The group of an operation that has one.
std::optional<ir::CtaGroup> pairingOf(Operation *op) {
  if (auto group = op->getAttrOfType<ir::CtaGroupAttr>("group"))
    return group.getValue();
  return std::nullopt;
}

} // namespace

void checkPairs(gpu::GPUFuncOp kernel, const std::array<std::optional<int64_t>, 3> &cluster) {
  Operation *one = nullptr, *two = nullptr, *load = nullptr;
  kernel.walk([&](Operation *op) {
    const auto group = pairingOf(op);
    if (group == ir::CtaGroup::One && !one)
      one = op;
    if (group == ir::CtaGroup::Two && !two)
      two = op;
    auto box = dyn_cast<ir::TensorLoadOp>(op);
    if (box && box.getOfPair() && !load)
      load = op;
  });
  if (one && two)
    throw makeError(Diagnostic::PairsMixed, {{"kernel", kernel.getName().str()},
                                             {"one", instructionOf(one)},
                                             {"two", instructionOf(two)}});
  if (!two && !load)
    return;
  int64_t blocks = 1;
  std::string text;
  for (const auto &extent : cluster) {
    if (!extent)
      return;
    blocks *= std::max<int64_t>(1, *extent);
    text += (text.empty() ? "(" : ", ") + std::to_string(*extent);
  }
  if (blocks % 2)
    throw makeError(Diagnostic::PairsInCluster, {{"kernel", kernel.getName().str()},
                                                 {"what", two ? instructionOf(two) : "TMA load"},
                                                 {"cluster", text + ")"}});
}

} // namespace fairlead::dsl
