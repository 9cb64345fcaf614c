#include "lower/Lowering.h"

namespace fairlead::lower {

const TargetLowering &TargetLowering::get(Target::Kind kind) {
  return kind == Target::Kind::Cuda ? cudaLowering() : cpuLowering();
}

} // namespace fairlead::lower
