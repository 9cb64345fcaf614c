#include "lower/cuda/PtxNeeds.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// An instruction of inline PTX that came after the oldest PTX ISA, known by a part of its text.
struct Need {
  const char *text;
  int version;
};

constexpr Need kNeeds[] = {
    {"st.async", 81},
    {"red.async", 81},
    {"multimem.", 81},
    {"tensormap.", 83},
    {"fence.proxy.tensormap", 83},
    {"fence.proxy.async::generic", 86},
    {"clusterlaunchcontrol.", 86},
    {"tcgen05.", 86},
    {"st.bulk", 86},
    {"f32x2", 86},
    {"e2m1", 86},
    {"e2m3", 86},
    {"e3m2", 86},
    {"ue8m0", 86},
    {"tile::gather4", 86},
    {"tile::scatter4", 86},
    {"shared::cta.global", 86},
    {"cvt.rs.", 87},
    {".v8.b32", 88},
    {".v8.f32", 88},
    {".v4.b64", 88},
    {".v4.f64", 88},
};

int ptxOfText(StringRef text) {
  int least = 0;
  for (const Need &need : kNeeds)
    if (text.contains(need.text))
      least = std::max(least, need.version);
  return least;
}

} // namespace

int leastPtxOf(Operation *op) {
  constexpr int kOldest = 80, kStoreAsync = 81, kMapEdits = 83, kTensorMemory = 86;
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return ptxOfText(assembly.getAsmString());
  if (isa<ir::MapReplaceOp, ir::MapPublishOp, ir::MapAcquireOp, NVVM::FenceProxyReleaseOp>(op))
    return kMapEdits;
  if (op->hasTrait<ir::UsesTensorMemory>())
    return kTensorMemory;
  return isa<ir::StoreAsyncOp>(op) ? kStoreAsync : kOldest;
}

} // namespace fairlead::lower
