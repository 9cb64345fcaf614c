#include "fairlead/dsl/atom/MmaAtom.h"

#include "dsl/atom/Need.h"
#include "fairlead/layout/Text.h"

namespace fairlead::dsl {
namespace {

/// Where the values of 32 threads lie: of PTX's mma with these extents and this many bits an
/// element of A and B. C's layout follows from M alone.
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
    {16, 64, 4, "((4,8),(8,2,2)):((128,1),(16,8,512))", "((4,8),(8,2)):((64,1),(8,256))"},
    {8, 4, 64, "((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)"}};
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

std::string shapeName(int m, int n, int k) {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

MmaAtom atomOf(const Row &row) {
  const Fragments *found = nullptr;
  for (const Fragments &fragments : kFragments)
    if (fragments.m == row.m && fragments.k == row.k && fragments.bits == bitWidth(row.a))
      found = &fragments;
  std::string shape = shapeName(row.m, row.n, row.k);
  auto layout = [](const char *text) { return *layout::parseLayout(text); };
  return MmaAtom{shape + "." + elementName(row.c) + "." + elementName(row.a) + "." +
                     elementName(row.b),
                 {row.m, row.n, row.k},
                 row.a,
                 row.b,
                 row.c,
                 layout("32:1"),
                 layout(found->a),
                 layout(found->b),
                 layout(row.m == 16 ? kAccumulator16x8 : kAccumulator8x8),
                 row.arch,
                 row.ptx,
                 "llvm.nvvm.mma." + shape + ".row.col." + row.intrinsic};
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

MmaAtom MmaAtom::warp(DType a, DType b, DType accumulator, std::array<int, 3> shape) {
  std::string known;
  for (const MmaAtom &atom : table()) {
    if (atom.a == a && atom.b == b && atom.c == accumulator && atom.shape == shape)
      return atom;
    if (atom.a == a)
      known += (known.empty() ? "" : ", ") + atom.name;
  }
  rejectLayout("one of the MMA instructions for " + std::string(className(a)) + " (" +
                   (known.empty() ? "there are none" : known) + ")",
               shapeName(shape[0], shape[1], shape[2]) + "." + elementName(accumulator) + "." +
                   elementName(a) + "." + elementName(b));
}

MmaAtom MmaAtom::universal(DType type) {
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
                 0,
                 0,
                 ""};
}

} // namespace fairlead::dsl
