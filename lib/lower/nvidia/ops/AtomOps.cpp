#include "lower/nvidia/ops/AtomOps.h"

#include <algorithm>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "dsl/atom/WarpMma.h"
#include "ir/Attributes.h"
#include "ir/Ops.h"
#include "lower/nvidia/ops/Assembly.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class AtomLowering {
public:
  explicit AtomLowering(MLIRContext *context) : b(UnknownLoc::get(context), context) {}

  void lower(Operation *op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    if (auto mma = dyn_cast<ir::MmaOp>(op))
      lowerMma(mma);
    else if (auto scaled = dyn_cast<ir::ScaledMmaOp>(op))
      lowerScaledMma(scaled);
    else if (auto load = dyn_cast<ir::LoadMatrixOp>(op))
      lowerLoad(load);
    else if (auto bytes = dyn_cast<ir::LoadByteMatrixOp>(op))
      lowerByteLoad(bytes);
    else if (auto store = dyn_cast<ir::StoreMatrixOp>(op))
      lowerStore(store);
    else if (auto extreme = dyn_cast<ir::WarpExtremeOp>(op))
      lowerExtreme(extreme);
    else if (auto dot = dyn_cast<ir::DotPairsOp>(op))
      lowerDot(dot);
    else if (auto instruction = dyn_cast<ir::PtxInstruction>(op))
      lowerPtx(instruction);
    else if (auto address = dyn_cast<LLVM::IntToPtrOp>(op))
      lowerGlobalAddress(address);
    else if (!lowerAsyncOp(op, b))
      lowerTensorMemoryOp(op, b);
  }

  int leastPtx = 0;

private:
  /// Returns the intrinsic's type of a register: pairs of Float16 are vectors.
  Type intrinsicType(ir::ProductType type, Type registerType) {
    return type == ir::ProductType::F16 ? Type(VectorType::get({2}, b.getF16Type())) : registerType;
  }
  Value converted(Value value, Type type) {
    return value.getType() == type ? value : LLVM::BitcastOp::create(b, type, value).getResult();
  }

  void lowerMma(ir::MmaOp op) {
    const dsl::WarpMma &mma = dsl::WarpMma::of(op);
    leastPtx = std::max(leastPtx, mma.leastPtx);
    const size_t ofA = op.getRegistersOfA(), ofAB = ofA + op.getRegistersOfB();
    SmallVector<Value> operands;
    for (auto [index, value] : llvm::enumerate(op->getOperands())) {
      auto type = index < ofA ? op.getAType() : index < ofAB ? op.getBType() : op.getDType();
      operands.push_back(converted(value, intrinsicType(type, value.getType())));
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(intrinsicType(op.getDType(), type));
    auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    auto call = LLVM::CallIntrinsicOp::create(b, result, b.getStringAttr(mma.intrinsic), operands);
    replaceByParts(op, call.getResult(0));
  }

  void lowerScaledMma(ir::ScaledMmaOp op) {
    Assembly assembly(b);
    auto list = [&](auto values, auto add) {
      SmallVector<std::string> names;
      for (auto value : values)
        names.push_back(add(value));
      return "{" + joined(names) + "}";
    };
    auto operands = [&](ValueRange values) {
      return list(values, [&](Value value) { return assembly.operand(value); });
    };
    const ValueRange registers = op.getRegisters();
    std::string text = "mma.sync.aligned.m16n8k" + std::to_string(op.getK()) +
                       ".row.col.kind::" + stringifyScaledMmaKind(op.getKind()).str() +
                       ".block_scale.scale_vec::" + std::to_string(op.getK() / op.getVector()) +
                       "X.f32." + stringifyProductType(op.getAType()).str() + "." +
                       stringifyProductType(op.getBType()).str() + ".f32." +
                       stringifyScaleType(op.getScaleType()).str() + " ";
    text += list(op->getResultTypes(), [&](Type type) { return assembly.result(type); });
    text += ", " + operands(registers.take_front(4)) + ", " + operands(registers.slice(4, 2));
    text += ", " + operands(registers.slice(6, 4));
    for (Value scales : registers.take_back(2))
      text += ", " + operands(scales) + ", {0, 0}";
    op->replaceAllUsesWith(assembly.emit(text + ";"));
    op->erase();
  }

  /// Results are the parts of a struct.
  void replaceByParts(Operation *op, Value results) {
    for (auto [index, result] : llvm::enumerate(op->getResults())) {
      Value part = results;
      if (isa<LLVM::LLVMStructType>(results.getType()))
        part = LLVM::ExtractValueOp::create(b, results, static_cast<int64_t>(index));
      result.replaceAllUsesWith(converted(part, result.getType()));
    }
    op->erase();
  }

  /// Accesses through the pointer become those of global memory.
  void lowerGlobalAddress(LLVM::IntToPtrOp op) {
    constexpr unsigned kGlobal = 1;
    auto global = LLVM::LLVMPointerType::get(b.getContext(), kGlobal);
    Value pointer = LLVM::IntToPtrOp::create(b, global, op.getArg());
    op.replaceAllUsesWith(LLVM::AddrSpaceCastOp::create(b, op.getType(), pointer).getResult());
    op.erase();
  }

  Value sharedAddress(Value number) {
    constexpr unsigned kShared = 3;
    return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), kShared), number);
  }
  NVVM::MMALayout layoutOf(bool transposed) {
    return transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  }
  NVVM::LdStMatrixShapeAttr matrixShape(int rows = 8, int columns = 8) {
    return NVVM::LdStMatrixShapeAttr::get(b.getContext(), rows, columns);
  }
  /// The type of the results: a word, or a struct of several.
  Type wordsOf(Operation *op) {
    Type word = b.getI32Type();
    SmallVector<Type> words(op->getNumResults(), word);
    return words.size() == 1 ? word : LLVM::LLVMStructType::getLiteral(b.getContext(), words);
  }

  void lowerLoad(ir::LoadMatrixOp op) {
    auto load = NVVM::LdMatrixOp::create(
        b, wordsOf(op), sharedAddress(op.getRow()), static_cast<uint32_t>(op->getNumResults()),
        layoutOf(op.getTransposed()), matrixShape(), NVVM::LdStMatrixEltType::B16);
    replaceByParts(op, load.getRes());
  }

  void lowerByteLoad(ir::LoadByteMatrixOp op) {
    using Elements = NVVM::LdStMatrixEltType;
    const Elements elements = op.getBits() == 8   ? Elements::B8
                              : op.getBits() == 6 ? Elements::B8X16_B6X16_P32
                                                  : Elements::B8X16_B4X16_P64;
    auto load = NVVM::LdMatrixOp::create(
        b, wordsOf(op), sharedAddress(op.getRow()), static_cast<uint32_t>(op.getMatrices()),
        layoutOf(op.getTransposed()), matrixShape(op.getRows(), /*columns=*/16), elements);
    replaceByParts(op, load.getRes());
  }

  void lowerStore(ir::StoreMatrixOp op) {
    NVVM::StMatrixOp::create(b, sharedAddress(op.getRow()), op.getRegisters(),
                             layoutOf(op.getTransposed()), matrixShape(),
                             NVVM::LdStMatrixEltType::B16);
    op->erase();
  }

  /// As text: ptxas refuses it for a GPU without the instruction (sm_110), and LLVM would crash.
  void lowerExtreme(ir::WarpExtremeOp op) {
    Assembly assembly(b);
    const std::string extreme = assembly.result(b.getF32Type());
    op->replaceAllUsesWith(assembly.emit("redux.sync." + stringifyExtreme(op.getExtreme()).str() +
                                         (op.getPropagatesNan() ? ".NaN" : "") + ".f32 " + extreme +
                                         ", " + assembly.operand(op.getNumber()) +
                                         ", 0xffffffff;"));
    op->erase();
  }

  void lowerDot(ir::DotPairsOp op) {
    auto floatOf = [&](Value bits) { return converted(bits, b.getF32Type()); };
    Value mask = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(-0x10000)),
          by = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(16)), x = op.getA(), y = op.getB();
    Value high = LLVM::FMAOp::create(b, floatOf(LLVM::AndOp::create(b, x, mask)),
                                     floatOf(LLVM::AndOp::create(b, y, mask)), op.getAddend());
    Value sum = LLVM::FMAOp::create(b, floatOf(LLVM::ShlOp::create(b, x, by)),
                                    floatOf(LLVM::ShlOp::create(b, y, by)), high);
    op->replaceAllUsesWith(ValueRange(sum));
    op->erase();
  }

  void lowerPtx(ir::PtxInstruction op) {
    Assembly assembly(b);
    for (Type type : op->getResultTypes())
      assembly.result(type);
    for (Value operand : op->getOperands())
      assembly.operand(operand);
    op->replaceAllUsesWith(assembly.emit(op.getPtx()));
    op->erase();
  }

  ImplicitLocOpBuilder b;
};

} // namespace

int lowerAtomOps(gpu::GPUModuleOp device) {
  SmallVector<Operation *> ops;
  AtomLowering lowering(device.getContext());
  device->walk([&](Operation *op) {
    if (auto requirements = dyn_cast<ir::TargetRequirements>(op))
      lowering.leastPtx = std::max(lowering.leastPtx, requirements.getLeastPtx());
    bool prefetches = isa<NVVM::CpAsyncOp>(op) && op->hasAttr(ir::kPrefetchedAttribute);
    bool isGlobal = isa<LLVM::IntToPtrOp>(op) && op->hasAttr(ir::kGlobalAttribute);
    if (isa<ir::FairleadDialect>(op->getDialect()) || isa<NVVM::BarrierArriveOp>(op) ||
        prefetches || isGlobal)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    lowering.lower(op);
  return lowering.leastPtx;
}

} // namespace fairlead::lower
