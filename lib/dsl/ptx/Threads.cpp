/// What threads do together in inline PTX, and the registers that name them.
#include "dsl/ptx/Reader.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/Mbarrier.h"
#include "fairlead/dsl/Operation.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/atom/TiledMma.h"

using llvm::StringRef;

namespace fairlead::dsl::ptx {
namespace {

/// Registers that are no constant on the CPU: `%tid.x`.
std::optional<Scalar> indexOf(StringRef name) {
  auto [what, axis] = name.split('.');
  if (axis != "x" && axis != "y" && axis != "z")
    return std::nullopt;
  const int place = placeIn("tid ctaid ntid nctaid", what);
  if (place < 0)
    return std::nullopt;
  const Dim3 index = place == 0   ? threadIdx()
                     : place == 1 ? blockIdx()
                     : place == 2 ? blockDim()
                                  : gridDim();
  return axis == "x" ? index.x : axis == "y" ? index.y : index.z;
}

std::optional<Scalar> laneMask(StringRef which) {
  const Scalar bit = uint32(1) << cast(laneIdx(), DType::Uint32);
  const Scalar below = bit - 1;
  if (which == "eq")
    return bit;
  if (which == "lt")
    return below;
  if (which == "le")
    return bit | below;
  if (which == "gt")
    return ~(bit | below);
  if (which == "ge")
    return ~below;
  return std::nullopt;
}

std::optional<AtomicScope> scopeOf(Words words) {
  for (StringRef word : words)
    if (auto scope = enumIn<AtomicScope>("cta gpu sys", word))
      return scope;
  if (has(words, "cluster") || has(words, "gl"))
    return AtomicScope::Device;
  return std::nullopt;
}

std::optional<DType> operandType(StringRef word) {
  constexpr DType kTypes[] = {DType::Float16,      DType::BFloat16,   DType::TFloat32,
                              DType::Float8E4M3FN, DType::Float8E5M2, DType::Int8,
                              DType::Uint8,        DType::Float32,    DType::Int32};
  const int place = placeIn("f16 bf16 tf32 e4m3 e5m2 s8 u8 f32 s32", word);
  return place < 0 ? std::nullopt : std::optional(kTypes[place]);
}

/// The instruction of `sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`, if
/// MmaAtom::warp has it.
const MmaAtom *atomOf(Words words) {
  if (!words.empty() && words.back() == "satfinite")
    words = words.drop_back();
  if (words.size() != 9 || words[0] != "sync" || words[1] != "aligned" || words[3] != "row" ||
      words[4] != "col" || words[5] != words[8])
    return nullptr;
  const auto a = operandType(words[6]), b = operandType(words[7]), c = operandType(words[5]);
  for (const MmaAtom &atom : MmaAtom::table()) {
    const auto [m, n, k] = atom.shape;
    if (atom.a == a && atom.b == b && atom.c == c &&
        words[2] == ("m" + llvm::Twine(m) + "n" + llvm::Twine(n) + "k" + llvm::Twine(k)).str())
      return &atom;
  }
  return nullptr;
}

/// Registers as a tensor of elements of `type`.
Tensor fragment(const Scalars &numbers, DType type) {
  const auto size = static_cast<int>(numbers.size());
  const Tensor words =
      registerTensor(numbers.front().dtype(), layout::Layout(layout::IntTuple(size)));
  for (int index = 0; index < size; ++index)
    words.store({index}, numbers[index]);
  return recast(words, type);
}

} // namespace

std::optional<Scalar> Reader::special(StringRef name) {
  if (!name.consume_front("%") && name != "WARP_SZ")
    return std::nullopt;
  if (auto index = indexOf(name))
    return index;
  if (name == "laneid")
    return laneIdx();
  if (name == "warpid")
    return warpIdx();
  if (name.consume_front("lanemask_"))
    return laneMask(name);
  if (name == "dynamic_smem_size" || name == "total_smem_size")
    return dynamicSharedBytes();
  if (name == "cluster_ctarank")
    return blockRankInCluster();
  if (name == "clock64" || name == "globaltimer" || name == "gridid")
    return constant(DType::Uint64, int64_t{0});
  // One multiprocessor, and stopped clocks.
  constexpr int kNumbers[] = {1, 64, kWarpSize, 0, 0, 0, 0, 0};
  const int place =
      placeIn("nsmid nwarpid WARP_SZ smid clock clock_hi globaltimer_lo globaltimer_hi", name);
  return place < 0 ? std::nullopt : std::optional(uint32(kNumbers[place]));
}

void Reader::voteOf(Words words, Operands operands) {
  require(words.size() == 3 && words[0] == "sync" && operands.size() == 3);
  const auto kind = enumIn<Vote>("any all uni ballot", words[1]);
  require(kind.has_value());
  const Scalar predicate = read(operands[1], DType::Boolean);
  write(operands[0], vote(*kind, predicate, read(operands[2], DType::Int32)));
}

void Reader::shuffleOf(Words words, Operands operands) {
  require(words.size() == 3 && words[0] == "sync" && operands.size() == 5 &&
          !operands[0].contains('|'));
  const auto kind = enumIn<Shuffle>("idx up down bfly", words[1]);
  require(kind.has_value());
  const Scalar value = read(operands[1], DType::Uint32), offset = read(operands[2], DType::Int32);
  const Scalar clamp = read(operands[3], DType::Int32), mask = read(operands[4], DType::Int32);
  write(operands[0], shuffle(*kind, value, offset, mask, clamp));
}

/// `elect.sync lane|chosen, mask`, without the lane.
void Reader::elect(Words words, Operands operands) {
  require(words.size() == 1 && operands.size() == 2);
  auto [lane, chosen] = operands.front().split('|');
  require(lane.trim() == "_" && !chosen.empty());
  write(chosen.trim(), electOne());
}

/// `mbarrier.arrive.shared::cluster.b64 _, [barrier], count` and `mbarrier.arrive.expect_tx`, with
/// a number of bytes. The state before the arrival is not available.
void Reader::arriveAtMbarrier(Words words, Operands operands) {
  const bool announces = has(words, "expect_tx");
  for (StringRef word : words)
    require(placeIn("arrive expect_tx release cta cluster shared shared::cta shared::cluster b64",
                    word) >= 0);
  require(operands.size() == 3 || (operands.size() == 2 && !announces));
  require(operands[0] == "_");
  auto [barrier, block] = place(operands[1], DType::Int64);
  const Scalar number =
      operands.size() == 3 ? read(operands[2], DType::Int32) : constant(DType::Int32, int64_t{1});
  announces ? arriveExpecting(barrier, number, block) : arrive(barrier, number, block);
}

/// Whether a phase of an mbarrier has ended. Loops that wait for it: see waited().
void Reader::mbarrier(Words words, Operands operands) {
  if (has(words, "arrive"))
    return arriveAtMbarrier(words, operands);
  const bool tests = has(words, "test_wait");
  if (!(tests || has(words, "try_wait")) || !has(words, "parity") || operands.size() < 3)
    unknown();
  auto [barrier, block] = place(operands[1], DType::Int64);
  require(!block);
  const Scalar parity = read(operands[2], DType::Int32);
  write(operands[0], tests ? testWait(barrier, parity) : tryWait(barrier, parity));
}

void Reader::barrierOf(Words words, Operands operands) {
  if (words.size() == 2 && words[0] == "warp" && words[1] == "sync" && operands.size() == 1)
    return syncWarp(read(operands[0], DType::Int32));
  const auto *kind =
      llvm::find_if(words, [](StringRef word) { return word != "cta" && word != "aligned"; });
  const bool arrives = kind != words.end() && *kind == "arrive";
  const size_t isOther = llvm::count_if(words, [&](StringRef word) {
    return word != "cta" && word != "aligned" && word != (arrives ? "arrive" : "sync");
  });
  if (kind == words.end() || isOther || operands.empty() || operands.size() > 2 ||
      (arrives && operands.size() != 2))
    unknown();
  Scalars numbers = values(operands, 0, DType::Int32);
  if (arrives)
    return barrierArrive(numbers[0], numbers[1]);
  if (numbers.size() == 1) {
    const Dim3 threads = blockDim();
    numbers.push_back(threads.x * threads.y * threads.z);
  }
  barrier(numbers[0], numbers[1]);
}

void Reader::fenceOf(Words words, Operands) {
  const auto scope = scopeOf(words);
  if (!scope || (words.front() != "acq_rel" && words.front() != "sc"))
    unknown();
  fence(*scope);
}

void Reader::membar(Words words, Operands) {
  const auto scope = scopeOf(words);
  require(scope.has_value());
  fence(*scope);
}

/// The call raises AssertionError.
void Reader::trap(Words, Operands) { assertThat(constant(DType::Boolean, int64_t{0}), "trap"); }

/// mma.sync with block scaling, whose scale factors the first lanes have, from their lowest byte
/// on: `d, a, b, c, scaleA, {0, 0}, scaleB, {0, 0}`.
void Reader::scaledMma(Words words, Operands operands) {
  std::string kind;
  std::vector<std::string> types;
  int64_t factors = 0, k = 0;
  for (StringRef word : words)
    if (word.consume_front("kind::"))
      kind = word.str();
    else if (word.consume_front("scale_vec::") && word.consume_back("X"))
      word.getAsInteger(10, factors);
    else if (word.consume_front("m16n8k"))
      word.getAsInteger(10, k);
    else if (placeIn("e4m3 e5m2 e3m2 e2m3 e2m1 ue8m0 ue4m3", word) >= 0)
      types.push_back(word.str());
  require(factors > 0 && k > 0 && types.size() == 3 && operands.size() == 8);
  Scalars registers;
  for (int index : {1, 2, 3})
    for (StringRef name : parts(operands[index]))
      registers.push_back(read(name, index == 3 ? DType::Float32 : DType::Uint32));
  for (int index : {4, 6}) {
    // A byte of the word has the first factor; the second number chooses lanes.
    auto selectors = parts(operands[index + 1]);
    require(selectors.size() == 2 && read(selectors[1], DType::Uint32).staticInt() == 0);
    const auto byte = read(selectors[0], DType::Uint32).staticInt();
    require(byte.has_value() && *byte >= 0 && *byte + factors <= 4);
    const Scalar bytes = read(operands[index], DType::Uint32);
    registers.push_back(*byte ? bytes >> 8 * static_cast<int>(*byte) : bytes);
  }
  require(registers.size() == 12);
  OperationForm form;
  form.attributes = {{"kind", kind},
                     {"a_type", types[0]},
                     {"b_type", types[1]},
                     {"scale_type", types[2]},
                     {"vector", static_cast<int>(k / factors)}};
  form.results.assign(4, DType::Float32);
  const std::vector<OperationOperand> inputs(registers.begin(), registers.end());
  const Scalars sums = operation("mma.block_scale", inputs, form);
  for (auto [name, sum] : llvm::zip(elements(operands[0], 4), sums))
    write(name, sum);
}

/// mma.sync, on the registers of PTX.
void Reader::mma(Words words, Operands operands) {
  if (has(words, "block_scale"))
    return scaledMma(words, operands);
  const MmaAtom *atom = atomOf(words);
  require(atom && operands.size() == 4);
  const auto [m, n, k] = atom->shape;
  const DType sum = bitWidth(atom->c) < 32 ? DType::Uint32 : atom->c;
  // Registers of 32 bits that each of the 32 lanes has of A, B and C.
  const std::array<int, 3> counts = {m * k * bitWidth(atom->a) / 1024,
                                     n * k * bitWidth(atom->b) / 1024,
                                     m * n * bitWidth(atom->c) / 1024};
  std::array<Scalars, 3> numbers;
  for (int index = 0; index < 3; ++index) {
    for (StringRef name : parts(operands[index + 1]))
      numbers[index].push_back(read(name, index < 2 ? DType::Uint32 : sum));
    require(static_cast<int>(numbers[index].size()) == counts[index]);
  }
  const Tensor a = fragment(numbers[0], atom->a), b = fragment(numbers[1], atom->b);
  const Tensor d = fragment(numbers[2], atom->c);
  mmaAtom(*atom, d, a, b, d);
  const Tensor results = recast(d, sum);
  for (auto [index, name] : llvm::enumerate(elements(operands[0], counts[2])))
    write(name, results.load({static_cast<int>(index)}));
}

} // namespace fairlead::dsl::ptx
