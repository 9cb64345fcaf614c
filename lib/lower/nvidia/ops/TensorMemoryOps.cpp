#include "lower/nvidia/ops/AtomOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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
/// The distance of the second half's columns from the first half's (", 32"), or no text.
template <typename Op> std::string distanceOf(Op op, size_t registers) {
  if (!isOfTwoHalves(op))
    return "";
  return ", " + std::to_string(op.getHalves() ? 2 * registers : registers);
}

bool isAssembly(Operation *op, StringRef instruction) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().starts_with(instruction);
}

/// True if an operation cannot tell other threads that earlier loads are done.
bool isOwnWork(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return !store.getVolatile_() && store.getOrdering() == LLVM::AtomicOrdering::not_atomic;
  return isMemoryEffectFree(op) || isa<ir::TensorMemoryLoadOp>(op) ||
         isAssembly(op, "tcgen05.ld.sync");
}

/// Waits for a load before the next operation that can tell other threads of it. Instructions that
/// only read the registers wait by themselves: a wait before them would keep the registers of all
/// loads alive at once.
void waitAfter(Operation *load, ImplicitLocOpBuilder &b) {
  Operation *next = load->getNextNode();
  while (next->getNextNode() && isOwnWork(next))
    next = next->getNextNode();
  constexpr char kWait[] = "tcgen05.wait::ld.sync.aligned;";
  auto wait = dyn_cast<ir::TensorMemoryWaitOp>(next);
  if ((wait && wait.getAccess() == ir::TensorMemoryAccess::Loads) || isAssembly(next, kWait) ||
      (next->getPrevNode() && isAssembly(next->getPrevNode(), kWait)))
    return;
  OpBuilder::InsertionGuard before(b);
  b.setInsertionPoint(next);
  Assembly(b).emit(kWait);
}

void lowerOp(ir::TensorMemoryLoadOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  SmallVector<std::string> registers;
  for (Type type : op.getRegisters().getTypes())
    registers.push_back(assembly.result(type));
  std::string memory = assembly.operand(op.getMemory());
  op->replaceAllUsesWith(assembly.emit(
      "tcgen05.ld.sync.aligned." + shapeOf(op, registers.size(), ".pack::16b") + " {" +
      joined(registers) + "}, [" + memory + "]" + distanceOf(op, registers.size()) + ";"));
  waitAfter(op, b);
}

void lowerOp(ir::TensorMemoryExtremeLoadOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  const std::string extreme = assembly.result(op.getFound().getType());
  SmallVector<std::string> registers;
  for (Type type : op.getRegisters().getTypes())
    registers.push_back(assembly.result(type));
  op->replaceAllUsesWith(assembly.emit(
      "tcgen05.ld.red.sync.aligned.32x32b.x" + std::to_string(registers.size()) + "." +
      stringifyExtreme(op.getExtreme()).str() + ".f32 {" + joined(registers) + "}, " + extreme +
      ", [" + assembly.operand(op.getMemory()) + "]; tcgen05.wait::ld.sync.aligned;"));
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
  case ir::ProductType::E2M3:
    return 3;
  case ir::ProductType::E3M2:
    return 4;
  case ir::ProductType::E2M1:
    return 5;
  default:
    return 0;
  }
}

/// Return the word that encodes the extents and types of the operands.
uint32_t instructionDescriptor(ir::TensorMemoryMmaOp op) {
  return numberOf(op.getDType()) << 4 | numberOf(op.getAType()) << 7 |
         numberOf(op.getBType()) << 10 | uint32_t(op.getATransposed()) << 15 |
         uint32_t(op.getBTransposed()) << 16 | op.getN() >> 3 << 17 | op.getM() >> 4 << 24;
}

void lowerOp(ir::TensorMemoryMmaOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  Value flag = arith::ExtUIOp::create(b, b.getI32Type(), op.getAdded());
  Value word = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(instructionDescriptor(op))));
  SmallVector<std::string> operands{"[" + assembly.operand(op.getD()) + "]"};
  const std::string a = assembly.operand(op.getA());
  operands.push_back(op.isAInTensorMemory() ? "[" + a + "]" : a);
  for (Value value : {Value(op.getB()), word})
    operands.push_back(assembly.operand(value));
  operands.emplace_back("added");
  assembly.emit("{ .reg .pred added; setp.ne.b32 added, " + assembly.operand(flag) + ", 0; " +
                byOne(op, "tcgen05.mma" + groupOf(op.getGroup()) +
                              ".kind::" + stringifyTensorMemoryMmaKind(op.getKind()).str() + " " +
                              joined(operands)) +
                " }");
}

//===--- scaled products
//-----------------------------------------------------------------------===//

/// Return the number of an element type in the instruction descriptor of a scaled product.
uint32_t numberOf(ir::ScaledMmaKind kind, ir::ProductType type) {
  return kind == ir::ScaledMmaKind::MXF8F6F4 ? numberOf(type) : 1;
}

/// Return the instruction descriptor. The highest bits of the addresses of scale factors are its
/// only fields that are not constant.
Value instructionDescriptor(ir::TensorMemoryScaledMmaOp op, ImplicitLocOpBuilder &b) {
  const uint32_t constant =
      numberOf(op.getKind(), op.getAType()) << 7 | numberOf(op.getKind(), op.getBType()) << 10 |
      uint32_t(op.getATransposed()) << 15 | uint32_t(op.getBTransposed()) << 16 |
      op.getN() >> 3 << 17 | static_cast<uint32_t>(op.getScaleType()) << 23 | op.getM() >> 7 << 27 |
      uint32_t(op.getK() == 96) << 31;
  auto number = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto byteAt = [&](Value scales, uint32_t bit) -> Value {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), scales);
    Value byte = arith::ShRUIOp::create(b, address, number(30));
    return arith::ShLIOp::create(b, byte, number(bit));
  };
  Value bytes = arith::OrIOp::create(b, byteAt(op.getScalesA(), 29), byteAt(op.getScalesB(), 4));
  return arith::OrIOp::create(b, bytes, number(constant));
}

/// "scale_vec::2X": the scale factors of a row. Only "block32" and "block16" say it for K of 96 and
/// for families.
std::string scalesOf(ir::TensorMemoryScaledMmaOp op) {
  if (op.getK() == 96 || op->getParentOfType<gpu::GPUModuleOp>()->hasAttr(kForFamily))
    return "block" + std::to_string(op.getVector());
  return "scale_vec::" + std::to_string(op.getK() / op.getVector()) + "X";
}

void lowerOp(ir::TensorMemoryScaledMmaOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  Value flag = arith::ExtUIOp::create(b, b.getI32Type(), op.getAdded());
  Value word = instructionDescriptor(op, b);
  SmallVector<std::string> operands{"[" + assembly.operand(op.getD()) + "]"};
  for (Value value : {Value(op.getA()), Value(op.getB()), word})
    operands.push_back(assembly.operand(value));
  for (Value scales : {op.getScalesA(), op.getScalesB()})
    operands.push_back("[" + assembly.operand(scales) + "]");
  operands.emplace_back("added");
  assembly.emit("{ .reg .pred added; setp.ne.b32 added, " + assembly.operand(flag) + ", 0; " +
                byOne(op, "tcgen05.mma" + groupOf(op.getGroup()) +
                              ".kind::" + stringifyScaledMmaKind(op.getKind()).str() +
                              ".block_scale." + scalesOf(op) + " " + joined(operands)) +
                " }");
}

StringRef shapeOf(ir::TensorMemoryCopyShape shape) {
  switch (shape) {
  case ir::TensorMemoryCopyShape::Rows128x256:
    return "128x256b";
  case ir::TensorMemoryCopyShape::Rows4x256:
    return "4x256b";
  case ir::TensorMemoryCopyShape::Rows128x128:
    return "128x128b";
  case ir::TensorMemoryCopyShape::Rows64x128Of02And13:
    return "64x128b.warpx2::02_13";
  case ir::TensorMemoryCopyShape::Rows64x128Of01And23:
    return "64x128b.warpx2::01_23";
  case ir::TensorMemoryCopyShape::Rows32x128:
    return "32x128b.warpx4";
  }
  llvm_unreachable("a shape of a copy to tensor memory");
}

void lowerOp(ir::TensorMemoryCopyOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string memory = assembly.operand(op.getMemory());
  assembly.emit(byOne(op, "tcgen05.cp" + groupOf(op.getGroup()) + "." +
                              shapeOf(op.getShape()).str() + " [" + memory + "], " +
                              assembly.operand(op.getSource())));
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
  return lowerOneOf<ir::TensorMemoryLoadOp, ir::TensorMemoryExtremeLoadOp, ir::TensorMemoryStoreOp,
                    ir::TensorMemoryMmaOp, ir::TensorMemoryScaledMmaOp, ir::TensorMemoryCopyOp,
                    ir::TensorMemoryCommitOp>(op, [&](auto matched) { lowerOp(matched, b); });
}

} // namespace fairlead::lower
