/// Products of fragments.
#include "dsl/atom/AtomOps.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "fairlead/dsl/atom/TiledMma.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// A fragment as (values, tiles, K).
struct Fragment {
  const Tensor &tensor;
  int values;
  int64_t tiles, steps;

  /// Linear coordinate of an atom's first value.
  int64_t at(int64_t tile, int64_t step) const { return values * (tile + tiles * step); }
};

std::string describe(const Tensor &tensor) { return tensor.str(); }

int64_t extentOf(const Tensor &tensor, int mode) {
  layout::Int size = layout::size(*layout::get(tensor.layout(), {mode}));
  if (!size.isStatic())
    rejectLayout("fragments of static shapes for gemm", describe(tensor));
  return size.value();
}

class Gemm {
public:
  Gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c)
      : impl(currentImpl("gemm")), atom(atom), d(d), a(a), b(b), c(c) {
    Program::current()->requireCapability(atom.leastArch, "the MMA atom " + atom.name);
    check("A", a, atom.a);
    check("B", b, atom.b);
    check("C", c, atom.c);
    check("D", d, atom.c);
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
    Fragment left{a, valuesOf(atom.layoutA), tilesOf(a), stepsOf(a)};
    Fragment right{b, valuesOf(atom.layoutB), tilesOf(b), stepsOf(b)};
    Fragment sum{d, valuesOf(atom.layoutC), tilesOf(d), stepsOf(d)};
    bool fits = a.rank() == b.rank() && c.rank() == d.rank() && a.rank() <= first + 2 &&
                d.rank() <= first + 2 && (d.rank() == first + 2 || d.rank() == a.rank()) &&
                left.tiles == sum.tiles && left.steps == right.steps &&
                right.tiles == (d.rank() > first + 1 ? sum.steps : 1) &&
                (bare || (hasValues(a, left) && hasValues(b, right) && hasValues(d, sum)));
    if (!fits || layout::size(c.layout()) != layout::size(d.layout()))
      rejectLayout("fragments (V, M), (V, N) and (V, M, N) of the MMA atom " + atom.name +
                       " for gemm, A and B perhaps with a mode K",
                   describe(a) + ", " + describe(b) + " and " + describe(d));
    for (int64_t k = 0; k < left.steps; ++k)
      product(left, right, sum, k);
  }

private:
  static int valuesOf(const layout::Layout &side) {
    return static_cast<int>(layout::size(*layout::get(side, {1})).value());
  }
  static bool hasValues(const Tensor &tensor, const Fragment &fragment) {
    return extentOf(tensor, 0) == fragment.values;
  }
  void check(const char *operand, const Tensor &tensor, DType type) const {
    if (tensor.isCoordinates() || tensor.space() != AddressSpace::Register ||
        tensor.dtype() != type)
      rejectLayout("registers of " + std::string(className(type)) + " as " + operand +
                       " of the MMA atom " + atom.name,
                   describe(tensor));
  }

  void product(const Fragment &left, const Fragment &right, const Fragment &sum, int64_t k) {
    if (atom.isUniversal()) {
      Scalars x = elements(left, k), y = elements(right, k);
      // Down one column and up the next: a value of A or B stays the same from one product to the
      // next.
      for (int64_t n = 0; n < right.tiles; ++n)
        for (int64_t i = 0; i < left.tiles; ++i) {
          int64_t m = n % 2 ? left.tiles - 1 - i : i;
          Scalar place(sum.at(m, n));
          d.store({place}, x[m] * y[n] + c.load({place}));
        }
      return;
    }
    auto x = registers(left, k), y = registers(right, k);
    for (int64_t n = 0; n < right.tiles; ++n)
      for (int64_t i = 0; i < left.tiles; ++i) {
        int64_t m = n % 2 ? left.tiles - 1 - i : i;
        SmallVector<mlir::Value> operands = x[m];
        operands.append(y[n]);
        SmallVector<mlir::Value> added = loadRegisters(impl, c, sum.at(m, n), sum.values);
        operands.append(added);
        OpBuilder &builder = impl.builder;
        SmallVector<mlir::Type> types(added.size(), registerType(builder, atom.c));
        auto op = MmaOp::create(builder, types, operands,
                                builder.getNamedAttr("atom", builder.getStringAttr(atom.name)));
        storeRegisters(impl, d, sum.at(m, n), op->getResults());
      }
  }

  Scalars elements(const Fragment &fragment, int64_t k) const {
    Scalars values;
    for (int64_t tile = 0; tile < fragment.tiles; ++tile)
      values.push_back(fragment.tensor.load({Scalar(fragment.at(tile, k))}));
    return values;
  }
  SmallVector<SmallVector<mlir::Value>> registers(const Fragment &fragment, int64_t k) {
    SmallVector<SmallVector<mlir::Value>> all;
    for (int64_t tile = 0; tile < fragment.tiles; ++tile)
      all.push_back(loadRegisters(impl, fragment.tensor, fragment.at(tile, k), fragment.values));
    return all;
  }

  Program::Impl &impl;
  const MmaAtom &atom;
  const Tensor &d, &a, &b, &c;
};

} // namespace

void gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c) {
  Gemm(atom, d, a, b, c).run();
}

void mmaAtom(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b,
             const Tensor &c) {
  // All of each is one atom's values.
  auto whole = [](const Tensor &tensor) {
    return tensor.withLayout(layout::group({tensor.layout()}));
  };
  gemm(atom, whole(d), whole(a), whole(b), whole(c));
}

} // namespace fairlead::dsl
