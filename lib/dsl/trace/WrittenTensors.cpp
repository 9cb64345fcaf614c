/// The tensor parameters that a program writes, or may write.
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/trace/Builder.h"
#include "ir/Analysis/MemoryUse.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// True if the operation may write to the memory at this operand, or pass the operand to code
/// outside the module.
bool mayWriteTo(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto call = dyn_cast<LLVM::CallOp>(op)) // the runtime's checks of tensors only read
    return !call.getCallee() || !call.getCallee()->starts_with("Fairlead");
  if (isa<gpu::LaunchFuncOp, gpu::PrintfOp>(op) || op->getNumRegions() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  const ir::MemoryUse use = ir::MemoryUse::of(operand);
  return use.writes || use.escapes;
}

/// True if a value of this type can hold an address, or a part of one.
bool canBeAddress(mlir::Type type) {
  return !isa<FloatType>(type) && !type.isInteger(1) && !type.isInteger(8);
}

/// Follows each written address back to the values that it is computed from. Follows each stored
/// number back to the memory that it may come from, because a copy of a tensor map holds the
/// address of its tensor.
class WrittenTensors {
public:
  explicit WrittenTensors(Program::Impl &impl) : impl(impl) {}

  void mark() {
    impl.module->walk([&](Operation *op) {
      if (isa<LLVM::GEPOp, LLVM::LoadOp>(op) || isa<arith::ArithDialect>(op->getDialect()))
        return; // most of a program, which writes nothing
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        launches[launch.getKernelName()].push_back(launch);
      for (OpOperand &operand : op->getOpOperands())
        if (mayWriteTo(operand))
          add(operand.get(), What::Written);
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
  enum class What { Written, Copied };

  void add(mlir::Value value, What what) {
    if (canBeAddress(value.getType()) && seen[what == What::Copied].insert(value).second)
      open.emplace_back(value, what);
  }

  void addSources(OpResult value, What what) {
    Operation *op = value.getOwner();
    if (op->getNumRegions())
      return addCarried(op, value.getResultNumber(), what);
    // Otherwise memory holds no address of a parameter: one that is stored counts as written.
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return add(load.getAddr(), What::Copied);
    if (ir::holdsOperands(op))
      what = What::Written;
    else if (isa<arith::CmpIOp>(op) || !isMemoryEffectFree(op))
      return;
    for (mlir::Value operand : op->getOperands())
      add(operand, what);
  }

  void addSources(BlockArgument argument, What what) {
    Operation *parent = argument.getOwner()->getParentOp();
    const unsigned index = argument.getArgNumber();
    if (parent == impl.host.getOperation())
      return what == What::Written ? markParameter(index) : void();
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

  void markParameter(unsigned index) {
    // The first argument is the call's context; symbols follow the parameters.
    if (index == 0 || index > impl.signature.params.size())
      return;
    if (auto *tensor = std::get_if<TensorParam>(&impl.signature.params[index - 1].type))
      tensor->written = true;
  }

  Program::Impl &impl;
  llvm::DenseMap<StringAttr, SmallVector<gpu::LaunchFuncOp>> launches;
  llvm::DenseSet<mlir::Value> seen[2];
  SmallVector<std::pair<mlir::Value, What>> open;
};

} // namespace

void markWrittenTensors(Program::Impl &impl) { WrittenTensors(impl).mark(); }

} // namespace fairlead::dsl
