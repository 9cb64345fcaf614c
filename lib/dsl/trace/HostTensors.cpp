/// Finds the tensors that the host function itself reads or writes, instead of its kernels.
#include "llvm/ADT/TypeSwitch.h"

#include "dsl/trace/Builder.h"
#include "ir/Analysis/MemoryRoot.h"

using namespace mlir;

namespace fairlead::dsl {

/// Returns the address that an operation reads or writes; null for other operations.
static mlir::Value addressOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, mlir::Value>(op)
      .Case([](LLVM::LoadOp load) { return load.getAddr(); })
      .Case([](LLVM::StoreOp store) { return store.getAddr(); })
      .Case([](LLVM::AtomicRMWOp atomic) { return atomic.getPtr(); })
      .Case([](LLVM::AtomicCmpXchgOp atomic) { return atomic.getPtr(); })
      .Default([](Operation *) { return mlir::Value(); });
}

void markHostTensors(Program::Impl &impl) {
  Block *entry = &impl.host.getBody().front();
  impl.host.walk([&](Operation *op) {
    mlir::Value address = addressOf(op);
    auto argument =
        address ? dyn_cast<BlockArgument>(ir::MemoryRoot::of(address).base) : BlockArgument();
    if (!argument || argument.getOwner() != entry || argument.getArgNumber() == 0)
      return;
    size_t index = argument.getArgNumber() - 1; // the first is the call's context
    if (index >= impl.signature.params.size())
      return;
    if (auto *tensor = std::get_if<TensorParam>(&impl.signature.params[index].type))
      tensor->onHost = true;
  });
}

} // namespace fairlead::dsl
