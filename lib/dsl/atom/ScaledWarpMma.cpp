/// Products of a warp whose operands have scale factors in registers (mma.sync with block scaling).
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "dsl/memory/ElementAccess.h"
#include "fairlead/layout/Text.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr int kScaledRows = 16, kScaledColumns = 8;

class ScaledWarpMma final : public MmaInstruction {
public:
  ScaledWarpMma(DType a, DType b, const MmaAtom::Scales &scales) : a(a), b(b), scales(scales) {}

  void require(const MmaAtom &atom) const final {
    Program::current()->requireFeature(GpuFeature::WarpBlockScale, "the MMA atom " + atom.name);
  }
  bool hasScaleFragments() const final { return true; }

  void multiply(const MmaTiles &tiles, int64_t k) const final {
    const MmaAtom &atom = tiles.atom;
    OpBuilder &builder = tiles.impl.builder;
    const ScaleFragment left = fragmentOf(tiles, tiles.scales.fragmentOfA, tiles.left, "SFA");
    const ScaleFragment right = fragmentOf(tiles, tiles.scales.fragmentOfB, tiles.right, "SFB");
    MmaTiles::Operands ofA = tiles.registersOf(tiles.left, k);
    MmaTiles::Operands ofB = tiles.registersOf(tiles.right, k);
    tiles.inOrder([&](int64_t m, int64_t n) {
      const int64_t place = tiles.sum.at(m, n);
      SmallVector<mlir::Value> operands = ofA[m];
      operands.append(ofB[n]);
      SmallVector<mlir::Value> added = loadRegisters(tiles.impl, tiles.c, place, tiles.sum.values);
      operands.append(added);
      operands.push_back(left.word(tiles.impl, m, k));
      operands.push_back(right.word(tiles.impl, n, k));
      SmallVector<mlir::Type> types(added.size(), registerType(builder, atom.c));
      const auto scaleType =
          scales.type == DType::Float8E8M0FNU ? ir::ScaleType::UE8M0 : ir::ScaleType::UE4M3;
      auto op = ir::ScaledMmaOp::create(
          builder, builder.getUnknownLoc(), types, static_cast<ir::ScaledMmaKind>(scales.kind),
          *productType(a), *productType(b), scaleType, scales.vector, operands);
      storeRegisters(tiles.impl, tiles.d, place, op.getSums());
    });
  }

private:
  /// Scale factors in registers: (values, tiles, K). `vector` values share a factor.
  struct ScaleFragment {
    const Tensor &tensor;
    int64_t values, tiles;
    int vector;

    /// Return the factors of a tile at a step of K, the first one in the lowest byte.
    mlir::Value word(Program::Impl &impl, int64_t tile, int64_t step) const {
      OpBuilder &b = impl.builder;
      Location loc = b.getUnknownLoc();
      mlir::Value word;
      for (int64_t factor = 0; factor < values / vector; ++factor) {
        const layout::Int element(values * (tile + tiles * step) + factor * vector);
        mlir::Value bits = LLVM::LoadOp::create(
            b, loc, b.getI8Type(), emitAddress(impl, tensor.pointer(), offsetOf(tensor, element)));
        bits = arith::ExtUIOp::create(b, loc, b.getI32Type(), bits);
        if (factor)
          bits =
              arith::ShLIOp::create(b, loc, bits, emitIntConstant(impl, DType::Int32, 8 * factor));
        word = word ? arith::OrIOp::create(b, loc, word, bits).getResult() : bits;
      }
      return word;
    }
  };

  ScaleFragment fragmentOf(const MmaTiles &tiles, const std::optional<Tensor> &tensor,
                           const Fragment &operand, const char *name) const {
    auto reject = [&](const std::string &memory, const std::string &got) {
      throw makeError(
          Diagnostic::MmaOperandMemory,
          {{"memory", memory}, {"operand", name}, {"atom", tiles.atom.name}, {"got", got}});
    };
    const std::string expected = "registers of " + std::string(className(scales.type)) +
                                 ", given together with the operand,";
    if (!tensor)
      reject(expected, "none");
    if (tensor->isCoordinates() || tensor->space() != AddressSpace::Register ||
        tensor->dtype() != scales.type)
      reject(expected, tensor->str());
    const int64_t depth = tiles.atom.shape[2];
    const layout::Int size = layout::size(tensor->layout());
    if (!size.isStatic() || size.value() != depth * operand.tiles * operand.steps)
      reject(std::to_string(depth) + " values, of which " + std::to_string(scales.vector) +
                 " share a scale factor, for each product along M or N and K",
             tensor->str());
    return {*tensor, depth, operand.tiles, scales.vector};
  }

  const DType a, b;
  const MmaAtom::Scales scales;
};

} // namespace

MmaAtom MmaAtom::scaledWarp(DType a, DType b, const Scales &scales, SourceLoc at) {
  AtSourceLoc placed(at);
  const bool isOfFour = scales.kind != ScaledKind::MXF8F6F4;
  const std::array<int, 3> shape{kScaledRows, kScaledColumns, isOfFour ? 64 : 32};
  const std::string name =
      instructionName<ir::ScaledMmaOp>() + "." +
      stringifyScaledMmaKind(static_cast<ir::ScaledMmaKind>(scales.kind)).str();
  const std::string product = productName(shape, DType::Float32, a, b);
  requireScaledTypes(name, product, a, b, scales);
  // The assembler has no such form.
  if (isOfFour && scales.vector == 16 && scales.type == DType::Float8E8M0FNU)
    throw makeError(Diagnostic::MmaTypes,
                    {{"mma", name},
                     {"types", "a scale factor Float8E4M3FN for each 16 elements"},
                     {"got", "Float8E8M0FNU for each 16"}});
  auto layout = [](const char *text) { return *layout::parseLayout(text); };
  // A register has floats of fewer bits in a byte each, unless both operands are packed.
  auto inRegisters = [&](DType type) {
    return !isOfFour && bitWidth(type) < 8 ? DType::Int8 : type;
  };
  return MmaAtom{
      name + "." + product,
      shape,
      inRegisters(a),
      inRegisters(b),
      DType::Float32,
      layout("32:1"),
      layout(isOfFour ? "((4,8),(8,2,2)):((128,1),(16,8,512))"
                      : "((4,8),(4,2,2)):((64,1),(16,8,256))"),
      layout(isOfFour ? "((4,8),(8,2)):((64,1),(8,256))" : "((4,8),(4,2)):((32,1),(8,128))"),
      layout("((4,8),(2,2)):((32,1),(16,8))"),
      std::make_shared<ScaledWarpMma>(a, b, scales)};
}

} // namespace fairlead::dsl
