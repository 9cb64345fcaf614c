#include "dsl/trace/Unfinished.h"

#include <new>

using namespace mlir;

namespace fairlead::dsl {

/// Name of the function that holds the dropped operations while the program is traced.
static constexpr char kDroppedSymbol[] = "fairlead_dropped";

/// The module's attribute if an operation that should have been dropped is still in it.
static constexpr char kIncomplete[] = "fairlead.incomplete";

static func::FuncOp findHolder(Program::Impl &impl) {
  return impl.module->lookupSymbol<func::FuncOp>(kDroppedSymbol);
}

static Block &dropped(Program::Impl &impl) {
  func::FuncOp holder = findHolder(impl);
  if (!holder) {
    OpBuilder::InsertionGuard guard(impl.builder);
    impl.builder.setInsertionPointToEnd(impl.module->getBody());
    holder = func::FuncOp::create(impl.builder, impl.builder.getUnknownLoc(), kDroppedSymbol,
                                  impl.builder.getFunctionType({}, {}));
  }
  if (holder.getBody().empty()) // there was no memory for it the last time
    holder.addEntryBlock();
  return holder.getBody().front();
}

void drop(Program::Impl &impl, Operation *op) noexcept {
  try {
    Block &block = dropped(impl);
    op->dropAllReferences();
    op->moveBefore(&block, block.end());
  } catch (const std::bad_alloc &) {
    (*impl.module)->setAttr(kIncomplete, impl.builder.getUnitAttr());
  }
}

bool isDropped(Region *region) {
  auto holder = region->getParentOfType<func::FuncOp>();
  return holder && holder.getName() == kDroppedSymbol;
}

void deleteDropped(Program::Impl &impl) {
  if ((*impl.module)->hasAttr(kIncomplete))
    throw std::bad_alloc();
  if (func::FuncOp holder = findHolder(impl))
    holder.erase();
}

} // namespace fairlead::dsl
