/// Products of fragments.
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "dsl/memory/ElementAccess.h"
#include "fairlead/dsl/atom/TiledMma.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

std::string describe(const Tensor &tensor) { return tensor.str(); }

int64_t extentOf(const Tensor &tensor, int mode) {
  layout::Int size = layout::size(*layout::get(tensor.layout(), {mode}));
  if (!size.isStatic())
    throw makeError(Diagnostic::GemmShape, {{"got", describe(tensor)}});
  return size.value();
}

class Gemm {
public:
  Gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
       const Scalar &accumulate, const MmaScales &scales)
      : impl(currentImpl("gemm")), atom(atom), d(d), a(a), b(b), c(c), accumulate(accumulate),
        scales(scales) {
    atom.instruction->require(atom);
    check("A", a, MmaOperand::A, atom.a);
    check("B", b, MmaOperand::B, atom.b);
    check("C", c, MmaOperand::C, atom.c);
    check("D", d, MmaOperand::C, atom.c);
  }

  void run() {
    // Fragments of atoms of one value may lack the mode of values.
    bool bare = d.rank() == 2 && a.rank() == b.rank() && valuesOf(atom.layoutC) == 1;
    int first = bare ? 0 : 1;
    auto tilesOf = [&](const Tensor &tensor) {
      return tensor.rank() > first ? extentOf(tensor, first) : 1;
    };
    auto stepsOf = [&](const Tensor &tensor) {
      return tensor.rank() > first + 1 ? extentOf(tensor, first + 1) : 1;
    };
    Fragment left{a, valuesFor(a, MmaOperand::A), tilesOf(a), stepsOf(a)};
    Fragment right{b, valuesFor(b, MmaOperand::B), tilesOf(b), stepsOf(b)};
    Fragment sum{d, valuesOf(atom.layoutC), tilesOf(d), stepsOf(d)};
    bool fits = a.rank() == b.rank() && c.rank() == d.rank() && a.rank() <= first + 2 &&
                d.rank() <= first + 2 && (d.rank() == first + 2 || d.rank() == a.rank()) &&
                left.tiles == sum.tiles && left.steps == right.steps &&
                right.tiles == (d.rank() > first + 1 ? sum.steps : 1) &&
                (bare || (hasValues(a, left) && hasValues(b, right) && hasValues(d, sum)));
    if (!fits || layout::size(c.layout()) != layout::size(d.layout()))
      throw makeError(
          Diagnostic::GemmFragments,
          {{"atom", atom.name},
           {"expected", "(V, M, K) of A, (V, N, K) of B and (V, M, N) of C and D, with " +
                            std::to_string(left.values) + ", " + std::to_string(right.values) +
                            " and " + std::to_string(sum.values) + " values V"},
           {"d", describe(d)},
           {"a", describe(a)},
           {"b", describe(b)},
           {"c", describe(c)}});
    const MmaTiles tiles{impl, atom, c, d, left, right, sum, accumulate, scales};
    for (int64_t k = 0; k < left.steps; ++k)
      atom.instruction->multiply(tiles, k);
  }

private:
  static int valuesOf(const layout::Layout &side) {
    return static_cast<int>(layout::size(*layout::get(side, {1})).value());
  }
  /// A descriptor describes all values of an atom, and tensor memory may hold them twice.
  int valuesFor(const Tensor &tensor, MmaOperand operand) const {
    if (tensor.isCoordinates())
      return 1;
    const int values = valuesOf(operand == MmaOperand::A ? atom.layoutA : atom.layoutB);
    const bool isTwice =
        atom.memoryOf(operand) == MmaMemory::Tensor && extentOf(tensor, 0) == 2 * values;
    return isTwice ? 2 * values : values;
  }
  static bool hasValues(const Tensor &tensor, const Fragment &fragment) {
    return extentOf(tensor, 0) == fragment.values;
  }
  void check(const char *name, const Tensor &tensor, MmaOperand operand, DType type) const {
    switch (atom.memoryOf(operand)) {
    case MmaMemory::Registers:
      return checkSpace(name, tensor, AddressSpace::Register, "registers of ", type);
    case MmaMemory::Tensor:
      return checkSpace(name, tensor, AddressSpace::Tensor, "tensor memory of ", type);
    case MmaMemory::Shared:
      if (!tensor.isCoordinates() || layout::rank(tensor.origin()) != 2)
        reject("descriptors (make_fragment_" + std::string(name) + ")", name, tensor);
    }
  }
  void checkSpace(const char *name, const Tensor &tensor, AddressSpace space, const char *memory,
                  DType type) const {
    if (tensor.isCoordinates() || tensor.space() != space || tensor.dtype() != type)
      reject(memory + std::string(className(type)), name, tensor);
  }
  [[noreturn]] void reject(const std::string &memory, const char *operand,
                           const Tensor &tensor) const {
    throw makeError(
        Diagnostic::MmaOperandMemory,
        {{"memory", memory}, {"operand", operand}, {"atom", atom.name}, {"got", describe(tensor)}});
  }

  Program::Impl &impl;
  const MmaAtom &atom;
  const Tensor &d, &a, &b, &c;
  const Scalar &accumulate;
  const MmaScales &scales;
};

} // namespace

mlir::Value emitDescriptor(Program::Impl &impl, const layout::IntTuple &words) {
  OpBuilder &builder = impl.builder;
  Location loc = builder.getUnknownLoc();
  mlir::Type i64 = builder.getI64Type();
  auto word = [&](int place) -> mlir::Value {
    const layout::Int &number = words[place].leaf();
    if (number.isStatic())
      return emitIntConstant(impl, DType::Int64, number.value() & 0xffffffff);
    return arith::ExtUIOp::create(builder, loc, i64, emitAs(impl, toScalar(number), DType::Int32));
  };
  mlir::Value high =
      builder.createOrFold<arith::ShLIOp>(loc, word(1), emitIntConstant(impl, DType::Int64, 32));
  return arith::OrIOp::create(builder, loc, word(0), high);
}

MmaTiles::Operands MmaTiles::registersOf(const Fragment &fragment, int64_t k) const {
  Operands operands;
  for (int64_t tile = 0; tile < fragment.tiles; ++tile)
    operands.push_back(loadRegisters(impl, fragment.tensor, fragment.at(tile, k), fragment.values));
  return operands;
}

MmaTiles::Operands MmaTiles::operandsOf(const Fragment &fragment, int64_t k) const {
  Operands operands;
  if (!fragment.tensor.isCoordinates() && fragment.tensor.space() == AddressSpace::Tensor) {
    for (int64_t tile = 0; tile < fragment.tiles; ++tile)
      operands.push_back(
          {emitAddress(impl, fragment.tensor.pointer(),
                       offsetOf(fragment.tensor, layout::Int(fragment.at(tile, k))))});
    return operands;
  }
  if (!fragment.tensor.isCoordinates())
    return registersOf(fragment, k);
  for (int64_t tile = 0; tile < fragment.tiles; ++tile)
    operands.push_back(
        {emitDescriptor(impl, fragment.tensor.at(layout::IntTuple(fragment.at(tile, k))))});
  return operands;
}

void MmaTiles::inOrder(llvm::function_ref<void(int64_t, int64_t)> multiply) const {
  for (int64_t m = 0; m < left.tiles; ++m)
    for (int64_t n = 0; n < right.tiles; ++n)
      multiply(m, n);
}

void MmaTiles::multiplyEach(int64_t k, llvm::function_ref<void(const Product &)> multiply) const {
  // The first step may overwrite the accumulators, and the later ones add to them.
  mlir::Value added = emitAs(impl, k > 0 ? Scalar(true) : accumulate, DType::Boolean);
  const Operands ofA = operandsOf(left, k), ofB = operandsOf(right, k);
  inOrder([&](int64_t m, int64_t n) { multiply({sum.at(m, n), ofA[m], ofB[n].front(), added}); });
}

void MmaTiles::alternating(llvm::function_ref<void(int64_t, int64_t)> multiply) const {
  for (int64_t n = 0; n < right.tiles; ++n)
    for (int64_t m = 0; m < left.tiles; ++m)
      multiply(n % 2 ? left.tiles - 1 - m : m, n);
}

void gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
          const Scalar &accumulate, const MmaScales &scales, SourceLoc at) {
  AtSourceLoc placed(at);
  Gemm(atom, d, a, b, c, accumulate, scales).run();
}

void mmaAtom(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b,
             const Tensor &c, const Scalar &accumulate, const MmaScales &scales, SourceLoc at) {
  AtSourceLoc placed(at);
  // All of each is one atom's values.
  auto asOneMode = [](const Tensor &tensor) {
    return tensor.withLayout(layout::group({tensor.layout()}));
  };
  gemm(atom, asOneMode(d), asOneMode(a), asOneMode(b), asOneMode(c), accumulate, scales);
}

} // namespace fairlead::dsl
