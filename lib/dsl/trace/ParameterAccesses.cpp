/// The accesses of a program to the memory behind its parameters.
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/trace/Builder.h"
#include "dsl/trace/RuntimeCalls.h"
#include "ir/Analysis/MemoryUse.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// The access of an operation with these uses to the memory at this operand.
MemoryAccess accessTo(OpOperand &operand, const ir::MemoryUses &uses) {
  Operation *op = operand.getOwner();
  if (auto call = dyn_cast<LLVM::CallOp>(op)) { // the runtime's functions only read
    const StringRef callee = call.getCallee().value_or("");
    if (callee == runtime::FairleadCheckTensor.name) // which notes where the memory is
      return {};
    const bool isRuntime = callee.starts_with("Fairlead");
    return {.read = isRuntime, .escapes = !isRuntime};
  }
  if (isa<gpu::LaunchFuncOp, gpu::PrintfOp>(op) || op->getNumRegions() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return {};
  const ir::MemoryUse use = uses.at(operand);
  if (use.escapes)
    return {.escapes = true};
  return {.read = use.reads, .written = use.writes};
}

/// True if a value of this type can hold an address, or a part of one.
bool canBeAddress(mlir::Type type) {
  return !isa<FloatType>(type) && !type.isInteger(1) && !type.isInteger(8);
}

/// Follows each accessed address back to the values that it is computed from. Follows each stored
/// number back to the memory that it may come from, because a copy of a tensor map holds the
/// address of its tensor.
class ParameterAccesses {
public:
  explicit ParameterAccesses(Program::Impl &impl) : impl(impl) {}

  void mark() {
    impl.module->walk([&](Operation *op) {
      if (ir::isArithmetic(op))
        return;
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        return add(load.getAddr(), What::Read);
      if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
        add(store.getAddr(), What::Written);
        return add(store.getValue(), What::Escapes);
      }
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        launches[launch.getKernelName()].push_back(launch);
      const ir::MemoryUses uses(op);
      for (OpOperand &operand : op->getOpOperands()) {
        const MemoryAccess access = accessTo(operand, uses);
        if (access.read)
          add(operand.get(), What::Read);
        if (access.written)
          add(operand.get(), What::Written);
        if (access.escapes)
          add(operand.get(), What::Escapes);
      }
      if (auto copy = dyn_cast<ir::AsyncOp>(op); copy && copy.getCopySource())
        add(copy.getCopySource(), What::Copied);
    });
    while (!open.empty()) {
      auto [value, what] = open.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value))
        addSources(argument, what);
      else
        addSources(cast<OpResult>(value), what);
    }
  }

private:
  /// The use of the memory at an address.
  enum class What { Read, Written, Escapes, Copied };

  void add(mlir::Value value, What what) {
    if (!canBeAddress(value.getType()))
      return;
    unsigned &uses = seen[value];
    const unsigned use = 1U << static_cast<int>(what);
    if (!(uses & use))
      open.emplace_back(value, what);
    uses |= use;
  }

  void addSources(OpResult value, What what) {
    Operation *op = value.getOwner();
    if (op->getNumRegions())
      return addCarried(op, value.getResultNumber(), what);
    // Otherwise memory holds no address of a parameter: one that is stored escapes.
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return what == What::Read ? void() : add(load.getAddr(), What::Copied);
    if (isa<arith::CmpIOp>(op))
      return;
    if (!ir::isArithmetic(op)) {
      if (ir::holdsOperands(op))
        what = what == What::Copied ? What::Escapes : what;
      else if (!isMemoryEffectFree(op))
        return;
    }
    for (mlir::Value operand : op->getOperands())
      add(operand, what);
  }

  void addSources(BlockArgument argument, What what) {
    Operation *parent = argument.getOwner()->getParentOp();
    const unsigned index = argument.getArgNumber();
    if (parent == impl.host.getOperation())
      return markParameter(index, what);
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(parent)) {
      for (gpu::LaunchFuncOp launch : launches[kernel.getNameAttr()])
        if (index < launch.getNumKernelOperands())
          add(launch.getKernelOperand(index), what);
      return;
    }
    if (!isa<scf::ForOp>(parent))
      addCarried(parent, index, what);
    else if (index > 0) // the first one counts
      addCarried(parent, index - 1, what);
  }

  /// Adds the sources of the value with this number that a loop carries or a branch gives.
  void addCarried(Operation *op, unsigned index, What what) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(loop.getInitArgs()[index], what);
      return add(loop.getYieldedValues()[index], what);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      add(branch.thenYield().getOperand(index), what);
      return add(branch.elseYield().getOperand(index), what);
    }
    // The two parts of a while loop may carry different values.
    for (mlir::Value operand : op->getOperands())
      add(operand, what);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (mlir::Value operand : block.getTerminator()->getOperands())
          add(operand, what);
  }

  void markParameter(unsigned index, What what) {
    // The first argument is the call's context; symbols follow the parameters.
    if (index == 0 || index > impl.signature.params.size())
      return;
    MemoryAccess *access = impl.signature.params[index - 1].access();
    if (!access)
      return;
    access->read |= what == What::Read;
    access->written |= what == What::Written;
    access->escapes |= what == What::Escapes;
  }

  Program::Impl &impl;
  llvm::DenseMap<StringAttr, SmallVector<gpu::LaunchFuncOp>> launches;
  llvm::DenseMap<mlir::Value, unsigned> seen; ///< for each value, its uses as bits
  SmallVector<std::pair<mlir::Value, What>> open;
};

} // namespace

void markAccesses(Program::Impl &impl) { ParameterAccesses(impl).mark(); }

} // namespace fairlead::dsl
