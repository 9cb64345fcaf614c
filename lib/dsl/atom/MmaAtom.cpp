#include "fairlead/dsl/atom/MmaAtom.h"

#include "dsl/atom/MmaInstruction.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/layout/Text.h"
#include "ir/Ops.h"

namespace fairlead::dsl {

MmaMemory MmaInstruction::memoryOf(MmaOperand) const { return MmaMemory::Registers; }
bool MmaInstruction::canOverwrite() const { return false; }
bool MmaInstruction::hasScales() const { return false; }
bool MmaInstruction::hasScaleFragments() const { return false; }
int MmaInstruction::elementBits(const MmaAtom &atom, MmaOperand operand) const {
  return bitWidth(operand == MmaOperand::A ? atom.a : atom.b);
}
bool MmaInstruction::isTransposed(MmaOperand) const { return false; }
int64_t MmaInstruction::descriptorBits() const { return 0; }
Tensor MmaInstruction::fragment(const MmaAtom &atom, MmaOperand operand,
                                const layout::IntTuple &shape) const {
  const DType type = operand == MmaOperand::A ? atom.a : operand == MmaOperand::B ? atom.b : atom.c;
  return registerTensor(type, layout::Layout(shape));
}

MmaMemory MmaAtom::memoryOf(MmaOperand operand) const { return instruction->memoryOf(operand); }
bool MmaAtom::canOverwrite() const { return instruction->canOverwrite(); }
bool MmaAtom::hasScales() const { return instruction->hasScales(); }
bool MmaAtom::hasScaleFragments() const { return instruction->hasScaleFragments(); }

std::string shapeName(const std::array<int, 3> &shape) {
  auto [m, n, k] = shape;
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

std::string productName(const std::array<int, 3> &shape, DType c, DType a, DType b) {
  return shapeName(shape) + "." + elementName(c) + "." + elementName(a) + "." + elementName(b);
}

namespace {

/// One multiply-add of one thread.
class UniversalMma final : public MmaInstruction {
public:
  explicit UniversalMma(DType computeType) : computeType_(computeType) {}

  void require(const MmaAtom &) const final {}

  void multiply(const MmaTiles &tiles, int64_t k) const final {
    Scalars a = elementsOf(tiles.left, k), b = elementsOf(tiles.right, k);
    tiles.alternating([&](int64_t m, int64_t n) {
      Scalar place(tiles.sum.at(m, n));
      Scalar sum = a[m] * b[n] + cast(tiles.c.load({place}), computeType_);
      tiles.d.store({place}, cast(sum, tiles.d.dtype()));
    });
  }

private:
  Scalars elementsOf(const Fragment &fragment, int64_t k) const {
    Scalars values;
    for (int64_t tile = 0; tile < fragment.tiles; ++tile)
      values.push_back(cast(fragment.tensor.load({Scalar(fragment.at(tile, k))}), computeType_));
    return values;
  }

  DType computeType_;
};

} // namespace

MmaAtom MmaAtom::universal(DType type, DType computeType, SourceLoc at) {
  AtSourceLoc placed(at);
  layout::Layout one = *layout::parseLayout("(1,1):(0,0)");
  return MmaAtom{"universal." + elementName(type),
                 {1, 1, 1},
                 type,
                 type,
                 type,
                 *layout::parseLayout("1:0"),
                 one,
                 one,
                 one,
                 std::make_shared<UniversalMma>(computeType)};
}

std::optional<ir::ProductType> productType(DType type) {
  using ir::ProductType;
  constexpr std::pair<DType, ProductType> kTypes[] = {
      {DType::Float16, ProductType::F16},       {DType::BFloat16, ProductType::BF16},
      {DType::TFloat32, ProductType::TF32},     {DType::Float8E4M3FN, ProductType::E4M3},
      {DType::Float8E5M2, ProductType::E5M2},   {DType::Float6E2M3FN, ProductType::E2M3},
      {DType::Float6E3M2FN, ProductType::E3M2}, {DType::Float4E2M1FN, ProductType::E2M1},
      {DType::Int8, ProductType::S8},           {DType::Uint8, ProductType::U8},
      {DType::Int4, ProductType::S4},           {DType::Float32, ProductType::F32},
      {DType::Float64, ProductType::F64},       {DType::Int32, ProductType::S32}};
  for (auto [dtype, productType] : kTypes)
    if (dtype == type)
      return productType;
  return std::nullopt;
}

} // namespace fairlead::dsl
