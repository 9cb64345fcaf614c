#include "lower/Lowering.h"

#include "llvm/Support/ErrorHandling.h"

namespace fairlead::lower {

const TargetLowering &TargetLowering::get(const Target &target) {
  switch (target.kind) {
  case Target::Kind::Cpu:
    return cpuLowering();
  case Target::Kind::Cuda:
    return cudaLowering();
  }
  llvm_unreachable("a kind of target without a back end");
}

} // namespace fairlead::lower
