/// Guards of the accesses of host functions, and what host functions know of their tensors.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/CheckedValues.h"
#include "check/compile/Guards.h"
#include "dsl/trace/RuntimeCalls.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/Constants.h"

using namespace mlir;

namespace fairlead::check {

HostMemories::HostMemories(Operation *host) : host(host) {
  host->walk([&](ir::MemoryOp memory) {
    notes.push_back(memory);
    memories.try_emplace(Root::of(memory.getBase()).base, memory);
  });
}

SmallVector<Value> HostMemories::boundsOf(ImplicitLocOpBuilder &b, Value address) const {
  auto i64 = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  };
  Operation *known = memories.lookup(Root::of(address).base);
  if (!known) {
    constexpr int64_t kFar = int64_t{1} << 49;
    return {i64(-kFar), i64(kFar), lower::nullPointer(b)};
  }
  auto memory = cast<ir::MemoryOp>(known);
  Value low = memory.getFirst(), high = memory.getLast();
  if (address == memory.getBase())
    return {low, high, memory.getTable()};
  auto number = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  };
  Value distance = arith::SubIOp::create(b, number(address), number(memory.getBase()));
  return {arith::SubIOp::create(b, low, distance), arith::SubIOp::create(b, high, distance),
          memory.getTable()};
}

void HostMemories::guardAccesses() {
  SmallVector<std::tuple<Operation *, Value, Type>> accesses;
  host->walk([&](Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      accesses.emplace_back(op, load.getAddr(), load.getType());
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      accesses.emplace_back(op, store.getAddr(), store.getValue().getType());
  });
  for (auto [op, address, type] : accesses)
    guard(op, address, static_cast<int64_t>(DataLayout().getTypeSize(type)));
}

void HostMemories::guard(Operation *access, Value address, int64_t bytes) {
  const Root root = Root::of(address);
  ImplicitLocOpBuilder b(access->getLoc(), access);
  auto i64 = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  };
  SmallVector<Value> bounds;
  std::string memory, what;
  if (memories.contains(root.base)) {
    bounds = boundsOf(b, root.base);
  } else if (auto alloca = root.base.getDefiningOp<LLVM::AllocaOp>()) {
    auto count = lower::constantOf(alloca.getArraySize());
    const auto size = static_cast<int64_t>(DataLayout().getTypeSize(alloca.getElemType()));
    if (!count || (root.distance && *root.distance >= 0 && *root.distance + bytes <= *count * size))
      return;
    bounds = {i64(0), i64(*count * size), lower::nullPointer(b)};
    memory = "register";
    what = "a register tensor";
  } else {
    return;
  }
  Value offset = distanceFrom(b, root.base, address);
  Value inside = arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::sle, bounds[0], offset),
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                            arith::AddIOp::create(b, offset, i64(bytes)), bounds[1]));
  auto branch = scf::IfOp::create(b, access->getResultTypes(), inside, /*withElseRegion=*/true);
  access->replaceAllUsesWith(branch.getResults());
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    if (!block->empty())
      block->back().erase();
  b.setInsertionPointToEnd(branch.elseBlock());
  raise(b, access, offset, bytes, bounds, siteText(access, "", root, what, memory));
  SmallVector<Value> zeros;
  for (Type type : access->getResultTypes())
    zeros.push_back(LLVM::ZeroOp::create(b, type));
  scf::YieldOp::create(b, zeros);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, access->getResults());
  access->moveBefore(branch.thenBlock()->getTerminator());
}

void HostMemories::raise(ImplicitLocOpBuilder &b, Operation *access, Value offset, int64_t bytes,
                         ArrayRef<Value> bounds, const std::string &site) {
  auto module = access->getParentOfType<ModuleOp>();
  auto function = access->getParentOfType<func::FuncOp>();
  std::string symbol;
  for (int number = 0; symbol.empty() || module.lookupSymbol(symbol); ++number)
    symbol = "host_site_" + std::to_string(number);
  const std::string text = std::string(4, '\0') + site + '\0';
  {
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()),
                           /*isConstant=*/false, LLVM::Linkage::Internal, symbol,
                           b.getStringAttr(text), /*alignment=*/4);
  }
  Value address = LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), symbol);
  Value count = arith::ConstantOp::create(b, b.getI64IntegerAttr(bytes));
  Value wrong =
      wrongAccess(b, OpBuilder::atBlockBegin(&function.getBody().front()), address, bounds[2],
                  {arith::SubIOp::create(b, offset, bounds[0]), count,
                   arith::SubIOp::create(b, bounds[1], bounds[0])});
  callRuntime(b, runtime::FairleadRaiseOutOfBounds, {function.getArgument(0), wrong});
}

void HostMemories::erase() {
  for (Operation *note : notes)
    note->erase();
}

} // namespace fairlead::check
