/// Guards of the accesses of host functions, and what host functions know of their tensors.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/CheckedValues.h"
#include "check/compile/Guards.h"
#include "dsl/trace/RuntimeCalls.h"
#include "ir/Builders.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/PlainOps.h"

using namespace mlir;

namespace fairlead::check {

HostMemories::HostMemories(Operation *host) : host(host) {
  host->walk([&](ir::TensorOp note) {
    memories.insert({Root::of(note.getBase()).base, {note, emitMemory(note)}});
    const ArrayRef<int64_t> numbers = note.getNumbers();
    llvm::append_range(tensorExtents,
                       note.getDynamic().take_front(llvm::count_if(
                           numbers.take_front(numbers.size() / 2), ShapedType::isDynamic)));
  });
}

SmallVector<Value> HostMemories::boundsOf(ImplicitLocOpBuilder &b, Value address) const {
  auto known = memories.find(Root::of(address).base);
  if (known == memories.end()) {
    constexpr int64_t kFar = int64_t{1} << 49;
    return {lower::i64Constant(b, -kFar), lower::i64Constant(b, kFar), lower::nullPointer(b)};
  }
  auto [note, memory] = known->second;
  if (address == note.getBase())
    return {memory.low, memory.high, memory.table};
  auto number = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  };
  Value distance = arith::SubIOp::create(b, number(address), number(note.getBase()));
  return {arith::SubIOp::create(b, memory.low, distance),
          arith::SubIOp::create(b, memory.high, distance), memory.table};
}

void HostMemories::guardAccesses() {
  SmallVector<HostAccess> accesses;
  host->walk([&](Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      accesses.push_back({op, &load.getAddrMutable(), load.getType()});
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      accesses.push_back({op, &store.getAddrMutable(), store.getValue().getType()});
  });
  llvm::DenseMap<Operation *, ir::GuardOp> guards;
  int64_t mostBytes = 0;
  for (const HostAccess &access : accesses) {
    const auto bytes = static_cast<int64_t>(DataLayout().getTypeSize(access.type));
    if (ir::GuardOp guard = makeGuard(access, bytes)) {
      guards[access.op] = guard;
      mostBytes = std::max(mostBytes, bytes);
    }
  }
  if (guards.empty())
    return;
  Block &entry = host->getRegion(0).front();
  llvm::DenseMap<Operation *, Operation *> coverings = mergeGuards(entry);
  ImplicitLocOpBuilder b(host->getLoc(), host->getContext());
  b.setInsertionPointToStart(&entry);
  Value words = arith::ConstantOp::create(b, b.getI32IntegerAttr((mostBytes + 7) / 8));
  Value spare = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                       b.getI64Type(), words, /*alignment=*/64);
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  for (int32_t word = 0; word < (mostBytes + 7) / 8; ++word) {
    Value place = LLVM::GEPOp::create(b, spare.getType(), b.getI64Type(), spare,
                                      ArrayRef<LLVM::GEPArg>{word});
    LLVM::StoreOp::create(b, zero, place);
  }
  llvm::DenseMap<Operation *, Value> inside;
  for (const HostAccess &access : accesses) {
    Operation *guard = guards.lookup(access.op);
    if (!guard)
      continue;
    while (Operation *covering = coverings.lookup(guard))
      guard = covering;
    Value &holds = inside[guard];
    if (!holds)
      holds = raiseUnlessInside(cast<ir::GuardOp>(guard));
    ImplicitLocOpBuilder at(access.op->getLoc(), access.op);
    access.address->set(arith::SelectOp::create(at, holds, access.address->get(), spare));
  }
  for (auto [guard, holds] : inside)
    guard->erase();
}

void HostMemories::finish() {
  for (auto &[root, tensor] : memories) {
    auto &[note, memory] = tensor;
    if (!memory.table.use_empty())
      fillTable(note, memory);
    note.erase();
  }
}

/// Returns null for accesses that need no guard, or have memory that is not known.
ir::GuardOp HostMemories::makeGuard(const HostAccess &access, int64_t bytes) {
  const Root root = Root::of(access.address->get());
  ImplicitLocOpBuilder b(access.op->getLoc(), access.op);
  SmallVector<Value> bounds;
  const char *memory = "";
  if (memories.contains(root.base)) {
    bounds = boundsOf(b, root.base);
  } else if (auto alloca = root.base.getDefiningOp<LLVM::AllocaOp>()) {
    auto count = lower::constantOf(alloca.getArraySize());
    const auto size = static_cast<int64_t>(DataLayout().getTypeSize(alloca.getElemType()));
    if (!count || (root.distance && *root.distance >= 0 && *root.distance + bytes <= *count * size))
      return {};
    bounds = {lower::i64Constant(b, 0), lower::i64Constant(b, *count * size),
              lower::nullPointer(b)};
    memory = "register";
  } else {
    return {};
  }
  Value offset = distanceFrom(b, root.base, access.address->get());
  Value thread = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  return ir::GuardOp::create(b, TypeRange(), offset, lower::i64Constant(b, bytes), bounds[0],
                             bounds[1], bounds[2], thread,
                             siteSymbol(b, siteText(access.op, "", root, "", memory)), Value());
}

/// Emits whether the access is inside of its memory, and raises the error if it is not.
Value HostMemories::raiseUnlessInside(ir::GuardOp guard) {
  ImplicitLocOpBuilder b(guard.getLoc(), guard);
  Value low = guard.getLow(), high = guard.getHigh(), offset = guard.getOffset();
  Value end = arith::AddIOp::create(b, offset, guard.getBytes());
  Value inside =
      arith::AndIOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::sle, low, offset),
                            arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, high));
  Value fails = arith::XOrIOp::create(b, inside, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value site =
      LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), guard.getSite());
  auto function = cast<func::FuncOp>(host);
  Value wrong =
      wrongAccess(b, OpBuilder::atBlockBegin(&function.getBody().front()), site, guard.getTable(),
                  {arith::SubIOp::create(b, offset, low), guard.getBytes(),
                   arith::SubIOp::create(b, high, low)});
  callRuntime(b, runtime::FairleadRaiseOutOfBounds, {function.getArgument(0), wrong});
  return inside;
}

/// Returns the symbol of a place in the program, which is made once for each text.
StringRef HostMemories::siteSymbol(ImplicitLocOpBuilder &b, const std::string &site) {
  std::string &symbol = sites[site];
  if (!symbol.empty())
    return symbol;
  auto module = host->getParentOfType<ModuleOp>();
  for (size_t number = sites.size() - 1; symbol.empty() || module.lookupSymbol(symbol); ++number)
    symbol = "host_site_" + std::to_string(number);
  const std::string text = std::string(4, '\0') + site + '\0';
  ir::defineBytes(b, b.getLoc(), module, symbol, text, /*isConstant=*/false,
                  LLVM::Linkage::Internal, /*alignment=*/4);
  return symbol;
}

} // namespace fairlead::check
