/// The tables of atoms, and the tiled forms made of them: layouts alone, no program.
#include <set>

#include <gtest/gtest.h>

#include "fairlead/Error.h"
#include "fairlead/dsl/atom/TiledCopy.h"
#include "fairlead/dsl/atom/TiledMma.h"
#include "fairlead/layout/Text.h"

namespace fairlead::dsl {
namespace {

using layout::Layout;
using layout::Tiler;

Layout parse(const char *text) { return *layout::parseLayout(text); }
Tiler count(int64_t number) { return Layout(layout::IntTuple(number)); }

int64_t valuesOf(const Layout &side) { return layout::size(*layout::get(side, {1})).value(); }

/// True if (thread, value) reaches every position of a tile exactly once.
bool isBijection(const Layout &side, int64_t places) {
  std::set<int64_t> reached;
  int64_t count = layout::size(side).value();
  for (int64_t i = 0; i < count; ++i)
    reached.insert(layout::crd2idx(i, side)->value());
  return count == places && static_cast<int64_t>(reached.size()) == places &&
         *reached.begin() == 0 && *reached.rbegin() == places - 1;
}

/// The layout as a function of linear coordinates.
void expectSame(const Layout &a, const Layout &b) {
  ASSERT_EQ(layout::size(a), layout::size(b)) << a.str() << " and " << b.str();
  for (int64_t i = 0; i < layout::size(a).value(); ++i)
    ASSERT_EQ(layout::crd2idx(i, a), layout::crd2idx(i, b)) << a.str() << " and " << b.str();
}

TEST(MmaAtom, EveryRowCoversItsTiles) {
  EXPECT_GE(MmaAtom::table().size(), 20u);
  for (const MmaAtom &atom : MmaAtom::table()) {
    auto [m, n, k] = atom.shape;
    EXPECT_TRUE(isBijection(atom.layoutA, m * k)) << atom.name;
    EXPECT_TRUE(isBijection(atom.layoutB, n * k)) << atom.name;
    EXPECT_TRUE(isBijection(atom.layoutC, m * n)) << atom.name;
    // Whole registers.
    EXPECT_EQ(valuesOf(atom.layoutA) * bitWidth(atom.a) % 32, 0) << atom.name;
    EXPECT_EQ(valuesOf(atom.layoutB) * bitWidth(atom.b) % 32, 0) << atom.name;
  }
}

/// In words, of m16n8k16: lane l, r = l / 4, q = l % 4; register j of A holds row r + 8 (j % 2) and
/// k = 2 q + 8 (j / 2) + {0, 1}; of B column r and k = 2 q + 8 j + {0, 1}; value v of C row
/// r + 8 (v / 2) and column 2 q + v % 2.
TEST(MmaAtom, FragmentsOf16x8x16) {
  MmaAtom atom = MmaAtom::warp(DType::Float16, DType::Float16, DType::Float32, {16, 8, 16});
  auto at = [](const Layout &side, int lane, int value) {
    return layout::crd2idx(layout::tuple(lane, value), side)->value();
  };
  for (int lane = 0; lane < 32; ++lane) {
    int r = lane / 4, q = lane % 4;
    for (int value = 0; value < 8; ++value) {
      int j = value / 2, row = r + 8 * (j % 2), k = 2 * q + 8 * (j / 2) + value % 2;
      EXPECT_EQ(at(atom.layoutA, lane, value), row + 16 * k);
    }
    for (int value = 0; value < 4; ++value) {
      EXPECT_EQ(at(atom.layoutB, lane, value), r + 8 * (2 * q + 8 * (value / 2) + value % 2));
      EXPECT_EQ(at(atom.layoutC, lane, value), r + 8 * (value / 2) + 16 * (2 * q + value % 2));
    }
  }
}

/// Likewise for Float64 and Int4. Float64: value v of A holds row r + 8 (v % 2) and k = q + 4 (v /
/// 2), of B column r and k = q + 4 v. Int4, m16n8k32: value v of A row r + 8 (v / 8) and k = 8 q +
/// v % 8, of B column r and k = 8 q + v.
TEST(MmaAtom, FragmentsOfFloat64AndInt4) {
  auto at = [](const Layout &side, int lane, int value) {
    return layout::crd2idx(layout::tuple(lane, value), side)->value();
  };
  for (int lane = 0; lane < 32; ++lane) {
    int r = lane / 4, q = lane % 4;
    for (int depth : {4, 8, 16}) {
      MmaAtom atom = MmaAtom::warp(DType::Float64, DType::Float64, DType::Float64, {16, 8, depth});
      for (int value = 0; value < depth / 2; ++value)
        EXPECT_EQ(at(atom.layoutA, lane, value), r + 8 * (value % 2) + 16 * (q + 4 * (value / 2)));
      for (int value = 0; value < depth / 4; ++value)
        EXPECT_EQ(at(atom.layoutB, lane, value), r + 8 * (q + 4 * value));
    }
    MmaAtom atom = MmaAtom::warp(DType::Int4, DType::Int4, DType::Int32, {16, 8, 32});
    for (int value = 0; value < 16; ++value)
      EXPECT_EQ(at(atom.layoutA, lane, value), r + 8 * (value / 8) + 16 * (8 * q + value % 8));
    for (int value = 0; value < 8; ++value)
      EXPECT_EQ(at(atom.layoutB, lane, value), r + 8 * (8 * q + value));
  }
}

TEST(MmaAtom, UnknownInstructionsAreAnErrorThatListsTheOthers) {
  try {
    MmaAtom::warp(DType::Float16, DType::Float16, DType::Float32, {16, 8, 32});
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("m16n8k16.f32.f16.f16"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("m16n8k32.f32.f16.f16"), std::string::npos);
  }
}

TEST(CopyAtom, MatricesMoveEveryElementOnce) {
  for (int matrices : {1, 2, 4})
    for (bool transposed : {false, true}) {
      CopyAtom load(CopyOp::loadMatrix(transposed, matrices), DType::Float16);
      EXPECT_TRUE(isBijection(load.destination(), 64 * matrices)) << load.str();
      CopyAtom store(CopyOp::storeMatrix(transposed, matrices), DType::BFloat16);
      EXPECT_TRUE(isBijection(store.source(), 64 * matrices)) << store.str();
      expectSame(store.source(), load.destination());
    }
  CopyAtom x4(CopyOp::loadMatrix(false, 4), DType::Float16);
  expectSame(x4.source(), parse("(32,8):(8,1)"));
  expectSame(x4.destination(), parse("(32,(2,4)):(2,(1,64))"));
  EXPECT_EQ(CopyAtom(CopyOp::loadMatrix(false, 4), DType::Float8E4M3FN).sourceValues(), 16);
}

/// PTX: lane 4 i + c has rows 4 c to 4 c + 3 of column i, and then of column i + 8.
TEST(CopyAtom, MatricesOfBytesMoveEveryElementOnce) {
  CopyOp op{CopyKind::LoadByteMatrix, CacheMode::Always, true, 1};
  EXPECT_TRUE(isBijection(CopyAtom(op, DType::Int8).destination(), 256));
  op.matrices = 2;
  CopyAtom x2(op, DType::Float8E5M2);
  EXPECT_TRUE(isBijection(x2.destination(), 512));
  expectSame(x2.source(), parse("(32,16):(16,1)"));
  expectSame(x2.destination(), parse("((4,8),(4,2,2)):((64,1),(16,8,256))"));
  op.packedBits = 4;
  expectSame(CopyAtom(op, DType::Int8).destination(), x2.destination());
  EXPECT_THROW(CopyAtom(op, DType::Float16), Error);
  op.matrices = 4;
  EXPECT_THROW(CopyAtom(op, DType::Int8), Error);
}

TEST(CopyAtom, OrdersOfCopiesOfOneThread) {
  const CopyOp acquire = CopyOp().ordered(MemoryOrder::Acquire, MemoryScope::System);
  EXPECT_EQ(CopyAtom(acquire, DType::Float32, 64).str(), "a copy (acquire.sys) of 2 Float32");
  EXPECT_FALSE(acquire == CopyOp());
  EXPECT_FALSE(acquire == acquire.ordered(MemoryOrder::Acquire));
  EXPECT_THROW(CopyAtom(CopyOp().ordered(MemoryOrder::AcquireRelease), DType::Float32), Error);
  EXPECT_THROW(CopyAtom(acquire, DType::Int4), Error);
  EXPECT_THROW(CopyAtom(CopyOp::asyncToShared().ordered(MemoryOrder::Relaxed), DType::Float32, 32),
               Error);
}

TEST(CopyAtom, TensorMemoryMovesEveryElementOnce) {
  for (int columns = 1; columns <= 128; columns *= 2) {
    CopyOp op{CopyKind::TensorMemoryLoad, CacheMode::Always, false, columns};
    CopyAtom load(op, DType::Float32);
    op.kind = CopyKind::TensorMemoryStore;
    CopyAtom store(op, DType::Int32);
    EXPECT_TRUE(isBijection(load.destination(), 32 * columns)) << load.str();
    expectSame(load.destination(), store.source());
    expectSame(load.source(), store.destination());
    // All threads of the warp name the whole: lane by lane, columns first.
    for (int thread = 0; thread < 32; ++thread)
      EXPECT_EQ(layout::crd2idx(layout::tuple(thread, columns), load.source())->value(), columns);
  }
  EXPECT_THROW(CopyAtom({CopyKind::TensorMemoryLoad, CacheMode::Always, false, 3}, DType::Float32),
               Error);
  EXPECT_THROW(CopyAtom({CopyKind::TensorMemoryLoad}, DType::Float64), Error);
}

TEST(MmaAtom, InTensorMemoryCoversItsTiles) {
  for (int n : {16, 48, 256})
    for (DType type : {DType::Float16, DType::BFloat16, DType::TFloat32, DType::Float8E5M2}) {
      int k = 256 / bitWidth(type);
      MmaAtom atom = MmaAtom::inTensorMemory(type, type, DType::Float32, {128, n, k}, {});
      EXPECT_TRUE(isBijection(atom.layoutA, 128 * k)) << atom.name;
      EXPECT_TRUE(isBijection(atom.layoutB, n * k)) << atom.name;
      EXPECT_TRUE(isBijection(atom.layoutC, 128 * n)) << atom.name;
    }
}

TEST(CopyAtom, BitsThatTheInstructionHasNot) {
  EXPECT_THROW(CopyAtom(CopyOp(), DType::Float32, 48), Error);
  EXPECT_THROW(CopyAtom(CopyOp::asyncToShared(), DType::Float16, 16), Error);
  EXPECT_THROW(CopyAtom(CopyOp::asyncToShared(CacheMode::Global), DType::Float16, 64), Error);
  EXPECT_THROW(CopyAtom(CopyOp::loadMatrix(false, 3), DType::Float16), Error);
  EXPECT_EQ(CopyAtom(CopyOp::asyncToShared(), DType::Float16, 128).sourceValues(), 8);
}

MmaAtom half() {
  return MmaAtom::warp(DType::Float16, DType::Float16, DType::Float32, {16, 8, 16});
}
/// The tiled copy of a GEMM on tensor cores: 2 x 2 warps, tiles of 32 x 32 x 16.
TiledMma fourWarps() {
  return TiledMma(half(), Layout(layout::tuple(2, 2, 1)),
                  Tiler(std::vector<Tiler>{count(32), count(32), count(16)}));
}

TEST(TiledMma, ThreadsAndValuesOfATile) {
  TiledMma mma = fourWarps();
  EXPECT_EQ(mma.size(), layout::Int(128));
  expectSame(mma.threads(), parse("(32,2,2,1):(1,32,64,128)"));
  expectSame(mma.elements(MmaOperand::A),
             parse("(((4,8),(2,2)),(2,2,2)):(((64,1),(16,0)),(32,8,256))"));
  expectSame(mma.elements(MmaOperand::B),
             parse("(((4,8),(2,2)),((2,2),2)):(((64,1),(0,8)),((32,256),16))"));
  expectSame(mma.elements(MmaOperand::C),
             parse("(((4,8),(2,2)),((2,2),2)):(((64,1),(16,256)),((32,8),512))"));
}

TEST(TiledMma, FourWarpsAlongM) {
  TiledMma mma(half(), Layout(layout::tuple(4, 1, 1)),
               Tiler(std::vector<Tiler>{count(64), count(16), count(16)}));
  expectSame(mma.elements(MmaOperand::A), parse("(((4,8),4),(2,2,2)):(((128,1),16),(64,8,512))"));
  expectSame(mma.elements(MmaOperand::B), parse("(((4,8),4),((2,2),2)):(((32,1),0),((16,128),8))"));
  expectSame(mma.elements(MmaOperand::C),
             parse("(((4,8),4),((2,2),2)):(((128,1),16),((64,8),512))"));
}

TEST(TiledMma, ShapesOfPartitions) {
  TiledMma mma = fourWarps();
  EXPECT_EQ(mma.partitionShape(MmaOperand::A, layout::tuple(128, 32)).str(), "((2,2,2),4,2)");
  EXPECT_EQ(mma.partitionShape(MmaOperand::B, layout::tuple(128, 32)).str(), "((2,2),8,2)");
  EXPECT_EQ(mma.partitionShape(MmaOperand::C, layout::tuple(128, 128)).str(), "((2,2),4,8)");
  EXPECT_EQ(mma.partitionShape(MmaOperand::A, layout::tuple(128, 32, 3)).str(), "((2,2,2),4,2,3)");
}

TEST(TiledMma, UniversalAtomsWithPermutations) {
  Layout atoms = parse("(16,16,1):(16,1,0)"), order = parse("(16,4):(4,1)");
  TiledMma mma(MmaAtom::universal(DType::Float32), atoms,
               Tiler(std::vector<Tiler>{order, order, Tiler()}));
  EXPECT_EQ(mma.size(), layout::Int(256));
  EXPECT_EQ(mma.tileSize(0), layout::Int(64));
  EXPECT_EQ(mma.tileSize(2), layout::Int(1));
  // Every thread has 4 x 4 neighbours of a tile, and all elements are dealt.
  Layout c = mma.elements(MmaOperand::C);
  EXPECT_TRUE(isBijection(c, 64 * 64));
  for (int value = 0; value < 16; ++value)
    EXPECT_EQ(layout::crd2idx(layout::tuple(0, value), c)->value(), value % 4 + 64 * (value / 4));
}

TEST(TiledMma, TilesThatTheAtomsDoNotFill) {
  EXPECT_THROW(TiledMma(half(), Layout(layout::tuple(2, 2, 1)),
                        Tiler(std::vector<Tiler>{count(48), count(32), count(16)})),
               Error);
}

/// The address of lane l of warp 0: row l % 16 and 8 columns from 8 (l / 16) on, of A; row
/// l % 8 + 16 (l / 16) and 8 columns from 8 (l / 8 % 2) on, of B whose tiles are dealt to two
/// warps.
TEST(TiledCopy, MatricesOfATiledMma) {
  TiledMma mma = fourWarps();
  CopyAtom atom(CopyOp::loadMatrix(false, 4), DType::Float16);
  TiledCopy a = TiledCopy::ofA(atom, mma), b = TiledCopy::ofB(atom, mma);
  EXPECT_EQ(a.tile().str(), "(32,16)");
  Layout ofA = a.sourceElements(), ofB = b.sourceElements();
  for (int lane = 0; lane < 32; ++lane)
    for (int value = 0; value < 8; ++value) {
      int row = lane % 16, column = 8 * (lane / 16) + value;
      EXPECT_EQ(layout::crd2idx(layout::tuple(lane, value), ofA)->value(), row + 32 * column);
      row = lane % 8 + 16 * (lane / 16);
      column = 8 * (lane / 8 % 2) + value;
      EXPECT_EQ(layout::crd2idx(layout::tuple(lane, value), ofB)->value(), row + 32 * column);
    }
  // The registers are those of the MMA.
  expectSame(a.destinationElements(), mma.elements(MmaOperand::A));
  expectSame(b.destinationElements(), mma.elements(MmaOperand::B));
}

/// Transposed matrices, of memory where the other mode is contiguous.
TEST(TiledCopy, TransposedMatricesOfATiledMma) {
  TiledMma mma = fourWarps();
  CopyAtom atom(CopyOp::loadMatrix(true, 4), DType::Float16);
  TiledCopy a = TiledCopy::ofA(atom, mma);
  Layout ofA = a.sourceElements();
  for (int lane = 0; lane < 32; ++lane)
    for (int value = 0; value < 8; ++value) {
      int column = lane % 8 + 8 * (lane / 16), row = 8 * (lane / 8 % 2) + value;
      EXPECT_EQ(layout::crd2idx(layout::tuple(lane, value), ofA)->value(), row + 32 * column);
    }
  expectSame(a.destinationElements(), mma.elements(MmaOperand::A));
}

Tensor registers(const char *layout) {
  return Tensor(Pointer(DType::Float16, nullptr, AddressSpace::Register), parse(layout));
}

TEST(TiledCopy, RetiledFragmentsAreTheSameElements) {
  TiledMma mma = fourWarps();
  CopyAtom atom(CopyOp::loadMatrix(false, 4), DType::Float16);
  Tensor a = registers("((2,2,2),4,2):((1,2,4),8,32)");
  Tensor viewA = TiledCopy::ofA(atom, mma).retile(a);
  EXPECT_EQ(layout::size(*layout::get(viewA.layout(), {0, 0})), layout::Int(8));
  EXPECT_EQ(layout::size(*layout::get(viewA.layout(), {1})), layout::Int(4));
  EXPECT_EQ(layout::size(*layout::get(viewA.layout(), {2})), layout::Int(2));
  expectSame(viewA.layout(), a.layout());
  // Two values of B's mode N belong to those of one atom.
  Tensor b = registers("((2,2),8,2):((1,2),4,32)");
  Tensor viewB = TiledCopy::ofB(atom, mma).retile(b);
  EXPECT_EQ(layout::size(*layout::get(viewB.layout(), {0})), layout::Int(8));
  EXPECT_EQ(layout::size(*layout::get(viewB.layout(), {1})), layout::Int(4));
  expectSame(viewB.layout(), b.layout());
}

/// An atom of eight values takes two blocks of four; a fragment that has one, or three, is of
/// another tiled form.
TEST(TiledCopy, FragmentsOfAnotherTiledForm) {
  TiledMma mma(half(), Layout(layout::tuple(1, 1, 1)));
  TiledCopy copy = TiledCopy::ofA(CopyAtom(CopyOp::loadMatrix(false, 4), DType::Float16), mma);
  Tensor pairs = registers("((2,2),3,2):((1,2),4,12)");
  expectSame(copy.retile(pairs).layout(), parse("(((4,2),1),3,1):(((1,12),0),4,0)"));
  for (const char *other :
       {"((2,2),1,1):((1,2),0,0)", "((2,2),2,3):((1,2),4,8)", "(6,2,2):(1,6,12)"})
    try {
      copy.retile(registers(other));
      FAIL() << other;
    } catch (const Error &error) {
      std::string message = error.what();
      EXPECT_NE(message.find(other), std::string::npos) << message;
      EXPECT_NE(message.find(copy.elements().str()), std::string::npos) << message;
    }
}

TEST(TiledCopy, ATileThatOneAtomOfCFills) {
  TiledMma mma = fourWarps();
  CopyAtom atom(CopyOp::storeMatrix(false, 4), DType::Float16);
  TiledCopy copy = TiledCopy::ofAtomC(atom, mma);
  EXPECT_EQ(copy.size(), layout::Int(128));
  EXPECT_EQ(valuesOf(copy.elements()), 8);
  EXPECT_EQ(layout::size(copy.tile()), layout::Int(128 * 8));
  EXPECT_TRUE(isBijection(copy.elements(), 128 * 8));
}

TEST(TiledCopy, OfDataWithAnOffsetForEachThread) {
  CopyAtom atom(CopyOp(), DType::Float32, 128);
  TiledCopy copy = TiledCopy::cotiled(atom, parse("(32,4):(4,1)"), parse("(8,16):(16,1)"));
  EXPECT_EQ(copy.size(), layout::Int(32));
  EXPECT_EQ(layout::size(copy.tile()), layout::Int(128));
}

/// More threads than the data has elements for begin again at its start.
TEST(TiledCopy, OfThreadsBeyondTheData) {
  CopyAtom atom(CopyOp(), DType::Float32, 128);
  struct Case {
    const char *elements, *data, *made;
  } cases[] = {
      {"(64,4):(4,1)", "(8,16):(16,1)", "((4,8,2),4):((8,1,0),32)"},
      {"(64,4):(4,1)", "(8,16):(1,8)", "(((2,16),2),4):(((1,8),0),2)"},
      {"(64,4):(4,1)", "(4,8,4):(32,4,1)", "((8,4,2),4):((4,1,0),32)"},
      {"(64,4):(4,1)", "128:1", "((32,2),4):((1,0),32)"},
  };
  for (const Case &each : cases) {
    TiledCopy copy = TiledCopy::cotiled(atom, parse(each.elements), parse(each.data));
    EXPECT_EQ(copy.elements().str(), each.made) << each.data;
    EXPECT_EQ(layout::size(copy.tile()), layout::Int(128)) << each.data;
  }
  // Values of one thread beyond the data, threads that are no multiple, and holes of the data.
  EXPECT_THROW(TiledCopy::cotiled(atom, parse("(128,4):(1,128)"), parse("(8,16):(1,8)")), Error);
  EXPECT_THROW(TiledCopy::cotiled(atom, parse("(48,4):(4,1)"), parse("(8,16):(1,8)")), Error);
  EXPECT_THROW(TiledCopy::cotiled(atom, parse("(48,4):(4,1)"), parse("(8,16):(32,1)")), Error);
}

TEST(TiledCopy, ThreadsAndValuesThatAreNoMultiplesOfTheAtoms) {
  CopyAtom four(CopyOp(), DType::Float32, 128), warp(CopyOp::loadMatrix(false, 4), DType::Float16);
  EXPECT_THROW(TiledCopy(four, parse("(32,6):(6,1)"), count(192)), Error);
  EXPECT_THROW(TiledCopy(warp, parse("(16,8):(8,1)"), count(128)), Error);
}

} // namespace
} // namespace fairlead::dsl
