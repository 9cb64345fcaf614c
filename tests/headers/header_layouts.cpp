/// Prints what CUTLASS's headers (BSD-3) say of Blackwell's instructions: words, descriptors and
/// layouts. Each line is a case, " = " and the headers' answer; test_header_layouts.py compares
/// ours. Code for the host only. A section is chosen when it is compiled: -DSECTION=1 and so on, so
/// that sections compile side by side.
#include <array>
#include <cstdio>
#include <string>

#include <cute/tensor.hpp>

#include <cute/arch/mma_sm100_desc.hpp>
#include <cute/atom/copy_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm120.hpp>
#include <cutlass/detail/sm100_blockscaled_layout.hpp>

namespace {

using namespace cute;
using UMMA::Major;
using namespace cute::detail;

template <class T> struct Name;
#define NAME(TYPE, TEXT)                                                                           \
  template <> struct Name<TYPE> {                                                                  \
    static constexpr const char *text = TEXT;                                                      \
  };
NAME(half_t, "Float16")
NAME(bfloat16_t, "BFloat16")
NAME(tfloat32_t, "TFloat32")
NAME(float, "Float32")
NAME(int8_t, "Int8")
NAME(uint8_t, "Uint8")
NAME(int32_t, "Int32")
NAME(float_e4m3_t, "Float8E4M3FN")
NAME(float_e5m2_t, "Float8E5M2")
NAME(float_e2m3_unpacksmem_t, "Float6E2M3FN")
NAME(float_e3m2_unpacksmem_t, "Float6E3M2FN")
NAME(float_e2m1_unpacksmem_t, "Float4E2M1FN")
NAME(float_e2m1_t, "Float4E2M1FN")
NAME(float_ue8m0_t, "Float8E8M0FNU")
NAME(float_ue4m3_t, "Float8E4M3FN")
template <class T> constexpr const char *nameOf = Name<T>::text;
constexpr const char *majorName(Major major) { return major == Major::K ? "K" : "MN"; }

template <class... T> struct Types {};
template <class... T, class F> void each(Types<T...>, F visit) {
  (visit.template operator()<T>(), ...);
}
template <int... Numbers> struct Values {};
template <int... Numbers, class F> void each(Values<Numbers...>, F visit) {
  (visit.template operator()<Numbers>(), ...);
}
template <class F> void eachMajor(F visit) {
  visit.template operator()<Major::K>();
  visit.template operator()<Major::MN>();
}
/// Calls with First, First + Step, ... up to Last.
template <int First, int Step, int Last, class F> void upTo(F visit) {
  if constexpr (First <= Last) {
    visit.template operator()<First>();
    upTo<First + Step, Step, Last>(visit);
  }
}

//===--- 1: words of instructions -------------------------------------------------------------===//

using Narrow = Types<float_e4m3_t, float_e5m2_t, float_e2m3_unpacksmem_t, float_e3m2_unpacksmem_t,
                     float_e2m1_unpacksmem_t>;

/// M of an instruction of `Blocks` blocks.
template <int Blocks, class F> void eachM(F visit) {
  each(Values<64 * Blocks, 128 * Blocks>{}, visit);
}

template <class A, class B, class C, int M, int N, Major MajorA, Major MajorB>
void printWord(const char *kind, int blocks) {
  std::printf("word %s %s %s %s %d %d %s %s %d = %08x\n", kind, nameOf<A>, nameOf<B>, nameOf<C>, M,
              N, majorName(MajorA), majorName(MajorB), blocks,
              static_cast<uint32_t>(UMMA::make_instr_desc<A, B, C, M, N, MajorA, MajorB>()));
}

template <class A, class B, class C, int First, int Step, int Blocks>
void printWords(const char *kind) {
  eachM<Blocks>([&]<int M>() {
    eachMajor([&]<Major MajorA>() {
      eachMajor([&]<Major MajorB>() {
        upTo<First, Step, 256>(
            [&]<int N>() { printWord<A, B, C, M, N, MajorA, MajorB>(kind, Blocks); });
      });
    });
  });
}

template <class A, class B, class SF, int M, int N, Major MajorA, Major MajorB>
void printScaledWord(const char *kind, int vector, int blocks) {
  for (uint32_t a = 0; a < 4; ++a)
    for (uint32_t b = 0; b < 4; b += 3) {
      const uint64_t word =
          UMMA::make_runtime_instr_desc_block_scaled<A, B, float, SF, M, N, MajorA, MajorB>(
              a << 30 | 64, b << 30 | 128);
      std::printf("scaled-word %s %s %s %s %d %d %d %s %s %d %u %u = %08x\n", kind, nameOf<A>,
                  nameOf<B>, nameOf<SF>, vector, M, N, majorName(MajorA), majorName(MajorB), blocks,
                  a, b, static_cast<uint32_t>(word >> 32));
    }
}

template <int Blocks> void printScaledWords() {
  constexpr int M = 128 * Blocks;
  upTo<64, 64, 256>([]<int N>() {
    each(Narrow{}, []<class A>() {
      each(Narrow{}, []<class B>() {
        printScaledWord<A, B, float_ue8m0_t, M, N, Major::K, Major::K>("mxf8f6f4", 32, Blocks);
      });
    });
    printScaledWord<float_e4m3_t, float_e5m2_t, float_ue8m0_t, M, N, Major::MN, Major::K>(
        "mxf8f6f4", 32, Blocks);
    printScaledWord<float_e4m3_t, float_e5m2_t, float_ue8m0_t, M, N, Major::MN, Major::MN>(
        "mxf8f6f4", 32, Blocks);
  });
  upTo<16 * Blocks, 16 * Blocks, 256>([]<int N>() {
    using Four = float_e2m1_t;
    printScaledWord<Four, Four, float_ue8m0_t, M, N, Major::K, Major::K>("mxf4", 32, Blocks);
    printScaledWord<Four, Four, float_ue8m0_t, M, N, Major::K, Major::K>("mxf4nvf4", 16, Blocks);
    printScaledWord<Four, Four, float_ue4m3_t, M, N, Major::K, Major::K>("mxf4nvf4", 16, Blocks);
  });
}

template <int Blocks> void printAllWords() {
  constexpr int kStep = 8 * Blocks;
  printWords<half_t, half_t, float, kStep, kStep, Blocks>("f16");
  printWords<half_t, half_t, half_t, 64, 64, Blocks>("f16");
  printWords<bfloat16_t, bfloat16_t, float, 64, 64, Blocks>("f16");
  printWords<tfloat32_t, tfloat32_t, float, 64, 64, Blocks>("tf32");
  each(Narrow{}, []<class A>() {
    each(Narrow{}, []<class B>() {
      printWords<A, B, float, 32, 224, Blocks>("f8f6f4");
      printWords<A, B, half_t, 64, 256, Blocks>("f8f6f4");
    });
  });
  printWords<int8_t, int8_t, int32_t, 64, 32, Blocks>("i8");
  printWords<uint8_t, uint8_t, int32_t, 64, 64, Blocks>("i8");
  printScaledWords<Blocks>();
}

//===--- the instructions ---------------------------------------------------------------------===//

/// The operation on operands of type A, of a block or of a pair.
template <class A, class C, int M, int N, Major MajorA, Major MajorB, int Blocks> auto operation() {
  if constexpr (is_same_v<A, half_t> || is_same_v<A, bfloat16_t>) {
    if constexpr (Blocks == 1)
      return SM100_MMA_F16BF16_SS<A, A, C, M, N, MajorA, MajorB>{};
    else
      return SM100_MMA_F16BF16_2x1SM_SS<A, A, C, M, N, MajorA, MajorB>{};
  } else if constexpr (is_same_v<A, tfloat32_t>) {
    if constexpr (Blocks == 1)
      return SM100_MMA_TF32_SS<A, A, C, M, N, MajorA, MajorB>{};
    else
      return SM100_MMA_TF32_2x1SM_SS<A, A, C, M, N, MajorA, MajorB>{};
  } else {
    static_assert(is_same_v<A, int8_t>);
    if constexpr (Blocks == 1)
      return SM100_MMA_S8_SS<A, A, C, M, N, MajorA, MajorB>{};
    else
      return SM100_MMA_S8_2x1SM_SS<A, A, C, M, N, MajorA, MajorB>{};
  }
}

/// The operation with scale factors of type SF for each `Vector` elements.
template <class A, class SF, int Vector, int N, int Blocks> auto scaledOperation() {
  constexpr int M = 128 * Blocks;
  if constexpr (!is_same_v<A, float_e2m1_t>) {
    if constexpr (Blocks == 1)
      return SM100_MMA_MXF8F6F4_SS<A, A, float, SF, M, N, Major::K, Major::K>{};
    else
      return SM100_MMA_MXF8F6F4_2x1SM_SS<A, A, float, SF, M, N, Major::K, Major::K>{};
  } else {
    if constexpr (Blocks == 1)
      return SM100_MMA_MXF4_SS<A, A, float, SF, M, N, Vector, Major::K, Major::K>{};
    else
      return SM100_MMA_MXF4_2x1SM_SS<A, A, float, SF, M, N, Vector, Major::K, Major::K>{};
  }
}

template <class Layout> void printLayout(const char *before, const Layout &layout) {
  std::printf("%s", before);
  print(layout);
}

//===--- 2: operands in shared memory ---------------------------------------------------------===//

template <bool IsA, class Mma, class Rows, class Depth>
constexpr auto partitionShape(const Mma &mma, Rows rows, Depth depth) {
  if constexpr (IsA)
    return partition_shape_A(mma, make_shape(rows, depth));
  else
    return partition_shape_B(mma, make_shape(rows, depth));
}

/// An operand of `Tiles` products along M or N and `Steps` along K, in `Stages` stages of an atom.
template <bool IsA, Major Along, int Tiles, int Steps, int Stages, class A, class Mma, class Atom>
void printOperand(const char *kind, const Mma &mma, int extent, int blocks, Atom atom) {
  constexpr auto rows = Int<tile_size<IsA ? 0 : 1>(Mma{}) * Tiles>{};
  constexpr auto depth = Int<tile_size<2>(Mma{}) * Steps>{};
  constexpr auto shape = append(partitionShape<IsA>(Mma{}, rows, depth), Int<Stages>{});
  constexpr int ownRows = decltype(size<0, 0>(shape) * size<1>(shape))::value;
  constexpr int atomRows = decltype(size<0>(atom))::value;
  constexpr int atomDepth = decltype(size<1>(atom))::value;
  // The atoms of a product are whole.
  constexpr int partRows = decltype(size<0, 0>(shape))::value;
  if constexpr (ownRows % atomRows == 0 && depth % atomDepth == 0 &&
                (Along == Major::K || partRows % atomRows == 0 || ownRows == partRows)) {
    using Order = conditional_t<Along == Major::MN, Step<_2, _1, _3>, Step<_1, _2, _3>>;
    auto layout = UMMA::tile_to_mma_shape(atom, shape, Order{});
    auto operand = make_tensor(make_smem_ptr(static_cast<A *>(nullptr)), layout);
    std::printf("operand %s %s %s %s %d %d %d %d %d = ", nameOf<A>, IsA ? "A" : "B",
                majorName(Along), kind, extent, Tiles, Steps, Stages, blocks);
    printLayout("", layout);
    auto fragment = [&] {
      if constexpr (IsA)
        return mma.make_fragment_A(operand);
      else
        return mma.make_fragment_B(operand);
    }();
    std::printf(" / %016llx", static_cast<unsigned long long>(uint64_t(fragment.data()[0])));
    printLayout(" / ", fragment.layout());
    std::printf("\n");
  }
}

template <bool IsA, Major Along, class A, int Extent, int Blocks, class Mma>
void printOperandOf(const Mma &mma) {
  auto withAtom = [&](const char *kind, auto atom) {
    printOperand<IsA, Along, 1, 4, 3, A>(kind, mma, Extent, Blocks, atom);
  };
  if constexpr (Along == Major::K) {
    withAtom("K_SW128", UMMA::Layout_K_SW128_Atom<A>{});
    withAtom("K_SW64", UMMA::Layout_K_SW64_Atom<A>{});
    withAtom("K_SW32", UMMA::Layout_K_SW32_Atom<A>{});
    withAtom("K_INTER", UMMA::Layout_K_INTER_Atom<A>{});
  } else if constexpr (is_same_v<A, tfloat32_t>) {
    withAtom("MN_SW128_32B", UMMA::Layout_MN_SW128_32B_Atom<A>{});
  } else {
    withAtom("MN_SW128", UMMA::Layout_MN_SW128_Atom<A>{});
    withAtom("MN_SW64", UMMA::Layout_MN_SW64_Atom<A>{});
    withAtom("MN_SW32", UMMA::Layout_MN_SW32_Atom<A>{});
    withAtom("MN_INTER", UMMA::Layout_MN_INTER_Atom<A>{});
  }
}

template <class A, class C, int Blocks> void printOperands() {
  eachM<Blocks>([]<int M>() {
    eachMajor([]<Major MajorA>() {
      printOperandOf<true, MajorA, A, M, Blocks>(
          make_tiled_mma(operation<A, C, M, 64, MajorA, Major::K, Blocks>()));
    });
  });
  each(Values<32, 192>{}, []<int N>() {
    eachMajor([]<Major MajorB>() {
      printOperandOf<false, MajorB, A, N, Blocks>(
          make_tiled_mma(operation<A, C, 128, N, Major::K, MajorB, Blocks>()));
    });
  });
}

template <int Blocks> void printAllOperands() {
  printOperands<half_t, float, Blocks>();
  printOperands<tfloat32_t, float, Blocks>();
  printOperands<int8_t, int32_t, Blocks>();
  auto mma = make_tiled_mma(scaledOperation<float_e2m1_t, float_ue8m0_t, 32, 128, Blocks>());
  printOperandOf<true, Major::K, float_e2m1_t, 128 * Blocks, Blocks>(mma);
  printOperandOf<false, Major::K, float_e2m1_t, 128, Blocks>(mma);
}

//===--- 3: accumulators in tensor memory, and which block holds what -------------------------===//

template <class A, class C, int M, int N, int Blocks> void printSums() {
  constexpr Major K = Major::K;
  auto mma = make_tiled_mma(operation<A, C, M, N, K, K, Blocks>());
  std::printf("blocks %s %s %d %d %d = ", nameOf<A>, nameOf<C>, M, N, Blocks);
  printLayout("", typename decltype(mma)::AtomThrID{});
  printLayout(" / ", typename decltype(mma)::AtomLayoutA_TV{});
  printLayout(" / ", typename decltype(mma)::AtomLayoutB_TV{});
  printLayout(" / ", typename decltype(mma)::AtomLayoutC_TV{});
  std::printf("\n");
  auto withTiles = [&]<int AlongM, int AlongN, int Stages>() {
    constexpr bool isHalf = M == 64;
    constexpr int lanes = M / Blocks == 64 && Blocks == 2 ? 2 : 1;
    constexpr int tiles = AlongM * AlongN * Stages;
    if constexpr ((isHalf ? (tiles + 1) / 2 : tiles) * N / lanes <= 512 &&
                  (!isHalf || AlongM == 2 || (AlongM == 1 && tiles == 1))) {
      auto shape = partition_shape_C(mma, make_shape(Int<M * AlongM>{}, Int<N * AlongN>{}));
      auto sums = mma.make_fragment_C(append(shape, Int<Stages>{}));
      std::printf("sums %s %s %d %d %d %d %d %d = ", nameOf<A>, nameOf<C>, M, N, AlongM, AlongN,
                  Stages, Blocks);
      printLayout("", sums.layout());
      std::printf("\n");
    }
  };
  withTiles.template operator()<1, 1, 1>();
  withTiles.template operator()<1, 1, 2>();
  withTiles.template operator()<2, 1, 1>();
  withTiles.template operator()<1, 2, 1>();
  withTiles.template operator()<2, 2, 2>();
}

template <int Blocks> void printAllSums() {
  eachM<Blocks>([]<int M>() {
    each(Values<32, 96, 256>{}, []<int N>() {
      printSums<half_t, float, M, N, Blocks>();
      printSums<half_t, half_t, M, N, Blocks>();
    });
    printSums<int8_t, int32_t, M, 128, Blocks>();
  });
}

//===--- 4: copies between registers and tensor memory ----------------------------------------===//

template <class T, int M, int N, int Blocks> auto sumsOf() {
  constexpr Major K = Major::K;
  auto mma = make_tiled_mma(operation<half_t, T, M, N, K, K, Blocks>());
  auto sums = mma.make_fragment_C(partition_shape_C(mma, make_shape(Int<M>{}, Int<N>{})));
  return sums(make_coord(_, _), _0{}, _0{});
}

template <class Op, class T, int M, int Blocks, int Columns, bool HasHalves>
void printCopy(const char *name, int repeat) {
  // Rows of 64 in a pair have half of the columns.
  constexpr int needed = Columns * (M == 128 && Blocks == 2 ? 2 : 1);
  constexpr int N = needed < 32 ? 32 : needed;
  if constexpr (N <= 256) {
    auto copy = make_tmem_copy(Op{}, sumsOf<T, M, N, Blocks>());
    using Copy = decltype(copy);
    std::printf("copy %s %d %s %s %d %d %d = ", name, repeat, HasHalves ? "halves" : "words",
                nameOf<T>, M, N, Blocks);
    printLayout("", typename Copy::Tiler_MN{});
    printLayout(" / ", Copy::get_layoutS_TV());
    printLayout(" / ", Copy::get_layoutD_TV());
    std::printf("\n");
  }
}

template <class Op, int Columns, bool HasHalves, int Lanes>
void printCopies(const char *name, int repeat) {
  using T = conditional_t<HasHalves, half_t, float>;
  if constexpr (Lanes == 16)
    printCopy<Op, T, 64, 1, Columns, HasHalves>(name, repeat);
  printCopy<Op, T, 128, 1, Columns, HasHalves>(name, repeat);
  printCopy<Op, T, 128, 2, Columns, HasHalves>(name, repeat);
}

#define COPY(OP, NAME, LANES, BITS, REPEAT, CLASS, COLUMNS)                                        \
  printCopies<SM100_TMEM_##OP##_##LANES##dp##BITS##b##REPEAT##x, (COLUMNS) * REPEAT, false,        \
              LANES>(NAME CLASS, REPEAT);                                                          \
  printCopies<SM100_TMEM_##OP##_##LANES##dp##BITS##b##REPEAT##x_16b, 2 * (COLUMNS) * REPEAT, true, \
              LANES>(NAME CLASS, REPEAT);
#define LOAD(...) COPY(LOAD, "Ld", __VA_ARGS__)
#define STORE(...) COPY(STORE, "St", __VA_ARGS__)

void printAllCopies() {
  LOAD(32, 32, 1, "32x32b", 1)
  LOAD(32, 32, 32, "32x32b", 1)
  LOAD(16, 64, 1, "16x64b", 2)
  LOAD(16, 64, 4, "16x64b", 2)
  LOAD(16, 128, 1, "16x128b", 4)
  LOAD(16, 128, 4, "16x128b", 4)
  LOAD(16, 256, 1, "16x256b", 8)
  LOAD(16, 256, 4, "16x256b", 8)
  LOAD(16, 32, 1, "16x32bx2", 2)
  LOAD(16, 32, 8, "16x32bx2", 2)
  STORE(32, 32, 8, "32x32b", 1)
  STORE(16, 64, 2, "16x64b", 2)
  STORE(16, 128, 2, "16x128b", 4)
  STORE(16, 256, 2, "16x256b", 8)
  STORE(16, 32, 2, "16x32bx2", 2)
}

//===--- 5: scale factors ---------------------------------------------------------------------===//

template <class A, class SF, int Vector, int N, int Steps, int Blocks>
void printScales(const char *kind) {
  constexpr int kDepth = is_same_v<A, float_e2m1_t> ? 64 : 32;
  auto mma = make_tiled_mma(scaledOperation<A, SF, Vector, N, Blocks>());
  using Mma = decltype(mma);
  using Config = cutlass::detail::Sm1xxBlockScaledConfig<Vector>;
  using Tile = Shape<Int<128 * Blocks>, Int<N>, Int<Steps * kDepth>>;
  auto a = Config::deduce_smem_layoutSFA(mma, Tile{});
  auto b = Config::deduce_smem_layoutSFB(mma, Tile{});
  std::printf("scales %s %s %s %d %d %d %d = ", kind, nameOf<A>, nameOf<SF>, Vector, N, Steps,
              Blocks);
  printLayout("", a);
  printLayout(" / ", b);
  auto memoryA = make_tensor<typename Mma::FrgTypeSFA>(shape(a));
  auto memoryB = make_tensor<typename Mma::FrgTypeSFB>(shape(b));
  printLayout(" / ", memoryA.layout());
  printLayout(" / ", memoryB.layout());
  auto rows = [](auto scales, auto memory) {
    using Op = SM100_UTCCP_4x32dp128bit_1cta;
    auto compact = make_tensor(memory.data(), filter_zeros(memory.layout()));
    auto copy = make_utccp_copy(Op{}, compact);
    using Copy = decltype(copy);
    printLayout(" / ", typename Copy::Tiler_MN{});
    printLayout(" / ", Copy::get_layoutD_TV());
    auto source = make_tensor(make_smem_ptr(static_cast<SF *>(nullptr)),
                              filter_zeros(append(scales, make_layout(_2{}, cosize(scales)))));
    auto part = copy.get_slice(0).partition_S(source);
    auto descriptors = get_utccp_smem_desc_tensor<Op>(part);
    std::printf(" / %016llx", static_cast<unsigned long long>(uint64_t(descriptors.data()[0])));
    printLayout(" / ", descriptors.layout());
    printLayout(" / ", copy.get_slice(0).partition_D(compact).layout());
  };
  rows(a, memoryA);
  rows(b, memoryB);
  std::printf("\n");
}

template <class A, class SF, int Vector, int Blocks> void printScalesOf(const char *kind) {
  printScales<A, SF, Vector, 64, 4, Blocks>(kind);
  printScales<A, SF, Vector, 256, 4, Blocks>(kind);
}

template <int Vector> void printChunks() {
  using Config = cutlass::detail::Sm1xxBlockScaledConfig<Vector>;
  for (int rows : {128, 256, 384, 1024})
    for (int depth : {4, 8, 12, 32})
      for (int batch : {1, 3}) {
        const int k = depth * Vector;
        std::printf("chunks %d %d %d %d = ", Vector, rows, k, batch);
        printLayout("", Config::tile_atom_to_shape_SFA(make_shape(rows, rows, k, batch)));
        std::printf("\n");
      }
}

template <int Blocks> void printAllScales() {
  printScalesOf<float_e4m3_t, float_ue8m0_t, 32, Blocks>("mxf8f6f4");
  printScalesOf<float_e2m1_t, float_ue8m0_t, 32, Blocks>("mxf4");
  printScalesOf<float_e2m1_t, float_ue4m3_t, 16, Blocks>("mxf4nvf4");
  printScalesOf<float_e2m1_t, float_ue8m0_t, 16, Blocks>("mxf4nvf4");
}

//===--- fragments of warps with scale factors ------------------------------------------------===//

template <class Op> void printFragments(const char *kind) {
  using Traits = MMA_Traits<Op>;
  std::printf("fragments %s = ", kind);
  printLayout("", typename Traits::ALayout{});
  printLayout(" / ", typename Traits::BLayout{});
  printLayout(" / ", typename Traits::CLayout{});
  printLayout(" / ", typename Traits::SFALayout{});
  printLayout(" / ", typename Traits::SFBLayout{});
  std::printf("\n");
}

void printAllFragments() {
  using namespace SM120::BLOCKSCALED;
  using Four = float_e2m1_t;
  using Eight = float_e4m3_t;
  printFragments<SM120_16x8x64_TN_VS<Four, Four, float, float_ue4m3_t, 16>>("mxf4nvf4");
  printFragments<SM120_16x8x64_TN_VS<Four, Four, float, float_ue8m0_t, 32>>("mxf4");
  printFragments<SM120_16x8x32_TN_VS<Eight, Eight, float, float_ue8m0_t, 32>>("mxf8");
}

} // namespace

int main() {
#if SECTION == 1
  printAllWords<1>();
  printAllWords<2>();
#elif SECTION == 2
  printAllOperands<1>();
  printAllOperands<2>();
#elif SECTION == 3
  printAllSums<1>();
  printAllSums<2>();
#elif SECTION == 4
  printAllCopies();
#elif SECTION == 6
  printAllFragments();
#else
  printChunks<16>();
  printChunks<32>();
  printAllScales<1>();
  printAllScales<2>();
#endif
}
