#include "dsl/Unfinished.h"

using namespace mlir;

namespace fairlead::dsl {

/// A function beside the host function that holds what was dropped, while the program is traced.
static constexpr char kDroppedSymbol[] = "fairlead_dropped";

static func::FuncOp findHolder(Program::Impl &impl) {
  return impl.module->lookupSymbol<func::FuncOp>(kDroppedSymbol);
}

void drop(Program::Impl &impl, Operation *op) {
  func::FuncOp holder = findHolder(impl);
  if (!holder) {
    OpBuilder::InsertionGuard guard(impl.builder);
    impl.builder.setInsertionPointToEnd(impl.module->getBody());
    holder = func::FuncOp::create(impl.builder, impl.builder.getUnknownLoc(), kDroppedSymbol,
                                  impl.builder.getFunctionType({}, {}));
    holder.addEntryBlock();
  }
  op->dropAllReferences();
  op->moveBefore(&holder.getBody().front(), holder.getBody().front().end());
}

bool isDropped(Region *region) {
  auto holder = region->getParentOfType<func::FuncOp>();
  return holder && holder.getName() == kDroppedSymbol;
}

void deleteDropped(Program::Impl &impl) {
  if (func::FuncOp holder = findHolder(impl))
    holder.erase();
}

} // namespace fairlead::dsl
