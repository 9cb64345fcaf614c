/// What the compiler of a checked program is told while it is traced. Internal to lib/dsl and
/// lib/lower.
#ifndef FAIRLEAD_LIB_DSL_CHECKOPS_H_
#define FAIRLEAD_LIB_DSL_CHECKOPS_H_

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// The names of a program's checks, on the module: "bounds,race".
inline constexpr char kChecksAttribute[] = "fairlead.checks";
/// A FairleadSchedule, on the module.
inline constexpr char kScheduleAttribute[] = "fairlead.schedule";
/// Of a print whose text is that of a breakpoint.
inline constexpr char kStopAttribute[] = "fairlead.stop";
/// Where an address of shared memory begins what was allocated: offset and bytes.
inline constexpr char kAllocationAttribute[] = "fairlead.allocation";

/// An address, if indices are in bounds. Operands: the address; then of each mode that is to be
/// checked its index and its extent, as i64. "modes" are their numbers, "tensor" says what is
/// indexed, "memory" where it is, and "whole" (unit) that all indices in bounds are of elements of
/// a tensor that the kernel takes.
class IndexOp : public mlir::Op<IndexOp, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroSuccessors,
                                mlir::OpTrait::VariadicOperands, mlir::OpTrait::OneResult,
                                mlir::MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "fairlead.index"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"modes", "tensor", "memory", "whole"};
    return names;
  }
  void getEffects(
      llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &) {}
  mlir::Value address() { return (*this)->getOperand(0); }
  llvm::ArrayRef<int32_t> modes() {
    return (*this)->getAttrOfType<mlir::DenseI32ArrayAttr>("modes").asArrayRef();
  }
};

/// The memory of a tensor that a kernel takes, for GPUs, where no runtime knows it. Operands: the
/// address of its first element; then, in bytes from there, where the memory begins and ends.
/// "tensor" says what it is.
class MemoryOp
    : public mlir::Op<MemoryOp, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroSuccessors,
                      mlir::OpTrait::NOperands<3>::Impl, mlir::OpTrait::ZeroResults> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "fairlead.memory"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"tensor"};
    return names;
  }
  mlir::Value base() { return (*this)->getOperand(0); }
  mlir::Value first() { return (*this)->getOperand(1); }
  mlir::Value last() { return (*this)->getOperand(2); }
  llvm::StringRef tensor() { return (*this)->getAttrOfType<mlir::StringAttr>("tensor").getValue(); }
};

/// Whether the program has some check of this name.
bool hasCheck(Program::Impl &impl, llvm::StringRef name);

/// The address of a tensor's element, where it is used only if the coordinate is in bounds.
mlir::Value checkedAddress(Program::Impl &impl, const Tensor &tensor,
                           const layout::IntTuple &coordinate, mlir::Value address);

/// Notes the tensors that a kernel takes, whose elements need no other check than of their indices.
void noteTensors(Program::Impl &impl, mlir::gpu::GPUFuncOp kernel,
                 const std::vector<Argument> &arguments);

/// Notes that so many bytes of shared memory begin at an address.
void noteAllocation(Program::Impl &impl, mlir::Value address, int64_t offset, int64_t bytes);

} // namespace fairlead::dsl

MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::IndexOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::MemoryOp)

#endif // FAIRLEAD_LIB_DSL_CHECKOPS_H_
