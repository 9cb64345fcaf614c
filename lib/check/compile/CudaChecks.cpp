#include "check/compile/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

#include "check/compile/CheckedValues.h"
#include "check/compile/Guards.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/CheckCuda.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"

using namespace mlir;

namespace fairlead::check {
namespace {

constexpr char kStop[] = "fairlead_check_stop";
constexpr char kTaken[] = "fairlead_check_taken";
constexpr unsigned kGlobalMemory = 1;

static_assert(offsetof(FairleadCheckMessage, kind) == 4 &&
              offsetof(FairleadCheckMessage, thread) == 8 &&
              offsetof(FairleadCheckMessage, block) == 20 &&
              offsetof(FairleadCheckMessage, numbers) == 32 &&
              offsetof(FairleadCheckMessage, site) == 56);

/// $0: the message's variable, $1: the flag that a thread has taken it, $2: the site; $3 to $6: the
/// kind and its numbers. Later threads do not trap, because that could end the kernel before the
/// first one has written the message.
constexpr char kStopText[] = R"({
.reg .pred p; .reg .b32 w; .reg .b64 m, s, d; .reg .b16 c;
atom.global.exch.b32 w, [$1], 1;
setp.ne.b32 p, w, 0;
@p exit;
ld.global.b64 m, [$0];
setp.eq.b64 p, m, 0;
@p bra stopped;
st.b32 [m+4], $3;
mov.u32 w, %tid.x; st.b32 [m+8], w;
mov.u32 w, %tid.y; st.b32 [m+12], w;
mov.u32 w, %tid.z; st.b32 [m+16], w;
mov.u32 w, %ctaid.x; st.b32 [m+20], w;
mov.u32 w, %ctaid.y; st.b32 [m+24], w;
mov.u32 w, %ctaid.z; st.b32 [m+28], w;
st.b64 [m+32], $4;
st.b64 [m+40], $5;
st.b64 [m+48], $6;
mov.b64 s, $2;
add.u64 d, m, 56;
letters:
ld.global.u8 c, [s];
st.u8 [d], c;
add.u64 s, s, 1;
add.u64 d, d, 1;
setp.ne.u16 p, c, 0;
@p bra letters;
membar.sys;
st.volatile.b32 [m], 1;
membar.sys;
stopped:
trap;
})";

/// The texts of sites and their variables.
using Sites = llvm::StringMap<std::string>;

class CudaKernelChecks {
public:
  CudaKernelChecks(gpu::GPUFuncOp kernel, Sites &sites)
      : kernel(kernel), sites(sites), device(kernel->getParentOfType<gpu::GPUModuleOp>()),
        b(kernel.getLoc(), kernel.getContext()) {}

  void run() {
    kernel->setAttr(kCheckedAttribute, b.getI64IntegerAttr(kFairleadLaunchChecked));
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (auto note = dyn_cast<ir::TensorOp>(op))
        tensors[note.getBase()] = {note.getTensor().str(), emitMemory(note)};
      ops.push_back(op);
    });
    for (Operation *op : ops)
      visit(op);
    // Lower these last: the chains from addresses to the memory they point into go through them.
    for (Operation *op : ops) {
      if (auto index = dyn_cast<ir::IndexOp>(op))
        lower(index);
      else if (auto assertion = dyn_cast<cf::AssertOp>(op))
        lower(assertion);
      else if (isa<ir::TensorOp>(op))
        op->erase();
    }
  }

private:
  void visit(Operation *op) {
    auto typed = [&](Value address, Type type) {
      check(op, address, static_cast<int64_t>(DataLayout().getTypeSize(type)));
    };
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      typed(load.getAddr(), load.getType());
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      typed(store.getAddr(), store.getValue().getType());
    else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
      typed(atomic.getPtr(), atomic.getVal().getType());
    else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
      typed(exchange.getPtr(), exchange.getVal().getType());
    else if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op)) {
      // A copy with an explicit size may read nothing.
      if (!copy.getCpSize())
        check(op, copy.getSrc(), copy.getSize());
      check(op, copy.getDst(), copy.getSize());
    }
  }

  /// Stops the kernel if an access is not in the memory that its address is computed from.
  void check(Operation *op, Value address, int64_t bytes) {
    Root root = Root::of(address);
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    Value first, last; // relative to the base
    if (auto known = tensors.find(root.base); known != tensors.end() && !root.boundedByIndices) {
      first = known->second.second.low;
      last = known->second.second.high;
    } else if (root.kind == Root::Kind::Shared) {
      int64_t size = root.allocation[1];
      if (isInside(root, bytes))
        return;
      first = i64(0);
      last = size ? i64(size) : restOfSharedMemory(b, root);
    } else {
      return;
    }
    Value begin = arith::AddIOp::create(b, number(root.base, address.getType()), first);
    Value offset = arith::SubIOp::create(b, number(address, address.getType()), begin);
    Value size = arith::SubIOp::create(b, last, first);
    Value least = arith::SubIOp::create(b, size, i64(bytes));
    auto is = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
      return arith::CmpIOp::create(b, predicate, left, right);
    };
    Value outside = arith::OrIOp::create(b, is(arith::CmpIPredicate::slt, offset, i64(0)),
                                         is(arith::CmpIPredicate::sgt, offset, least));
    stopIf(outside, siteText(op, kernel.getName(), root, tensors.lookup(root.base).first),
           kFairleadCheckMessageOutside, {i64(bytes), offset, size});
  }

  void lower(ir::IndexOp op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    for (auto [i, mode] : llvm::enumerate(op.getModes())) {
      Value index = op.getBounds()[2 * i], extent = op.getBounds()[2 * i + 1];
      Value outside = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, index, extent);
      stopIf(
          outside,
          siteText(op, kernel.getName(), {}, op.getTensor(), stringifyMemoryKind(op.getMemory())),
          kFairleadCheckMessageIndex, {i64(mode), index, extent});
    }
    op.getChecked().replaceAllUsesWith(op.getAddress());
    op->erase();
  }

  void lower(cf::AssertOp op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    Value wrong =
        arith::XOrIOp::create(b, op.getArg(), arith::ConstantOp::create(b, b.getBoolAttr(true)));
    stopIf(wrong, siteText(op, kernel.getName(), {}, op.getMsg()), kFairleadCheckMessageAssertion,
           {i64(0), i64(0), i64(0)});
    op.erase();
  }

  void stopIf(Value condition, std::string site, int kind, ArrayRef<Value> numbers) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value kindValue = arith::ConstantOp::create(b, b.getI32IntegerAttr(kind));
    SmallVector<Value> arguments{siteAddress(std::move(site)), kindValue};
    arguments.append(numbers.begin(), numbers.end());
    declareStop();
    LLVM::CallOp::create(b, TypeRange{}, kStop, ValueRange(arguments));
  }

  //===--- the module --------------------------------------------------------------------------===

  Value i64(int64_t value) { return lower::i64Constant(b, value); }

  /// Converts an address to an integer, via one address space so that differences are distances.
  Value number(Value address, Type space) {
    if (address.getType() != space)
      address = LLVM::AddrSpaceCastOp::create(b, space, address);
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
  }

  Type globalPointer() { return LLVM::LLVMPointerType::get(b.getContext(), kGlobalMemory); }

  Value siteAddress(std::string text) {
    text.resize(std::min(text.size(), sizeof(FairleadCheckMessage::site) - 1));
    text += '\0';
    std::string symbol = "fairlead_check_site_" + std::to_string(sites.size());
    auto [known, fresh] = sites.try_emplace(text, symbol);
    if (fresh)
      variable(symbol, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()), b.getStringAttr(text),
               LLVM::Linkage::Internal);
    return LLVM::AddressOfOp::create(b, globalPointer(), known->second);
  }

  void variable(StringRef symbol, Type type, Attribute value, LLVM::Linkage linkage) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(device.getBody());
    LLVM::GlobalOp::create(b, type, /*isConstant=*/false, linkage, symbol, value, /*alignment=*/0,
                           kGlobalMemory);
  }

  /// Declares the function that writes the message.
  void declareStop() {
    if (device.lookupSymbol(kStop))
      return;
    variable(FAIRLEAD_CHECK_MESSAGE_SYMBOL, b.getI64Type(), b.getI64IntegerAttr(0),
             LLVM::Linkage::External);
    variable(kTaken, b.getI32Type(), b.getI32IntegerAttr(0), LLVM::Linkage::Internal);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(device.getBody());
    Type word = b.getI32Type(), number = b.getI64Type();
    auto none = LLVM::LLVMVoidType::get(b.getContext());
    auto stop = LLVM::LLVMFuncOp::create(
        b, kStop,
        LLVM::LLVMFunctionType::get(none, {globalPointer(), word, number, number, number}),
        LLVM::Linkage::Internal);
    stop.setNoInline(true);
    stop.setPassthroughAttr(b.getStrArrayAttr({"noreturn", "cold"}));
    b.setInsertionPointToStart(stop.addEntryBlock(b));
    SmallVector<Value> operands{
        LLVM::AddressOfOp::create(b, globalPointer(), FAIRLEAD_CHECK_MESSAGE_SYMBOL),
        LLVM::AddressOfOp::create(b, globalPointer(), kTaken)};
    operands.append(stop.getArguments().begin(), stop.getArguments().end());
    LLVM::InlineAsmOp::create(b, TypeRange(), operands, kStopText, "l,l,l,r,l,l,l,~{memory}",
                              /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    LLVM::UnreachableOp::create(b);
  }

  gpu::GPUFuncOp kernel;
  Sites &sites;
  gpu::GPUModuleOp device;
  ImplicitLocOpBuilder b;
  /// The names in messages of the kernel's tensors, and their memory.
  llvm::DenseMap<Value, std::pair<std::string, MemoryBounds>> tensors;
};

} // namespace

void addCudaChecks(ModuleOp module) {
  auto checks = module->getAttrOfType<StringAttr>(ir::kChecksAttribute);
  if (!checks)
    return;
  if (checks.getValue() == ir::kGuards)
    return removeGuardNotes(module); // it has guards on the CPU
  Sites sites;
  SmallVector<gpu::GPUFuncOp> kernels;
  module.walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
  for (gpu::GPUFuncOp kernel : kernels)
    CudaKernelChecks(kernel, sites).run();
}

} // namespace fairlead::check
