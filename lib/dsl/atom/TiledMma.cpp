#include "fairlead/dsl/atom/TiledMma.h"

#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/TracingDialect.h"
#include "fairlead/dsl/Views.h"

namespace fairlead::dsl {
namespace {

using layout::Layout;
using layout::Tiler;

/// The modes of the MMA, of M, N and K, that an operand's tensor has.
std::array<int, 2> modesOfOperand(MmaOperand operand) {
  switch (operand) {
  case MmaOperand::A:
    return {0, 2};
  case MmaOperand::B:
    return {1, 2};
  default:
    return {0, 1};
  }
}

const char *nameOf(MmaOperand operand) {
  constexpr const char *kNames[] = {"partition_A", "partition_B", "partition_C"};
  return kNames[static_cast<int>(operand)];
}

const Layout &fragmentOf(const MmaAtom &atom, MmaOperand operand) {
  return operand == MmaOperand::A   ? atom.layoutA
         : operand == MmaOperand::B ? atom.layoutB
                                    : atom.layoutC;
}

/// Returns M, N and K of the atoms; missing modes are 1.
Layout threeModes(Layout atoms) {
  while (layout::rank(atoms) < 3)
    atoms = layout::append(atoms, *Layout::make(1, 0));
  return atoms;
}

/// (thread of the atom, M, N, K) -> thread.
Layout threadsOf(const MmaAtom &atom, const Layout &atoms) {
  Layout three = threeModes(atoms);
  if (layout::rank(three) != 3)
    throw makeError(Diagnostic::MmaAtomLayout, {{"got", atoms.str()}});
  return need(layout::tiledProduct(atom.threads, three, arithmetic()), "make_tiled_mma",
              atom.threads, three.str());
}

} // namespace

TiledMma::TiledMma(MmaAtom atom, const Layout &atoms, const Tiler &permutation)
    : atom_(std::move(atom)), permutation_(permutation), threads_(threadsOf(atom_, atoms)) {
  if (permutation.isTuple() ? permutation.modes().size() > 3 : !permutation.isOpen())
    throw makeError(Diagnostic::MmaPermutation, {{"got", "another tiler"}});
  for (int mode = 0; mode < 3; ++mode) {
    layout::Int extent = tileSize(mode), atoms = layout::size(*layout::get(threads_, {mode + 1}));
    layout::Int least = arithmetic().mul(atoms, atom_.shape[mode]);
    if (extent.isStatic() && least.isStatic() && extent.value() % least.value() != 0)
      throw makeError(
          Diagnostic::MmaPermutationSize,
          {{"mode", std::string(1, "MNK"[mode])}, {"least", least.str()}, {"got", extent.str()}});
  }
}

layout::Int TiledMma::size() const { return layout::size(threads_, arithmetic()); }

Tiler TiledMma::permutationOf(int mode) const {
  bool isPermuted = permutation_.isTuple() &&
                    mode < static_cast<int>(permutation_.modes().size()) &&
                    !permutation_.modes()[mode].isOpen();
  if (isPermuted)
    return permutation_.modes()[mode];
  layout::Int atoms = layout::size(*layout::get(threads_, {mode + 1}), arithmetic());
  return Layout(layout::IntTuple(arithmetic().mul(atoms, atom_.shape[mode])));
}

layout::Int TiledMma::tileSize(int mode) const {
  return layout::size(permutationOf(mode).layout(), arithmetic());
}

DType TiledMma::type(MmaOperand operand) const {
  return operand == MmaOperand::A ? atom_.a : operand == MmaOperand::B ? atom_.b : atom_.c;
}

Layout TiledMma::threadFragments(MmaOperand operand, const Layout &layout) const {
  auto [first, second] = modesOfOperand(operand);
  const char *operation = nameOf(operand);
  if (layout::rank(layout) < 2)
    need(std::nullopt, operation, layout, str());
  Tiler permuted(std::vector<Tiler>{permutationOf(first), permutationOf(second)});
  Layout ordered =
      need(layout::logicalDivide(layout, permuted, arithmetic()), operation, layout, str());
  auto extent = [&](int mode) { return Layout(layout::IntTuple(atom_.shape[mode])); };
  Tiler atomTile(std::vector<Tiler>{extent(first), extent(second)});
  Layout byAtom =
      need(layout::zippedDivide(ordered, atomTile, arithmetic()), operation, layout, str());
  Layout fragment =
      need(layout::composition(*layout::get(byAtom, {0}), fragmentOf(atom_, operand), arithmetic()),
           operation, layout, str());
  std::vector<Layout> rests = modesOf(*layout::get(byAtom, {1})), atoms;
  for (int side = 0; side < 2; ++side) {
    int mode = side == 0 ? first : second;
    layout::Int count = layout::size(*layout::get(threads_, {mode + 1}), arithmetic());
    Layout dealt =
        need(layout::logicalDivide(rests[side], Layout(layout::IntTuple(count)), arithmetic()),
             operation, layout, str());
    atoms.push_back(*layout::get(dealt, {0}));
    rests[side] = *layout::get(dealt, {1});
  }
  return layout::group({layout::group({*layout::get(fragment, {0}), layout::group(atoms)}),
                        layout::group({*layout::get(fragment, {1}), layout::group(rests)})});
}

Layout TiledMma::elements(MmaOperand operand) const {
  auto [first, second] = modesOfOperand(operand);
  Layout tile(layout::tuple(tileSize(first), tileSize(second)), arithmetic());
  Layout fragments = threadFragments(operand, tile);
  Layout threads = *layout::get(fragments, {0}), values = *layout::get(fragments, {1});
  // All threads along the mode that the operand lacks share its values: (V, ((M, N), K)), and for
  // C (V, (M, (N, K))).
  auto count = [&](int mode) { return layout::size(*layout::get(threads_, {mode + 1})); };
  bool isC = operand == MmaOperand::C;
  Layout spread =
      *Layout::make(layout::tuple(count(isC), count(1 + isC)),
                    operand == MmaOperand::B ? layout::tuple(0, 1) : layout::tuple(1, 0));
  std::vector<Tiler> sides{Tiler(), Tiler()};
  sides[isC] = Tiler(spread);
  threads =
      need(layout::composition(threads, Tiler(std::vector<Tiler>{Tiler(), Tiler(std::move(sides))}),
                               arithmetic()),
           nameOf(operand), threads, spread.str());
  Layout inverse =
      need(layout::rightInverse(threads_, arithmetic()), nameOf(operand), threads_, tile.str());
  Layout ofThread = need(layout::composition(threads, inverse, arithmetic()), nameOf(operand),
                         threads, inverse.str());
  return layout::group({ofThread, values});
}

/// Checks that partitions do not exceed the memory. Coordinates may, because predicates are
/// computed from them. Tensors of published programs may as well: these compare coordinates before
/// each access.
void TiledMma::requireWhole(MmaOperand operand, const Tensor &tensor) const {
  const Layout &layout = tensor.layout();
  auto modes = modesOfOperand(operand);
  if (layout::rank(layout) < 2)
    rejectCover(str(), tensor.str(),
                "it has one mode, and " + std::string(nameOf(operand)) + " takes two or more");
  if (tensor.isCoordinates() || !tracingDialect().checksKnownIndices)
    return;
  for (int side = 0; side < 2; ++side) {
    layout::Int extent = layout::size(*layout::get(layout, {side}), arithmetic());
    layout::Int tile = tileSize(modes[side]);
    // Blocks multiply together: the first one's part of a tile may be all there is.
    const layout::Int blocks = layout::size(atom_.threads);
    const bool isPart = atom_.canOverwrite() && side == 0 && blocks.is(2) && tile.isStatic() &&
                        extent.is(tile.value() / 2);
    if (!isPart && extent.isStatic() && tile.isStatic() && extent.value() % tile.value() != 0)
      rejectCover(str(), tensor.str(),
                  "mode " + std::to_string(side) + " of " + nameOf(operand) + ", " +
                      "MNK"[modes[side]] + ", has " + extent.str() +
                      " elements, which is no multiple of the tile's " + tile.str() +
                      ". Take tiles of it with local_tile, and copies with a predicate at its end");
  }
}

Tensor TiledMma::partition(MmaOperand operand, const Tensor &tensor, const Scalar &thread,
                           SourceLoc at) const {
  AtSourceLoc placed(at);
  requireWhole(operand, tensor);
  Layout fragments = threadFragments(operand, tensor.layout());
  layout::IntTuple place = layout::flatCoordinate(toIndex(thread), threads_, arithmetic());
  using C = layout::Coordinate;
  auto [first, second] = modesOfOperand(operand);
  auto atom = [&](int mode) { return C(place[mode + 1].leaf()); };
  C ofThread(std::vector<C>{C(place[0].leaf()), C(std::vector<C>{atom(first), atom(second)})});
  // (value, (rests ...)) as (value, rest, rest, ...).
  Layout values = *layout::get(fragments, {1});
  std::vector<Layout> modes{*layout::get(fragments, {0}), *layout::get(values, {0})};
  for (const Layout &rest : modesOf(*layout::get(values, {1})))
    modes.push_back(rest);
  std::vector<C> entries(modes.size());
  entries[0] = ofThread;
  return tensor.withLayout(layout::group(modes)).sliceAt(C(std::move(entries)));
}

layout::IntTuple TiledMma::partitionShape(MmaOperand operand, const layout::IntTuple &shape,
                                          SourceLoc at) const {
  AtSourceLoc placed(at);
  Layout fragments = threadFragments(operand, Layout(shape, arithmetic()));
  Layout values = *layout::get(fragments, {1});
  std::vector<layout::IntTuple> modes{layout::get(values, {0})->shape()};
  for (const Layout &rest : modesOf(*layout::get(values, {1})))
    modes.push_back(rest.shape());
  return layout::IntTuple(std::move(modes));
}

Tensor TiledMma::fragmentA(const Tensor &partition, SourceLoc at) const {
  AtSourceLoc placed(at);
  return operandFragment(atom_, MmaOperand::A, partition);
}
Tensor TiledMma::fragmentB(const Tensor &partition, SourceLoc at) const {
  AtSourceLoc placed(at);
  return operandFragment(atom_, MmaOperand::B, partition);
}
Tensor TiledMma::fragmentC(const layout::IntTuple &shape, SourceLoc at) const {
  AtSourceLoc placed(at);
  return accumulatorFragment(atom_, shape);
}

Tensor accumulatorFragment(const MmaAtom &atom, const layout::IntTuple &shape, SourceLoc at) {
  return fragmentOfShape(atom, MmaOperand::C, shape, at);
}

Tensor fragmentOfShape(const MmaAtom &atom, MmaOperand operand, const layout::IntTuple &shape,
                       SourceLoc at) {
  AtSourceLoc placed(at);
  if (atom.memoryOf(operand) == MmaMemory::Shared)
    throw makeError(Diagnostic::MmaFragmentSource, {{"got", shape.str()}});
  return atom.instruction->fragment(atom, operand, shape);
}

std::string TiledMma::str() const { return "TiledMma(" + atom_.name + ", " + threads_.str() + ")"; }

Tensor fragmentLike(const Tensor &tensor, std::optional<DType> type) {
  return registerTensor(type.value_or(tensor.dtype()), layout::fragmentLayout(tensor.layout()));
}

} // namespace fairlead::dsl
