/// MMA instructions of a warpgroup (wgmma), and their order among other instructions.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "fairlead/dsl/atom/TiledMma.h"
#include "fairlead/layout/Text.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// True if wgmma adds up such products in this type.
bool canAddUp(DType a, DType accumulator) {
  if (isByte(a))
    return accumulator == DType::Int32;
  return accumulator == DType::Float32 ||
         (accumulator == DType::Float16 && (a == DType::Float16 || isFloat8(a)));
}

/// Return the layout of A in the registers of a warpgroup, by the width of its elements.
const char *warpgroupRegisters(int bits) {
  return bits == 16  ? "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"
         : bits == 8 ? "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"
                     : "((4,8,4),(2,2)):((64,1,16),(8,256))";
}

class WarpgroupMma final : public MmaInstruction {
public:
  explicit WarpgroupMma(const MmaAtom::Warpgroup &operands) : operands(operands) {}

  void require(const MmaAtom &atom) const final {
    constexpr int kHopper = 90;
    const std::string what = "the MMA atom " + atom.name;
    Program::current()->requireCapability(kHopper, what);
    Program::current()->requireFeature(GpuFeature::WarpgroupMma, what);
  }

  MmaMemory memoryOf(MmaOperand operand) const final {
    const bool registers =
        operand == MmaOperand::C || (operand == MmaOperand::A && operands.aInRegisters);
    return registers ? MmaMemory::Registers : MmaMemory::Shared;
  }
  bool canOverwrite() const final { return true; }
  bool isTransposed(MmaOperand operand) const final {
    return operand == MmaOperand::A ? operands.aTransposed : operands.bTransposed;
  }

  void multiply(const MmaTiles &tiles, int64_t k) const final {
    const MmaAtom &atom = tiles.atom;
    OpBuilder &b = tiles.impl.builder;
    tiles.multiplyEach(k, [&](const MmaTiles::Product &product) {
      SmallVector<mlir::Value> sums =
          loadRegisters(tiles.impl, tiles.c, product.place, tiles.sum.values, /*vectors=*/true);
      SmallVector<mlir::Type> types(sums.size(), registerType(b, atom.c));
      auto op = ir::WarpgroupMmaOp::create(
          b, b.getUnknownLoc(), types, atom.shape[1], *productType(atom.c), *productType(atom.a),
          *productType(atom.b), sums, product.a, product.b, product.added, operands.aTransposed,
          operands.bTransposed);
      storeRegisters(tiles.impl, tiles.d, product.place, op.getUpdated(), /*vectors=*/true);
    });
  }

private:
  const MmaAtom::Warpgroup operands;
};

} // namespace

MmaAtom MmaAtom::ofWarpgroup(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                             const Warpgroup &operands, SourceLoc at) {
  AtSourceLoc placed(at);
  auto [m, n, k] = shape;
  const std::string product = productName(shape, accumulator, a, b);
  if (!canMultiply(a, b) || !canAddUp(a, accumulator))
    throw makeError(
        Diagnostic::MmaTypes,
        {{"mma", "a warpgroup's MMA"},
         {"types",
          "Float16 with Float16 or Float32 accumulators, BFloat16 or TFloat32 with Float32, "
          "floats of 8 bits with Float16 or Float32, Int8 and Uint8 with Int32"},
         {"got", product}});
  const int bits = bitWidth(a), least = 256 / bits;
  bool integers = isByte(a);
  bool hasN = n >= 8 && n <= 256 && n % 8 == 0 && (!integers || n == 8 || n == 24 || n % 16 == 0);
  if (m != 64 || k != least || !hasN)
    throw makeError(Diagnostic::MmaShape,
                    {{"m", "64"},
                     {"k", std::to_string(least)},
                     {"mma", "a warpgroup's MMA of " + std::string(className(a))},
                     {"steps", integers ? "16 (or 8 or 24)" : "8"},
                     {"got", product}});
  auto major = [](bool transposed) { return transposed ? "an MN-major " : "a K-major "; };
  const std::string majors =
      product + " of " + major(operands.aTransposed) + "A and " + major(operands.bTransposed) + "B";
  if (bits != 16 && (operands.aTransposed || operands.bTransposed))
    throw makeError(Diagnostic::MmaMajorMode, {{"types", "of elements that are not of 16 bits"},
                                               {"mma", "a warpgroup's MMA"},
                                               {"got", majors}});
  if (operands.aInRegisters && operands.aTransposed)
    throw makeError(Diagnostic::MmaMajorInRegisters, {{"got", majors}});
  auto flat = [](int rows, int columns) {
    return *layout::Layout::make(layout::tuple(128, layout::tuple(rows, columns)),
                                 layout::tuple(0, layout::tuple(1, rows)));
  };
  layout::Layout c =
      *layout::Layout::make(layout::tuple(layout::tuple(4, 8, 4), layout::tuple(2, 2, n / 8)),
                            layout::tuple(layout::tuple(128, 1, 16), layout::tuple(64, 8, 512)));
  // By PTX's names of types.
  auto name = [](DType type) { return "." + stringifyProductType(*productType(type)).str(); };
  return MmaAtom{shapeName(shape) + name(accumulator) + name(a) + name(b),
                 shape,
                 a,
                 b,
                 accumulator,
                 *layout::parseLayout("128:1"),
                 operands.aInRegisters ? *layout::parseLayout(warpgroupRegisters(bits))
                                       : flat(m, k),
                 flat(n, k),
                 c,
                 std::make_shared<WarpgroupMma>(operands)};
}

//===--- order ---------------------------------------------------------------------------------===

/// Returns the builder for an instruction of warpgroups. `what` names it in errors.
static OpBuilder &warpgroupBuilder(const char *what) {
  OpBuilder &b = kernelImpl(what).builder;
  Program::current()->requireFeature(GpuFeature::WarpgroupMma, what);
  return b;
}

void warpgroupFence(SourceLoc at) {
  AtSourceLoc placed(at);
  OpBuilder &b = warpgroupBuilder("a fence of a warpgroup");
  NVVM::WgmmaFenceAlignedOp::create(b, b.getUnknownLoc());
}
void warpgroupCommit(SourceLoc at) {
  AtSourceLoc placed(at);
  OpBuilder &b = warpgroupBuilder("a group of a warpgroup's instructions");
  NVVM::WgmmaGroupSyncAlignedOp::create(b, b.getUnknownLoc());
}
void warpgroupWait(int groups, SourceLoc at) {
  AtSourceLoc placed(at);
  constexpr int kMost = 7;
  if (groups < 0 || groups > kMost)
    throw makeError(Diagnostic::WaitGroups, {{"expected", "0 to 7 groups"},
                                             {"function", "wait_group"},
                                             {"got", std::to_string(groups)}});
  OpBuilder &b = warpgroupBuilder("waiting for a warpgroup's instructions");
  NVVM::WgmmaWaitGroupSyncOp::create(b, b.getUnknownLoc(), groups);
}

} // namespace fairlead::dsl
