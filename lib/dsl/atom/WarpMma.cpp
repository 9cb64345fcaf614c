#include "dsl/atom/WarpMma.h"

#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "fairlead/layout/Text.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// The layouts of A and B in 32 threads, by the extents of PTX's mma and the bits of elements. C's
/// layout follows from M alone.
struct Fragments {
  int m, k, bits;
  const char *a, *b;
};
constexpr Fragments kFragments[] = {
    {16, 8, 16, "((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)"},
    {16, 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))"},
    {16, 4, 32, "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)"},
    {16, 8, 32, "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)"},
    {16, 16, 8, "((4,8),(4,2)):((64,1),(16,8))", "((4,8),4):((32,1),8)"},
    {16, 32, 8, "((4,8),(4,2,2)):((64,1),(16,8,256))", "((4,8),(4,2)):((32,1),(8,128))"},
    {16, 32, 4, "((4,8),(8,2)):((128,1),(16,8))", "((4,8),8):((64,1),8)"},
    {16, 64, 4, "((4,8),(8,2,2)):((128,1),(16,8,512))", "((4,8),(8,2)):((64,1),(8,256))"},
    {8, 4, 64, "((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)"},
    {16, 4, 64, "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)"},
    {16, 8, 64, "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)"},
    {16, 16, 64, "((4,8),(2,4)):((16,1),(8,64))", "((4,8),4):((8,1),32)"}};
constexpr const char *kAccumulator16x8 = "((4,8),(2,2)):((32,1),(16,8))";
constexpr const char *kAccumulator8x8 = "((4,8),2):((16,1),8)";

struct Row {
  int m, n, k;
  DType a, b, c;
  int arch, ptx;
  const char *intrinsic;
};
constexpr Row kRows[] = {
#define FAIRLEAD_MMA(m, n, k, a, b, c, arch, ptx, intrinsic)                                       \
  {m, n, k, DType::a, DType::b, DType::c, arch, ptx, intrinsic},
#include "dsl/atom/Mma.def"
};

MmaAtom atomOf(const Row &row) {
  const Fragments *found = nullptr;
  for (const Fragments &fragments : kFragments)
    if (fragments.m == row.m && fragments.k == row.k && fragments.bits == bitWidth(row.a))
      found = &fragments;
  const std::array<int, 3> shape{row.m, row.n, row.k};
  auto layout = [](const char *text) { return *layout::parseLayout(text); };
  return MmaAtom{
      productName(shape, row.c, row.a, row.b),
      shape,
      row.a,
      row.b,
      row.c,
      layout("32:1"),
      layout(found->a),
      layout(found->b),
      layout(row.m == 16 ? kAccumulator16x8 : kAccumulator8x8),
      std::make_shared<WarpMma>(row.arch, row.ptx,
                                "llvm.nvvm.mma." + shapeName(shape) + ".row.col." + row.intrinsic)};
}

} // namespace

const std::vector<MmaAtom> &MmaAtom::table() {
  static const auto *table = [] {
    auto *atoms = new std::vector<MmaAtom>;
    for (const Row &row : kRows)
      atoms->push_back(atomOf(row));
    return atoms;
  }();
  return *table;
}

MmaAtom MmaAtom::warp(DType a, DType b, DType accumulator, std::array<int, 3> shape, SourceLoc at) {
  AtSourceLoc placed(at);
  std::string candidates;
  for (const MmaAtom &atom : table()) {
    if (atom.a == a && atom.b == b && atom.c == accumulator && atom.shape == shape)
      return atom;
    if (atom.a == a)
      candidates += (candidates.empty() ? "" : ", ") + atom.name;
  }
  throw makeError(Diagnostic::MmaUnknown,
                  {{"type", std::string(className(a))},
                   {"known", candidates.empty() ? "there are none" : candidates},
                   {"got", productName(shape, accumulator, a, b)}});
}

const MmaAtom &WarpMma::atomOf(ir::MmaOp op) {
  const std::array<int, 3> shape{static_cast<int>(op.getM()), static_cast<int>(op.getN()),
                                 static_cast<int>(op.getK())};
  for (const MmaAtom &atom : MmaAtom::table())
    if (atom.shape == shape && productType(atom.c) == op.getDType() &&
        productType(atom.a) == op.getAType() && productType(atom.b) == op.getBType())
      return atom;
  auto type = [](ir::ProductType type) { return "." + stringifyProductType(type).str(); };
  throw makeError(Diagnostic::CompileFailed,
                  {{"stage", "lowering of atoms"},
                   {"message", "no MMA instruction " + shapeName(shape) + type(op.getDType()) +
                                   type(op.getAType()) + type(op.getBType())}});
}

const WarpMma &WarpMma::of(ir::MmaOp op) {
  return static_cast<const WarpMma &>(*atomOf(op).instruction);
}

void WarpMma::require(const MmaAtom &atom) const {
  Program::current()->requireCapability(leastArch, "the MMA atom " + atom.name);
}

void WarpMma::multiply(const MmaTiles &tiles, int64_t k) const {
  const MmaAtom &atom = tiles.atom;
  OpBuilder &b = tiles.impl.builder;
  MmaTiles::Operands left = tiles.registersOf(tiles.left, k);
  MmaTiles::Operands right = tiles.registersOf(tiles.right, k);
  tiles.inOrder([&](int64_t m, int64_t n) {
    const int64_t place = tiles.sum.at(m, n);
    SmallVector<mlir::Value> operands = left[m];
    operands.append(right[n]);
    SmallVector<mlir::Value> added = loadRegisters(tiles.impl, tiles.c, place, tiles.sum.values);
    operands.append(added);
    SmallVector<mlir::Type> types(added.size(), registerType(b, atom.c));
    auto op = ir::MmaOp::create(b, b.getUnknownLoc(), types, atom.shape[0], atom.shape[1],
                                atom.shape[2], *productType(atom.c), *productType(atom.a),
                                *productType(atom.b), operands);
    storeRegisters(tiles.impl, tiles.d, place, op.getSums());
  });
}

} // namespace fairlead::dsl
