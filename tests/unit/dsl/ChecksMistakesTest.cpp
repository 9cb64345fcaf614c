/// Mistakes of ordinary programs in the C++ DSL: the message, and the program's line.
#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Pointer;
using fl::Scalar;
using fl::Tensor;

constexpr int kThreads = 64;

/// The line of the mistake in the kernel that was traced last.
int markedLine = 0;
/// `value`; marks the line of the call.
template <typename T> T marked(T value, int line = __builtin_LINE()) {
  markedLine = line;
  return value;
}

Tensor sharedFloats(int64_t count) {
  return fl::allocateShared(fl::f32, count * 4, 16).tensor({Scalar(count)}, {Scalar(1)});
}

/// A mistake: words of the error of a call under `--check all`, and the body of the kernel.
struct Mistake {
  const char *name;
  std::string text; ///< a part of what is said
  void (*body)(const Tensor &a, const Tensor &b);
  int blocks = 1;
};
void PrintTo(const Mistake &mistake, std::ostream *stream) { *stream << mistake.name; }

/// The error of a kernel that gets 64 floats, 64 results; "" if there is none.
std::string said(const Mistake &mistake) {
  try {
    auto host = fl::jit("host", {"a", "b"}, [&](Tensor a, Tensor b) {
      fl::LaunchConfig config;
      config.grid[0] = mistake.blocks;
      config.block[0] = kThreads;
      fl::launch(fl::kernel("device", [&](Tensor x, Tensor y) { mistake.body(x, y); }), config, a,
                 b);
    });
    CompileOptions options = cpuOptions();
    options.checks = "all";
    fl::SymInt n, m;
    auto f = makeFunction(compileArtifact(
        host, {fl::fakeTensor(fl::f32, {n}), fl::fakeTensor(fl::f32, {m})}, options));
    HostTensor<float> a(std::vector<float>(kThreads, 1.0f), {kThreads}, DType::Float32);
    HostTensor<float> b(std::vector<float>(kThreads, 0.0f), {kThreads}, DType::Float32);
    f(&a.view, &b.view);
  } catch (const tvm::ffi::Error &error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  } catch (const Error &error) {
    return std::string("tracing: ") + error.what();
  }
  return "";
}

const Mistake kMistakes[] = {
    {"IndexOneTooHigh", "bounds: index 64 of mode 0, which has extent 64",
     [](const Tensor &a, const Tensor &b) {
       b[marked(fl::threadIdx().x)] = a[fl::threadIdx().x + 1];
     }},
    {"NegativeIndex", "bounds: index -1 of mode 0",
     [](const Tensor &a, const Tensor &b) {
       b[marked(fl::threadIdx().x)] = a[fl::threadIdx().x - 1];
     }},
    {"BlockTooMany", "bounds: index 64 of mode 0",
     [](const Tensor &a, const Tensor &b) {
       Scalar i = fl::blockIdx().x * kThreads + fl::threadIdx().x;
       b[marked(i)] = Scalar(a[i]);
     },
     2},
    {"BlocksWriteOneElement", "Blocks run at the same time",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       b[marked(t)] = Scalar(b[t]) + Scalar(a[t]);
     },
     2},
    {"NoBarrier", "syncThreads() between lines",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       Tensor s = sharedFloats(kThreads);
       s[t] = Scalar(a[t]);
       b[marked(t)] = Scalar(s[63 - t]);
     }},
    {"NoBarrierAtTheEndOfALoop", "where a loop goes around them, after line",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       Tensor s = sharedFloats(kThreads);
       fl::for_(0, Scalar(a.shape(0)) / 32, [&](const Scalar &i) {
         s[t] = Scalar(a[t]) + fl::cast(i, DType::Float32);
         fl::syncThreads();
         b[marked(t)] = Scalar(s[63 - t]);
       });
     }},
    {"SharedMemoryTooSmall", "bounds: index 63 of mode 0, which has extent 63",
     [](const Tensor &a, const Tensor &) {
       Tensor s = sharedFloats(63);
       s[marked(fl::threadIdx().x)] = Scalar(a[fl::threadIdx().x]);
     }},
    {"AccumulatorNotCleared", "init: memory that nothing has written to",
     [](const Tensor &a, const Tensor &b) {
       Tensor sum = fl::registerTensor(fl::f32, layout::Layout(1));
       fl::for_(0, Scalar(a.shape(0)),
                [&](const Scalar &i) { sum[0] = Scalar(sum[0]) + Scalar(a[i]); });
       b[marked(fl::threadIdx().x)] = Scalar(sum[0]);
     }},
    {"TileWrittenInPart", "init: memory that nothing has written to",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       Tensor s = sharedFloats(kThreads);
       fl::if_(t < Scalar(a.shape(0)) - 1, [&] { s[t] = Scalar(a[t]); });
       fl::syncThreads();
       b[marked(t)] = Scalar(s[63 - t]);
     }},
    {"AtomicsAndPlainAccesses", "race: b[0]",
     [](const Tensor &a, const Tensor &b) {
       fl::atomic(fl::AtomicOp::Add, b.pointer(), Scalar(a[fl::threadIdx().x]));
       fl::if_(Scalar(b[marked(0)]) > 1.0f, [&] { a[fl::threadIdx().x] = 0.0f; });
     }},
    {"BarrierForMoreThreadsThanCome", "sync: threads wait for each other",
     [](const Tensor &, const Tensor &) { fl::barrier(marked(1), 128); }},
    {"BarrierForFewerThreadsThanCome", "sync: barrier 1 for 32 threads, to which 64 come",
     [](const Tensor &, const Tensor &) { fl::barrier(marked(1), 32); }},
    {"NumberOfABarrier", "a number from 0 to 15",
     [](const Tensor &, const Tensor &) { fl::barrier(marked(16), kThreads); }},
    {"NumberOfABarrierAtRunTime", "sync: barrier 17",
     [](const Tensor &, const Tensor &) {
       fl::barrier(marked(fl::threadIdx().x / 64 + 17), kThreads);
     }},
    {"NoFenceOfAnMbarrier", "has to call fenceMbarriers() next",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       Tensor s = sharedFloats(kThreads);
       Pointer full = fl::allocateShared(DType::Int64, 8, 8);
       fl::if_(t == 0, [&] { fl::initMbarrier(full, 1); });
       fl::syncThreads();
       fl::if_(t < 32, [&] {
         fl::if_(fl::electOne(), [&] { fl::arriveExpecting(full, kThreads * 4); });
         fl::CopyAtom load({fl::CopyKind::BulkLoad}, DType::Float32, kThreads * 32);
         fl::BulkOperands operands;
         operands.barrier = full;
         Tensor all = a.pointer().tensor({Scalar(kThreads)}, {Scalar(1)});
         fl::copyBulk(load, marked(all), s, operands);
       });
       fl::waitMbarrier(full, 0);
       b[t] = Scalar(s[t]);
     }},
    {"WarpsInitialiseOneMbarrier", "two warps initialise one mbarrier",
     [](const Tensor &, const Tensor &) {
       Pointer full = fl::allocateShared(DType::Int64, 8, 8);
       fl::if_(fl::laneIdx() == 0, [&] { fl::initMbarrier(marked(full), 1); });
     }},
    {"BulkCopyBeyondSharedMemory", "bounds: 256 bytes",
     [](const Tensor &a, const Tensor &) {
       Pointer full = fl::allocateShared(DType::Int64, 8, 8);
       Tensor s = sharedFloats(kThreads);
       fl::if_(fl::threadIdx().x == 0, [&] { fl::initMbarrier(full, 1); });
       fl::fenceMbarriers();
       fl::syncThreads();
       fl::if_(fl::threadIdx().x < 32, [&] {
         fl::if_(fl::electOne(), [&] { fl::arriveExpecting(full, kThreads * 4); });
         fl::CopyAtom load({fl::CopyKind::BulkLoad}, DType::Float32, kThreads * 32);
         fl::BulkOperands operands;
         operands.barrier = full;
         Tensor all = a.pointer().tensor({Scalar(kThreads)}, {Scalar(1)});
         Tensor later = (s.pointer() + 4).tensor({Scalar(kThreads)}, {Scalar(1)});
         fl::copyBulk(load, marked(all), later, operands);
       });
       fl::waitMbarrier(full, 0);
     }},
    {"ArrivalsTooMany", "more arrivals at an mbarrier than the 48",
     [](const Tensor &, const Tensor &) {
       Pointer full = fl::allocateShared(DType::Int64, 8, 8);
       fl::if_(fl::threadIdx().x == 0, [&] { fl::initMbarrier(full, 48); });
       fl::syncThreads();
       fl::arrive(marked(full), 32);
       fl::waitMbarrier(full, 0);
     }},
    {"OneLaneArrivesForItsWarp", "itself or by another lane after syncWarp()",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       Tensor s = sharedFloats(32);
       Pointer full = fl::allocateShared(DType::Int64, 8, 8);
       fl::if_(t == 0, [&] { fl::initMbarrier(full, 1); });
       fl::syncThreads();
       fl::if_(
           t < 32,
           [&] {
             s[t] = Scalar(a[t]);
             fl::if_(t == 0, [&] { fl::arrive(full); });
           },
           [&] {
             fl::waitMbarrier(full, 0);
             b[marked(t)] = Scalar(s[63 - t]);
           });
     }},
    {"ColumnsOfTensorMemory", "a power of two from 32 to 512",
     [](const Tensor &, const Tensor &) {
       Pointer place = fl::allocateShared(DType::Int32, 4, 4);
       fl::allocateTensorMemory(place, marked(48));
     }},
    {"ColumnsOfTensorMemoryAreKept", "ends without freeing 64 columns of tensor memory",
     [](const Tensor &, const Tensor &) {
       Pointer place = fl::allocateShared(DType::Int32, 4, 4);
       fl::if_(fl::threadIdx().x < 32, [&] { fl::allocateTensorMemory(place, marked(64)); });
     }},
    {"ShuffleInABranch", "sync: ",
     [](const Tensor &a, const Tensor &b) {
       Scalar t = fl::threadIdx().x;
       fl::if_(t < Scalar(a.shape(0)) - 8,
               [&] { b[marked(t)] = fl::shuffle(fl::Shuffle::Down, Scalar(a[t]), 8); });
     }},
};

class ChecksMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(ChecksMistakes, AreSaid) {
  markedLine = 0;
  const std::string text = said(GetParam());
  EXPECT_NE(text.find(GetParam().text), std::string::npos) << text;
  const std::string line = "ChecksMistakesTest.cpp:" + std::to_string(markedLine);
  EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(All, ChecksMistakes, testing::ValuesIn(kMistakes),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace fairlead
