#include "fairlead/dsl/atom/MmaAtom.h"

#include "dsl/atom/MmaInstruction.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/layout/Text.h"

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
  void require(const MmaAtom &) const final {}

  void multiply(const MmaTiles &tiles, int64_t k) const final {
    Scalars a = elementsOf(tiles.left, k), b = elementsOf(tiles.right, k);
    tiles.alternating([&](int64_t m, int64_t n) {
      Scalar place(tiles.sum.at(m, n));
      tiles.d.store({place}, a[m] * b[n] + tiles.c.load({place}));
    });
  }

private:
  static Scalars elementsOf(const Fragment &fragment, int64_t k) {
    Scalars values;
    for (int64_t tile = 0; tile < fragment.tiles; ++tile)
      values.push_back(fragment.tensor.load({Scalar(fragment.at(tile, k))}));
    return values;
  }
};

} // namespace

MmaAtom MmaAtom::universal(DType type, SourceLoc at) {
  AtSourceLoc placed(at);
  static const auto *instruction = new std::shared_ptr<const MmaInstruction>(new UniversalMma);
  layout::Layout one = *layout::parseLayout("(1,1):(0,0)");
  return MmaAtom{"universal." + elementName(type), {1, 1, 1}, type, type, type,
                 *layout::parseLayout("1:0"),      one,       one,  one,  *instruction};
}

} // namespace fairlead::dsl
