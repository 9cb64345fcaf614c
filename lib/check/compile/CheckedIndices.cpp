#include "check/compile/CheckBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/Guards.h"
#include "check/compile/SpanChecks.h"
#include "fairlead/Runtime.h"
#include "ir/Builders.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"

using namespace mlir;

namespace fairlead::check {

/// Returns the address to be accessed instead of one whose index is out of bounds. `isOnlyCheck`:
/// nothing else checks the address.
static Value insteadOf(CheckBuilder &checks, Value address, bool isOnlyCheck) {
  ImplicitLocOpBuilder &b = checks.b;
  Value instead = isOnlyCheck
                      ? callRuntime(b, runtime::FairleadCheckSink, {})
                      : callRuntime(b, runtime::FairleadCheckInstead, {lower::generic(b, address)});
  if (instead.getType() == address.getType())
    return instead;
  Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), instead);
  return LLVM::IntToPtrOp::create(b, address.getType(), number);
}

/// True if an index out of bounds is only noted, because the address itself is checked.
static bool isNote(ir::IndexOp op, const CheckBuilder &checks) {
  const Root root = Root::of(op.getAddress());
  return !checks.bounds && (root.kind == Root::Kind::Parameter || root.kind == Root::Kind::Shared);
}

/// Lowers to the address if all indices are in bounds, or otherwise to a replacement address.
static void lower(ir::IndexOp op, CheckBuilder &checks) {
  ImplicitLocOpBuilder &b = checks.b;
  Value inside, address = op.getAddress();
  ArrayRef<int32_t> modes = op.getModes();
  for (size_t i = 0; i < modes.size(); ++i) {
    Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, op.getBounds()[2 * i],
                                        op.getBounds()[2 * i + 1]);
    inside = inside ? Value(arith::AndIOp::create(b, inside, below)) : below;
  }
  if (inside) {
    auto branch = scf::IfOp::create(b, TypeRange{address.getType()}, inside,
                                    /*withElseRegion=*/true);
    branch->setAttr(kInsideAttribute, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, address);
    b.setInsertionPointToEnd(branch.elseBlock());
    Value site = checks.siteOf(op, {}, op.getTensor(), stringifyMemoryKind(op.getMemory())),
          thread = lower::linearThread(b);
    const bool note = isNote(op, checks);
    for (size_t i = 0; i < modes.size(); ++i)
      callRuntime(b, runtime::FairleadCheckIndex,
                  {site, thread, lower::i32Constant(b, note ? ~modes[i] : modes[i]),
                   op.getBounds()[2 * i], op.getBounds()[2 * i + 1]});
    scf::YieldOp::create(b, note ? address : insteadOf(checks, address, op.getWhole()));
    address = branch.getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(address);
  op->erase();
}

void lowerNotes(CheckBuilder &checks, ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (auto index = dyn_cast<ir::IndexOp>(op)) {
      checks.b.setLoc(op->getLoc());
      checks.b.setInsertionPoint(op);
      lower(index, checks);
    } else if (isa<ir::TensorOp>(op)) {
      op->erase(); // the runtime knows the tensors of the call
    }
}

// The memory of tensors that tracing has noted.

namespace {

class NotedTensor {
public:
  explicit NotedTensor(ir::TensorOp note) : note(note), b(note.getLoc(), note) {
    auto dynamic = note.getDynamic().begin();
    for (int64_t number : note.getNumbers())
      numbers.push_back(ShapedType::isDynamic(number) ? *dynamic++ : i64(number));
  }

  MemoryBounds emit() {
    MemoryBounds memory = bounds();
    if (!note->getParentOfType<func::FuncOp>())
      return memory;
    for (auto [number, extent] : llvm::zip(note.getNumbers(), extents()))
      if (number <= 0) { // an empty tensor has no memory
        Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, extent, i64(0));
        memory.high = arith::SelectOp::create(b, some, memory.high, memory.low);
      }
    static_assert(sizeof(FairleadTensorTable) == 3 * sizeof(int64_t));
    const auto words = static_cast<int32_t>(3 + numbers.size());
    memory.table = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                          b.getI64Type(), lower::i32Constant(b, words));
    return memory;
  }

  void fill(const MemoryBounds &memory) {
    const auto rank = static_cast<int64_t>(extents().size()),
               bits = static_cast<int64_t>(note.getBits());
    SmallVector<Value> words{name(), memory.low, i64(rank << 32 | bits)};
    words.append(numbers);
    for (auto [at, word] : llvm::enumerate(words)) {
      Value place = LLVM::GEPOp::create(b, memory.table.getType(), b.getI64Type(), memory.table,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
      LLVM::StoreOp::create(b, word, place);
    }
  }

  void fillAtBegin(Block *block, const MemoryBounds &memory) {
    b.setInsertionPointToStart(block);
    fill(memory);
  }

private:
  ArrayRef<Value> extents() { return ArrayRef(numbers).take_front(numbers.size() / 2); }
  ArrayRef<Value> strides() { return ArrayRef(numbers).drop_front(numbers.size() / 2); }

  Value i64(int64_t number) { return lower::i64Constant(b, number); }
  template <typename Op> Value fold(Value left, Value right) {
    return b.createOrFold<Op>(left, right);
  }

  /// With an extent of 0 they may be wrong.
  MemoryBounds bounds() {
    Value zero = i64(0), one = i64(1), first = zero, last = zero;
    const ArrayRef<int64_t> steps = note.getNumbers().drop_front(numbers.size() / 2);
    for (auto [extent, stride, step] : llvm::zip(extents(), strides(), steps)) {
      Value reach = fold<arith::MulIOp>(fold<arith::SubIOp>(extent, one), stride);
      if (step < 0) { // or dynamic
        first = fold<arith::AddIOp>(first, fold<arith::MinSIOp>(reach, zero));
        reach = fold<arith::MaxSIOp>(reach, zero);
      }
      last = fold<arith::AddIOp>(last, reach);
    }
    if (note.getGaps())
      for (auto [extent, stride] : llvm::zip(extents(), strides())) {
        Value next = fold<arith::MulIOp>(extent, stride);
        last = fold<arith::MaxSIOp>(last, fold<arith::SubIOp>(next, one));
      }
    return {bytes(first, 0), bytes(fold<arith::AddIOp>(last, one), 7), {}};
  }

  /// The bytes of so many elements; `round` is added to their bits.
  Value bytes(Value elements, int64_t round) {
    const auto bits = static_cast<int64_t>(note.getBits());
    if (bits % 8 == 0)
      return fold<arith::MulIOp>(elements, i64(bits / 8));
    Value all = fold<arith::AddIOp>(fold<arith::MulIOp>(elements, i64(bits)), i64(round));
    return fold<arith::ShRSIOp>(all, i64(3));
  }

  /// The address of the tensor's name in messages.
  Value name() {
    if (nameAddress)
      return nameAddress;
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPoint(note);
    auto module = note->getParentOfType<ModuleOp>();
    std::string symbol;
    for (int number = 0; symbol.empty() || module.lookupSymbol(symbol); ++number)
      symbol = "tensor_" + std::to_string(number);
    return nameAddress = ir::textAddress(b, note.getLoc(), module, symbol, note.getTensor());
  }

  ir::TensorOp note;
  ImplicitLocOpBuilder b;
  SmallVector<Value> numbers; ///< the extents, then the strides
  Value nameAddress;
};

} // namespace

MemoryBounds emitMemory(ir::TensorOp note) { return NotedTensor(note).emit(); }

void fillTable(ir::TensorOp note, const MemoryBounds &memory) {
  llvm::SmallSetVector<Block *, 2> blocks;
  for (Operation *user : memory.table.getUsers())
    blocks.insert(user->getBlock());
  NotedTensor tensor(note);
  if (blocks.contains(note->getBlock()))
    return tensor.fill(memory);
  for (Block *block : blocks) // branches, which few calls take
    tensor.fillAtBegin(block, memory);
}

} // namespace fairlead::check
