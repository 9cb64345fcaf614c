#include "lower/nvidia/ops/TensorMemoryOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "ir/Ops.h"
#include "lower/nvidia/ops/Assembly.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// ".cta_group::1"
std::string groupOf(ir::CtaGroup group) {
  return ".cta_group::" + std::to_string(static_cast<int>(group));
}

//===--- registers -----------------------------------------------------------------------------===

/// True if each half of the warp copies 16 lanes.
template <typename Op> bool isOfTwoHalves(Op op) {
  return op.getStepLanes() == 16 && op.getStepBits() == 32;
}

/// "32x32b.x4.b32": `registers` of each thread; `halves` marks copies of halves.
template <typename Op> std::string shapeOf(Op op, size_t registers, const char *halves) {
  constexpr size_t kWarpRegisterBits = 32 * 32;
  const uint32_t lanes = op.getStepLanes(), bits = op.getStepBits();
  const uint32_t parts = isOfTwoHalves(op) ? 2 : 1;
  return std::to_string(lanes) + "x" + std::to_string(bits) + (parts == 2 ? "bx2.x" : "b.x") +
         std::to_string(registers * kWarpRegisterBits / (lanes * bits * parts)) +
         (op.getHalves() ? halves : "") + ".b32";
}
/// The distance of the second half's columns from the first half's, if there are such: ", 32".
template <typename Op> std::string distanceOf(Op op, size_t registers) {
  if (!isOfTwoHalves(op))
    return "";
  return ", " + std::to_string(op.getHalves() ? 2 * registers : registers);
}

/// The wait is part of the assembly, because code that reads the registers depends only on it.
void lowerOp(ir::TensorMemoryLoadOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  SmallVector<std::string> registers;
  for (Type type : op.getRegisters().getTypes())
    registers.push_back(assembly.result(type));
  std::string memory = assembly.operand(op.getMemory());
  op->replaceAllUsesWith(
      assembly.emit("tcgen05.ld.sync.aligned." + shapeOf(op, registers.size(), ".pack::16b") +
                    " {" + joined(registers) + "}, [" + memory + "]" +
                    distanceOf(op, registers.size()) + "; tcgen05.wait::ld.sync.aligned;"));
}

void lowerOp(ir::TensorMemoryStoreOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string memory = assembly.operand(op.getMemory());
  SmallVector<std::string> registers;
  for (Value value : op.getRegisters())
    registers.push_back(assembly.operand(value));
  assembly.emit("tcgen05.st.sync.aligned." + shapeOf(op, registers.size(), ".unpack::16b") + " [" +
                memory + "]" + distanceOf(op, registers.size()) + ", {" + joined(registers) + "};");
}

//===--- products ------------------------------------------------------------------------------===

/// Return the number of an element type in the instruction descriptor.
uint32_t numberOf(ir::ProductType type) {
  switch (type) {
  case ir::ProductType::BF16:
  case ir::ProductType::E5M2:
  case ir::ProductType::S8:
  case ir::ProductType::F32:
    return 1;
  case ir::ProductType::TF32:
  case ir::ProductType::S32:
    return 2;
  default:
    return 0;
  }
}

/// Return the word that encodes the extents and types of the operands.
uint32_t instructionDescriptor(ir::TensorMemoryMmaOp op) {
  // Sums of integers saturate.
  const uint32_t saturated = op.getDType() == ir::ProductType::S32;
  return saturated << 3 | numberOf(op.getDType()) << 4 | numberOf(op.getAType()) << 7 |
         numberOf(op.getBType()) << 10 | uint32_t(op.getATransposed()) << 15 |
         uint32_t(op.getBTransposed()) << 16 | op.getN() >> 3 << 17 | op.getM() >> 4 << 24;
}

void lowerOp(ir::TensorMemoryMmaOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  Value flag = arith::ExtUIOp::create(b, b.getI32Type(), op.getAdded());
  Value word = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(instructionDescriptor(op))));
  SmallVector<std::string> operands{"[" + assembly.operand(op.getD()) + "]"};
  for (Value value : {Value(op.getA()), Value(op.getB()), word})
    operands.push_back(assembly.operand(value));
  operands.emplace_back("added");
  assembly.emit("{ .reg .pred added; setp.ne.b32 added, " + assembly.operand(flag) + ", 0; " +
                byOne(op, "tcgen05.mma" + groupOf(op.getGroup()) +
                              ".kind::" + stringifyTensorMemoryMmaKind(op.getKind()).str() + " " +
                              joined(operands)) +
                " }");
}

void lowerOp(ir::TensorMemoryCommitOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string barrier = " [" + assembly.operand(op.getBarrier()) + "]";
  std::string instruction =
      "tcgen05.commit" + groupOf(op.getGroup()) + ".mbarrier::arrive::one.shared::cluster";
  if (op.getBlocks())
    instruction += ".multicast::cluster.b64" + barrier + ", " + assembly.operand(op.getBlocks());
  else
    instruction += ".b64" + barrier;
  assembly.emit(byOne(op, instruction));
}

} // namespace

bool lowerTensorMemoryOp(Operation *op, ImplicitLocOpBuilder &b) {
  return lowerOneOf<ir::TensorMemoryLoadOp, ir::TensorMemoryStoreOp, ir::TensorMemoryMmaOp,
                    ir::TensorMemoryCommitOp>(op, [&](auto matched) { lowerOp(matched, b); });
}

} // namespace fairlead::lower
