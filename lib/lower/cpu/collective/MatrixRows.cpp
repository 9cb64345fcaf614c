#include "lower/cpu/collective/MatrixRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {

Value rowAddress(FissionBuilder &warp, Value table, int lane) {
  ImplicitLocOpBuilder &b = warp.b;
  Value number = warp.loadElement(table, b.getI64Type(), warp.i32(lane));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), number);
}

/// Rows are in the block's shared memory: one shuffle of 32 bits brings their offset, where an
/// address would take two.
Value rowOfLane(ThreadBuilder &thread, Value row, Value lane) {
  ImplicitLocOpBuilder &b = thread.b;
  Value shared = LLVM::PtrToIntOp::create(b, b.getI64Type(), thread.shared());
  Value offset = arith::TruncIOp::create(b, b.getI32Type(), arith::SubIOp::create(b, row, shared));
  Value other = thread.wait(kFairleadWaitShuffleIndex, i32Constant(b, -1), offset, lane,
                            i32Constant(b, kWarpThreads - 1));
  return arith::AddIOp::create(b, shared, arith::ExtSIOp::create(b, b.getI64Type(), other));
}

/// Guards the access to a row in each of the first `rows` lanes of a warp.
static void guardRow(Operation *op, Value row, int bytes, int rows, CheckBuilder &checks) {
  ImplicitLocOpBuilder &b = checks.b;
  Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
  Value gives = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lane, i32Constant(b, rows));
  auto branch = scf::IfOp::create(b, gives, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard before(b);
  b.setInsertionPointToStart(branch.thenBlock());
  checks.guard(op, row, checks.i64(bytes));
}

void tellRows(Operation *op, Value row, int bytes, int rows, int kind, CheckBuilder &checks) {
  if (checks.guards)
    return guardRow(op, row, bytes, rows, checks);
  if (!checks.orders())
    return;
  Value address = LLVM::IntToPtrOp::create(checks.b, checks.pointer, row);
  checks.tellAccess(op, ir::MemoryRoot::of(row), address,
                    kind | kFairleadCheckRows | bytes << 8 | rows << 24);
}

Value pick(ImplicitLocOpBuilder &b, Value first, Value second, ArrayRef<int32_t> order) {
  return LLVM::ShuffleVectorOp::create(b, first, second, b.getDenseI32ArrayAttr(order));
}

Value joined(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors) {
  SmallVector<Value> parts(vectors);
  while (parts.size() > 1) {
    SmallVector<Value> next;
    auto length = static_cast<int32_t>(cast<VectorType>(parts[0].getType()).getNumElements());
    SmallVector<int32_t> order(2 * length);
    for (int32_t i = 0; i < 2 * length; ++i)
      order[i] = i;
    for (size_t i = 0; i < parts.size(); i += 2)
      next.push_back(pick(b, parts[i], parts[i + 1], order));
    parts = std::move(next);
  }
  return parts.front();
}

Value part(ImplicitLocOpBuilder &b, Value vector, int64_t begin, int64_t count) {
  SmallVector<int32_t> order;
  for (int64_t i = 0; i < count; ++i)
    order.push_back(static_cast<int32_t>(begin + i));
  return pick(b, vector, vector, order);
}

} // namespace fairlead::lower
