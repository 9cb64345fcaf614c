/// Indices that rewritten operations (CpuForm::Rewritten) compute.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "ir/Attributes.h"
#include "lower/common/Calls.h"
#include "lower/common/Divergence.h"

namespace fairlead::lower {

/// Creates an index operation of the GPU dialect, as i32.
template <typename Op>
mlir::Value readIndex(mlir::ImplicitLocOpBuilder &b, mlir::gpu::Dimension dimension) {
  return mlir::arith::IndexCastOp::create(b, b.getI32Type(), Op::create(b, dimension));
}

/// Returns the thread's index in its block, x fastest.
inline mlir::Value linearThread(mlir::ImplicitLocOpBuilder &b) {
  using mlir::Value;
  using mlir::gpu::BlockDimOp, mlir::gpu::Dimension, mlir::gpu::ThreadIdOp;
  auto times = [&](Value x, Value y) -> Value { return mlir::arith::MulIOp::create(b, x, y); };
  auto plus = [&](Value x, Value y) -> Value { return mlir::arith::AddIOp::create(b, x, y); };
  Value height = readIndex<BlockDimOp>(b, Dimension::y);
  Value planes = times(height, readIndex<ThreadIdOp>(b, Dimension::z));
  Value rows = plus(readIndex<ThreadIdOp>(b, Dimension::y), planes);
  Value before = times(readIndex<BlockDimOp>(b, Dimension::x), rows);
  return plus(readIndex<ThreadIdOp>(b, Dimension::x), before);
}

/// Emits the part of an operation that only one thread of the warp executes, though every lane
/// reaches it: the thread that the program chose, or the first one.
template <typename Body>
void byOneLane(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b, const Body &body) {
  if (op->hasAttr(ir::kChosenThreadAttribute))
    return body();
  mlir::Value lane =
      mlir::arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
  mlir::Value first =
      mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::eq, lane, i32Constant(b, 0));
  auto branch = mlir::scf::IfOp::create(b, first, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Replaces an operation with one result by a value.
inline void replaceBy(mlir::Operation *op, mlir::Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

} // namespace fairlead::lower
