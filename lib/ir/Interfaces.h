/// The interfaces of Interfaces.td, and traits that implement them. Passes and checks include this
/// instead of Ops.h.
#ifndef FAIRLEAD_LIB_IR_INTERFACES_H_
#define FAIRLEAD_LIB_IR_INTERFACES_H_

#include <optional>

#include "mlir/IR/OpDefinition.h"

#include "fairlead/GpuArch.h"

#include "ir/Interfaces.h.inc"

namespace fairlead::ir {

/// See Base.td.
template <typename Concrete>
class IssuedByOneLane : public mlir::OpTrait::TraitBase<Concrete, IssuedByOneLane> {};

/// See TensorMemory.td.
template <typename Concrete>
class UsesTensorMemory : public mlir::OpTrait::TraitBase<Concrete, UsesTensorMemory> {};

/// See Interfaces.td.
template <GpuFeature kFeature, int kPtx> struct Needs {
  template <typename Concrete> class Impl : public mlir::OpTrait::TraitBase<Concrete, Impl> {
  public:
    static std::optional<GpuFeature> getRequiredFeature() { return kFeature; }
    static int getLeastPtx() { return kPtx; }
  };
};

} // namespace fairlead::ir
#endif // FAIRLEAD_LIB_IR_INTERFACES_H_
