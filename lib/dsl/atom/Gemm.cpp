/// Products of fragments.
#include "dsl/ElementAccess.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/ProductTypes.h"
#include "dsl/atom/Registers.h"
#include "dsl/atom/TensorInstructions.h"
#include "fairlead/dsl/atom/TiledMma.h"
#include "ir/Ops.h"

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
    rejectUse("fragments of static shapes for gemm", describe(tensor));
  return size.value();
}

class Gemm {
public:
  Gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
       const Scalar &accumulate)
      : impl(currentImpl("gemm")), atom(atom), d(d), a(a), b(b), c(c), accumulate(accumulate) {
    Program::current()->requireCapability(atom.leastArch, "the MMA atom " + atom.name);
    if (atom.tensorMemory) {
      checkDescriptors("A", a);
      checkDescriptors("B", b);
      checkTensorMemory("C", c);
      checkTensorMemory("D", d);
      return;
    }
    bool ofWarpgroup = bool(atom.warpgroup);
    if (ofWarpgroup)
      Program::current()->requireFeature(GpuFeature::WarpgroupMma, "the MMA atom " + atom.name);
    if (ofWarpgroup && !atom.warpgroup->aInRegisters)
      checkDescriptors("A", a);
    else
      check("A", a, atom.a);
    if (ofWarpgroup)
      checkDescriptors("B", b);
    else
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
    Fragment left{a, valuesFor(a, atom.layoutA), tilesOf(a), stepsOf(a)};
    Fragment right{b, valuesFor(b, atom.layoutB), tilesOf(b), stepsOf(b)};
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
    for (int64_t k = 0; k < left.steps; ++k)
      product(left, right, sum, k);
  }

private:
  static int valuesOf(const layout::Layout &side) {
    return static_cast<int>(layout::size(*layout::get(side, {1})).value());
  }
  /// Descriptors stand for all values of an atom.
  static int valuesFor(const Tensor &tensor, const layout::Layout &side) {
    return tensor.isCoordinates() ? 1 : valuesOf(side);
  }
  static bool hasValues(const Tensor &tensor, const Fragment &fragment) {
    return extentOf(tensor, 0) == fragment.values;
  }
  void check(const char *operand, const Tensor &tensor, DType type) const {
    if (tensor.isCoordinates() || tensor.space() != AddressSpace::Register ||
        tensor.dtype() != type)
      rejectUse("registers of " + std::string(className(type)) + " as " + operand +
                    " of the MMA atom " + atom.name,
                describe(tensor));
  }

  void checkDescriptors(const char *operand, const Tensor &tensor) const {
    if (!tensor.isCoordinates() || layout::rank(tensor.origin()) != 2)
      rejectUse("descriptors (make_fragment_" + std::string(operand) + ") as " + operand +
                    " of the MMA atom " + atom.name,
                describe(tensor));
  }

  void checkTensorMemory(const char *operand, const Tensor &tensor) const {
    if (tensor.isCoordinates() || tensor.space() != AddressSpace::Tensor ||
        tensor.dtype() != atom.c)
      rejectUse("tensor memory of " + std::string(className(atom.c)) + " as " + operand +
                    " of the MMA atom " + atom.name,
                describe(tensor));
  }

  void product(const Fragment &left, const Fragment &right, const Fragment &sum, int64_t k) {
    if (atom.tensorMemory)
      return tensorProduct(left, right, sum, k);
    if (atom.warpgroup)
      return warpgroupProduct(left, right, sum, k);
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
        auto [rows, columns, depth] = atom.shape;
        auto op = ir::MmaOp::create(builder, builder.getUnknownLoc(), types, rows, columns, depth,
                                    *productType(atom.c), *productType(atom.a),
                                    *productType(atom.b), operands);
        storeRegisters(impl, d, sum.at(m, n), op.getSums());
      }
  }

  void warpgroupProduct(const Fragment &left, const Fragment &right, const Fragment &sum,
                        int64_t k) {
    OpBuilder &builder = impl.builder;
    mlir::Value added = emitAs(impl, accumulate, DType::Boolean);
    auto x = operands(left, k), y = operands(right, k);
    for (int64_t n = 0; n < right.tiles; ++n)
      for (int64_t m = 0; m < left.tiles; ++m) {
        SmallVector<mlir::Value> sums =
            loadRegisters(impl, c, sum.at(m, n), sum.values, /*vectors=*/true);
        SmallVector<mlir::Type> types(sums.size(), registerType(builder, atom.c));
        auto op = ir::WarpgroupMmaOp::create(
            builder, builder.getUnknownLoc(), types, atom.shape[1], *productType(atom.c),
            *productType(atom.a), *productType(atom.b), sums, x[m], y[n].front(), added,
            atom.warpgroup->aTransposed, atom.warpgroup->bTransposed);
        storeRegisters(impl, d, sum.at(m, n), op.getUpdated(), /*vectors=*/true);
      }
  }

  void tensorProduct(const Fragment &left, const Fragment &right, const Fragment &sum, int64_t k) {
    mlir::Value added = emitAs(impl, accumulate, DType::Boolean);
    auto x = operands(left, k), y = operands(right, k);
    for (int64_t n = 0; n < right.tiles; ++n)
      for (int64_t m = 0; m < left.tiles; ++m) {
        mlir::Value place = emitAddress(impl, d.pointer(), placeOf(d, layout::Int(sum.at(m, n))));
        emitTensorProduct(impl, atom, place, x[m].front(), y[n].front(), added);
      }
  }

  /// Registers, or the descriptor.
  SmallVector<SmallVector<mlir::Value>> operands(const Fragment &fragment, int64_t k) {
    if (!fragment.tensor.isCoordinates())
      return registers(fragment, k);
    SmallVector<SmallVector<mlir::Value>> all;
    for (int64_t tile = 0; tile < fragment.tiles; ++tile)
      all.push_back({descriptor(fragment.tensor.at(layout::IntTuple(fragment.at(tile, k))))});
    return all;
  }
  mlir::Value descriptor(const layout::IntTuple &words) {
    OpBuilder &builder = impl.builder;
    Location loc = builder.getUnknownLoc();
    mlir::Type wide = builder.getI64Type();
    auto word = [&](int place) -> mlir::Value {
      const layout::Int &number = words[place].leaf();
      if (number.isStatic())
        return emitIntConstant(impl, DType::Int64, number.value() & 0xffffffff);
      return arith::ExtUIOp::create(builder, loc, wide,
                                    emitAs(impl, toScalar(number), DType::Int32));
    };
    mlir::Value high =
        builder.createOrFold<arith::ShLIOp>(loc, word(1), emitIntConstant(impl, DType::Int64, 32));
    return arith::OrIOp::create(builder, loc, word(0), high);
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
  const Scalar &accumulate;
};

} // namespace

void gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
          const Scalar &accumulate, Place at) {
  AtPlace placed(at);
  Gemm(atom, d, a, b, c, accumulate).run();
}

void mmaAtom(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b,
             const Tensor &c, const Scalar &accumulate, Place at) {
  AtPlace placed(at);
  // All of each is one atom's values.
  auto whole = [](const Tensor &tensor) {
    return tensor.withLayout(layout::group({tensor.layout()}));
  };
  gemm(atom, whole(d), whole(a), whole(b), whole(c), accumulate);
}

} // namespace fairlead::dsl
