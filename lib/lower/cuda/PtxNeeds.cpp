/// Which PTX ISA inline PTX needs. The lowest one that will do is written, since old drivers take
/// it; instructions that came later are known by what their text begins with or holds.
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

#include "lower/cuda/Ptx.h"

namespace fairlead::lower {
namespace {

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

} // namespace

int ptxOfAssembly(const llvm::Module &module) {
  int least = 0;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly)
        continue;
      for (const Need &need : kNeeds)
        if (need.version > least && assembly->getAsmString().contains(need.text))
          least = need.version;
    }
  return least;
}

} // namespace fairlead::lower
