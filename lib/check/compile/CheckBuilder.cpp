#include "check/compile/CheckBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

#include "check/compile/Checks.h"
#include "fairlead/CheckCpu.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Builders.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"

using namespace mlir;

namespace fairlead::check {

/// True if the kernel has memory that may be uninitialised.
static bool hasMemory(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

CheckBuilder::CheckBuilder(gpu::GPUFuncOp kernel, ArrayRef<StringRef> checks)
    : kernel(kernel), b(kernel.getLoc(), kernel.getContext()),
      pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
      bounds(llvm::is_contained(checks, "bounds")), memory(llvm::is_contained(checks, "memory")),
      inits(hasMemory(kernel) && llvm::is_contained(checks, "init")),
      races(llvm::is_contained(checks, "race")), floats(llvm::is_contained(checks, "float")),
      syncs(llvm::is_contained(checks, "sync")), guards(llvm::is_contained(checks, "guards")) {
  kernel.walk([&](LLVM::StoreOp store) {
    if (isOfProduct(store.getValue()))
      ofProducts.insert(Root::of(store.getAddr()).base);
  });
}

//===--- order ---------------------------------------------------------------------------------===

void CheckBuilder::order(Operation *op, int what, Value address, Value number, Value barrier,
                         StringRef site) {
  callRuntime(b, runtime::FairleadCheckOrder,
              {siteOf(op, {}, site), lower::linearThread(b), lower::i32Constant(b, what),
               address ? lower::generic(b, address) : lower::nullPointer(b), number,
               barrier ? lower::generic(b, barrier) : lower::nullPointer(b)});
}

void CheckBuilder::operand(Operation *op, Value descriptor, bool isB) {
  std::optional<Root> root = bounds || memory ? memoryOfDescriptor(descriptor) : std::nullopt;
  if (!root || !root->allocation[1])
    return;
  constexpr int kOperand = 32;
  callRuntime(b, runtime::FairleadCheckOrder,
              {siteOf(op, *root, isB ? "operand B" : "operand A"), lower::linearThread(b),
               lower::i32Constant(b, kFairleadCheckOperand), lower::generic(b, root->base),
               i64(root->allocation[1] | int64_t{isB} << kOperand), lower::nullPointer(b)});
}

void CheckBuilder::orderCopy(Operation *op, Value target, Value bytes, Value barrier,
                             Value blocks) {
  if (!blocks)
    return order(op, kFairleadCheckBox, target, bytes, barrier);
  Value mask = wide(blocks);
  mask = arith::ShLIOp::create(b, mask, i64(32));
  order(op, kFairleadCheckBoxes, target, arith::OrIOp::create(b, bytes, mask), barrier);
}

//===--- accesses ------------------------------------------------------------------------------===

void CheckBuilder::access(Operation *op, OpOperand &address, int64_t bytes, int kind, Value value) {
  if (guards)
    return kind == kFairleadCheckRead ? guardLoad(op, address, bytes)
                                      : guard(op, address.get(), i64(bytes));
  Root root = Root::of(address.get());
  if (root.isPrivate())
    return visitRegisters(op, root, bytes);
  if (bounds || memory)
    checkRange(op, root, address, bytes);
  if (races)
    tellAccess(op, root, lower::generic(b, address.get()), kind | static_cast<int>(bytes) << 8,
               value);
}

void CheckBuilder::visitRegisters(Operation *op, const Root &root, int64_t bytes) {
  if (!syncs || !ofProducts.contains(root.base))
    return;
  auto store = dyn_cast<LLVM::StoreOp>(op);
  Value address = store ? store.getAddr() : cast<LLVM::LoadOp>(op).getAddr();
  if (store && isOfProduct(store.getValue()))
    order(op, kFairleadCheckProduct, address, i64(bytes));
  else if (store || !isForProducts(op->getResult(0)))
    order(op, kFairleadCheckRegisters, address, i64(bytes));
}

/// Replaces an address that may be out of bounds by a checked one.
void CheckBuilder::checkRange(Operation *op, const Root &root, OpOperand &address, int64_t bytes) {
  Value place = address.get();
  if (root.kind == Root::Kind::Shared && isInside(root, bytes))
    return;
  Value checked = checkedAddress(op, root, place, lower::i32Constant(b, bytes));
  if (!checked)
    return;
  if (checked.getType() == place.getType()) {
    address.set(checked);
    return;
  }
  Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), checked);
  address.set(LLVM::IntToPtrOp::create(b, place.getType(), number));
}

/// True if all steps from the memory's begin to the address are multiples of `bytes`.
static bool isAligned(const Root &root, Value address, int64_t bytes) {
  if (root.kind != Root::Kind::Shared || root.allocation[0] % bytes)
    return false;
  for (Value at = address; at != root.base; at = ir::addressSource(at.getDefiningOp()))
    if (auto step = at.getDefiningOp<LLVM::GEPOp>()) {
      const std::optional<int64_t> distance = ir::addressStep(step);
      const auto size = static_cast<int64_t>(DataLayout().getTypeSize(step.getElemType()));
      if (distance ? *distance % bytes : size % bytes)
        return false;
    }
  return true;
}

void CheckBuilder::requireAlignment(Operation *op, OpOperand &address, int64_t bytes) {
  const Root root = Root::of(address.get());
  if (isAligned(root, address.get(), bytes))
    return;
  Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), address.get());
  Value rest = arith::AndIOp::create(b, number, i64(bytes - 1));
  if (guards)
    return guardAlignment(op, root, rest, bytes);
  cf::AssertOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, i64(0)),
                       "the address of an mbarrier is not a multiple of " + std::to_string(bytes) +
                           " bytes");
}

void CheckBuilder::checkInside(Operation *op, OpOperand &address, int64_t bytes) {
  if (guards)
    guard(op, address.get(), i64(bytes));
  else // all checks follow mbarriers, which must not overwrite other memory
    checkRange(op, Root::of(address.get()), address, bytes);
}

void CheckBuilder::checkCopied(Operation *op, OpOperand &address, Value bytes) {
  Value place = address.get();
  Root root = Root::of(place);
  root.boundedByIndices = false; // they are those of the first element
  Value number = b.createOrFold<arith::TruncIOp>(b.getI32Type(), bytes);
  Value checked = checkedAddress(op, root, place, number);
  if (!checked)
    return;
  Value isInside =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, checked, lower::generic(b, place));
  address.set(LLVM::SelectOp::create(b, isInside, place, LLVM::ZeroOp::create(b, place.getType())));
}

/// Returns the address, or that of spare memory if its bytes (i32) are out of bounds; null if the
/// bounds are not known.
Value CheckBuilder::checkedAddress(Operation *op, const Root &root, Value address, Value bytes) {
  auto call = [&](const RuntimeFunction &function, ArrayRef<Value> more) {
    SmallVector<Value> arguments{siteOf(op, root), lower::linearThread(b),
                                 lower::generic(b, address)};
    arguments.append(more.begin(), more.end());
    arguments.push_back(bytes);
    return callRuntime(b, function, arguments);
  };
  if (root.kind == Root::Kind::Parameter && !root.boundedByIndices)
    return call(runtime::FairleadCheckTensorRange, {root.base});
  if (root.kind != Root::Kind::Shared)
    return {};
  int64_t size = root.allocation[1];
  return call(runtime::FairleadCheckRange,
              {lower::generic(b, root.base), size ? i64(size) : restOfShared(root)});
}

/// Returns the size of the memory at the root that the launch requests beyond the reserved bytes;
/// -1 instead of 0, because the runtime ignores memory of 0 bytes.
Value CheckBuilder::restOfShared(const Root &root) {
  Value rest = restOfSharedMemory(b, root);
  Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rest, i64(0));
  return arith::SelectOp::create(b, some, rest, i64(-1));
}

void CheckBuilder::tellAccess(Operation *op, const Root &root, Value address, int what,
                              Value value) {
  Value low = i64(0), high = low;
  if (value) {
    int64_t bits = static_cast<int64_t>(DataLayout().getTypeSizeInBits(value.getType()));
    if (std::optional<Value> number = asNumber(value, bits)) {
      what |= kFairleadCheckValue;
      low = arith::TruncIOp::create(b, b.getI64Type(), *number);
      high = arith::TruncIOp::create(
          b, b.getI64Type(),
          arith::ShRUIOp::create(
              b, *number, arith::ConstantOp::create(b, b.getIntegerAttr(number->getType(), 64))));
    }
  }
  callRuntime(
      b, runtime::FairleadCheckAccess,
      {siteOf(op, root), lower::linearThread(b), address, lower::i32Constant(b, what), low, high});
}

std::optional<Value> CheckBuilder::asNumber(Value value, int64_t bits) {
  Type type = value.getType(), wide = b.getIntegerType(128);
  if (bits > 128 || isa<LLVM::LLVMPointerType>(type))
    return std::nullopt;
  Type narrow = b.getIntegerType(static_cast<unsigned>(bits));
  if (type != narrow)
    value = LLVM::BitcastOp::create(b, narrow, value);
  return bits == 128 ? value : Value(arith::ExtUIOp::create(b, wide, value));
}

//===--- values --------------------------------------------------------------------------------===

Value CheckBuilder::i64(int64_t value) { return lower::i64Constant(b, value); }

Value CheckBuilder::wide(Value number) { return arith::ExtUIOp::create(b, b.getI64Type(), number); }

Value CheckBuilder::inBlock(Value address, Value block) {
  return block ? callRuntime(b, runtime::FairleadCpuMapShared, {lower::generic(b, address), block})
               : address;
}

//===--- sites ---------------------------------------------------------------------------------===

static int64_t numSites(gpu::GPUModuleOp device) {
  constexpr char kCount[] = "fairlead.sites";
  auto count = device->getAttrOfType<IntegerAttr>(kCount);
  int64_t number = count ? count.getInt() : 0;
  device->setAttr(kCount, IntegerAttr::get(IntegerType::get(device.getContext(), 64), number + 1));
  return number;
}

Value CheckBuilder::siteOf(Operation *op, const Root &root, StringRef what, StringRef memoryKind) {
  return LLVM::AddressOfOp::create(b, pointer, siteSymbol(op, root, what, memoryKind));
}

std::string CheckBuilder::siteSymbol(Operation *op, const Root &root, StringRef what,
                                     StringRef memoryKind) {
  std::string text = siteText(op, kernel.getName(), root, what, memoryKind);
  // The runtime writes the site's number into the first four bytes.
  std::string bytes = std::string(4, '\0') + text + '\0';
  auto device = kernel->getParentOfType<gpu::GPUModuleOp>();
  std::string symbol = "site_" + std::to_string(numSites(device));
  for (Operation *module :
       {device.getOperation(), kernel->getParentOfType<ModuleOp>().getOperation()})
    ir::defineBytes(b, b.getLoc(), module, symbol, bytes, /*isConstant=*/false,
                    LLVM::Linkage::Internal, /*alignment=*/4);
  return symbol;
}

} // namespace fairlead::check
