#include "dsl/trace/Unfinished.h"

using namespace mlir;

namespace fairlead::dsl {

/// Name of the function that holds the dropped operations while the program is traced.
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
