/// Programs of the C++ language compiled for the CPU and for the GPU: both give the same bits.
/// Skipped without a GPU.
#include <dlfcn.h>

#include <cstring>
#include <numeric>

#include "artifact/Kernels.h"
#include "blackwell_gemm.h"
#include "fairlead/GpuArch.h"
#include "fairlead/cuda/Device.h"
#include "hopper_gemm.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;
using layout::IntTuple;
using layout::Layout;

/// The driver's functions that a caller needs.
struct Driver {
  int (*init)(unsigned);
  int (*device)(int *, int);
  int (*retain)(void **, int);
  int (*setCurrent)(void *);
  int (*alloc)(uint64_t *, size_t);
  int (*free)(uint64_t);
  int (*toDevice)(uint64_t, const void *, size_t);
  int (*toHost)(void *, uint64_t, size_t);

  static const Driver &get() {
    static const Driver driver;
    return driver;
  }

private:
  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(init, "cuInit");
    find(device, "cuDeviceGet");
    find(retain, "cuDevicePrimaryCtxRetain");
    find(setCurrent, "cuCtxSetCurrent");
    find(alloc, "cuMemAlloc_v2");
    find(free, "cuMemFree_v2");
    find(toDevice, "cuMemcpyHtoD_v2");
    find(toHost, "cuMemcpyDtoH_v2");
    int handle = 0;
    void *context = nullptr;
    EXPECT_EQ(init(0), 0);
    EXPECT_EQ(device(&handle, 0), 0);
    EXPECT_EQ(retain(&context, handle), 0);
    EXPECT_EQ(setCurrent(context), 0);
  }
};

/// The data of an argument of a call: in host memory, and a copy on the device for its call.
class Data {
public:
  template <typename T>
  Data(const std::vector<T> &values, std::vector<int64_t> shape, DType dtype)
      : bytes(values.size() * sizeof(T)), shape(std::move(shape)), dtype(dtype) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }

  DLTensor host() { return view(bytes.data(), kDLCPU); }
  DLTensor onDevice() {
    const Driver &driver = Driver::get();
    EXPECT_EQ(driver.alloc(&address, bytes.size()), 0);
    EXPECT_EQ(driver.toDevice(address, bytes.data(), bytes.size()), 0);
    return view(reinterpret_cast<void *>(address), kDLCUDA);
  }
  /// The bytes on the device, which are given back.
  std::vector<char> fromDevice() {
    std::vector<char> result(bytes.size());
    EXPECT_EQ(Driver::get().toHost(result.data(), address, result.size()), 0);
    EXPECT_EQ(Driver::get().free(address), 0);
    return result;
  }

  std::vector<char> bytes;

private:
  DLTensor view(void *data, DLDeviceType device) {
    DLTensor tensor{};
    tensor.data = data;
    tensor.device = {device, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = toDLDataType(dtype);
    tensor.shape = shape.data();
    return tensor;
  }

  std::vector<int64_t> shape;
  DType dtype;
  uint64_t address = 0;
};

class LanguageDevice : public testing::Test {
protected:
  void SetUp() override {
    if (cuda::deviceCount() == 0)
      GTEST_SKIP() << "no GPU";
    Driver::get();
  }

  static CompileOptions deviceOptions() {
    CompileOptions options;
    options.target = Target::detect();
    options.cache = false;
    return options;
  }

  /// Compiles and calls the function for both, with the tensors and then the numbers, and compares
  /// the contents of the tensors afterwards, which must have changed.
  template <typename Host>
  static void expectSame(const Host &host, const std::vector<fl::Fake> &fakes,
                         std::vector<Data> data, const std::vector<int> &numbers = {}) {
    tvm::ffi::Function onHost = makeFunction(compileArtifact(host, fakes, cpuOptions())),
                       onDevice = makeFunction(compileArtifact(host, fakes, deviceOptions()));
    std::vector<DLTensor> views;
    std::vector<std::vector<char>> given;
    for (Data &tensor : data) {
      given.push_back(tensor.bytes);
      views.push_back(tensor.onDevice());
    }
    call(onDevice, views, numbers);
    views.clear();
    for (Data &tensor : data)
      views.push_back(tensor.host());
    call(onHost, views, numbers);
    bool changed = false;
    for (size_t i = 0; i < data.size(); ++i) {
      EXPECT_EQ(data[i].fromDevice(), data[i].bytes) << "argument " << i;
      changed |= data[i].bytes != given[i];
    }
    EXPECT_TRUE(changed) << "nothing was written";
  }

private:
  static void call(const tvm::ffi::Function &function, std::vector<DLTensor> &views,
                   const std::vector<int> &numbers) {
    std::vector<tvm::ffi::AnyView> args;
    for (DLTensor &tensor : views)
      args.emplace_back(&tensor);
    for (int number : numbers)
      args.emplace_back(number);
    tvm::ffi::Any result;
    function.CallPacked(args.data(), static_cast<int32_t>(args.size()), &result);
  }
};

std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 37) % 101) - 50.0f;
  return values;
}

TEST_F(LanguageDevice, RowSumsByWarpsAtomicsAndSharedMemory) {
  auto body = fl::kernel("row_sums_kernel", [](Tensor a, Tensor out, Tensor total) {
    Scalar row = fl::blockIdx().x, thread = fl::threadIdx().x;
    fl::Variable sum(0.0f);
    fl::for_(thread, a.shape(1), 64, {.unroll = 4}, [&](Scalar column) { sum += a(row, column); });
    Tensor sums = fl::sharedTensor(fl::f32, Layout(IntTuple(2)));
    Scalar ofWarp = fl::warpSum(sum);
    fl::if_(fl::laneIdx() == 0, [&] { sums[fl::warpIdx()] = ofWarp; });
    fl::syncThreads();
    fl::if_(thread == 0, [&] {
      out[row] = sums[0] + sums[1];
      fl::atomic(fl::AtomicOp::Add, fl::Pointer(total, {Scalar(0)}), sums[0] + sums[1]);
    });
  });
  auto host = fl::jit("row_sums", {"a", "out", "total"}, [=](Tensor a, Tensor out, Tensor total) {
    fl::launch(body, {.grid = {a.shape(0)}, .block = {64}}, a, out, total);
  });
  fl::SymInt rows, columns;
  std::vector<fl::Fake> fakes{fl::fakeTensor(fl::f32, {rows, columns}),
                              fl::fakeTensor(fl::f32, {rows}), fl::fakeTensor(fl::f32, {1})};
  for (int64_t width : {1, 63, 64, 1000}) // whole numbers: sums are exact in any order
    expectSame(host, fakes,
               {Data(numbers(5 * width), {5, width}, DType::Float32),
                Data(std::vector<float>(5, -1.5f), {5}, DType::Float32),
                Data(std::vector<float>(1, 0.5f), {1}, DType::Float32)});
}

TEST_F(LanguageDevice, VotesAndShuffles) {
  auto body = fl::kernel("collectives", [](Tensor a, Tensor out) {
    Scalar t = fl::threadIdx().x, x = a[t];
    auto asInt = [](const Scalar &value) { return fl::cast(value, fl::i32); };
    out(t, 0) = asInt(fl::vote(fl::Vote::Any, x == 5));
    out(t, 1) = asInt(fl::vote(fl::Vote::Ballot, x % 3 == 0));
    out(t, 2) = fl::shuffle(fl::Shuffle::Index, x, (t + 5) % 32);
    out(t, 3) = fl::shuffle(fl::Shuffle::Up, x, 3, fl::kFullMask, 0);
    out(t, 4) = fl::shuffle(fl::Shuffle::Butterfly, x, 6);
    out(t, 5) = fl::warpReduce(x, [](Scalar p, Scalar q) { return p ^ q; }, 8);
    // Values carried through a branch and a loop of different lengths.
    fl::Variable sum(x);
    fl::if_(x % 2 == 0, [&] { sum = sum * 3; });
    fl::for_(0, x % 7, [&](Scalar i) { sum += i * i; });
    out(t, 6) = sum;
    out(t, 7) = fl::warpMax(x);
  });
  auto host = fl::jit("host", {"a", "out"}, [=](Tensor a, Tensor out) {
    fl::launch(body, {.grid = {1}, .block = {64}}, a, out);
  });
  std::vector<int32_t> given(64);
  for (int t = 0; t < 64; ++t)
    given[t] = (t * 37) % 64;
  expectSame(host, {fl::fakeTensor(fl::i32, {64}), fl::fakeTensor(fl::i32, {64, 8})},
             {Data(given, {64}, DType::Int32),
              Data(std::vector<int32_t>(512, -7), {64, 8}, DType::Int32)});
}

/// Numbers -1, 0 and 1 as Float16.
Data halves(int64_t rows, int64_t columns) {
  constexpr uint16_t kHalves[] = {0xBC00, 0x0000, 0x3C00};
  std::vector<uint16_t> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = kHalves[(i * i + i / 7) % 3];
  return Data(values, {rows, columns}, DType::Float16);
}

/// The example's product by TMA and warpgroups, of tiles that the matrices are no multiples of.
TEST_F(LanguageDevice, HopperGemm) {
  if (Target::detect().capability() != 90)
    GTEST_SKIP() << "instructions of compute capability 9.0";
  for (int tileN : {64, 256}) {
    hopper_gemm::Choice choice;
    choice.tileN = tileN, choice.blocks = 5, choice.columns = 2;
    for (auto [m, n, k] : {std::array<int64_t, 3>{128, 256, 64}, {600, 776, 328}})
      expectSame(hopper_gemm::gemm(choice), hopper_gemm::arguments(),
                 {halves(m, k), halves(n, k), halves(m, n)});
  }
}

/// The example's product in tensor memory, by pairs of blocks and by single ones.
TEST_F(LanguageDevice, BlackwellGemm) {
  if (!Target::detect().gpu() || !Target::detect().gpu()->has(GpuFeature::TensorMemory))
    GTEST_SKIP() << "instructions on tensor memory";
  for (auto [blocks, tiles] : {std::array{2, 2}, {2, 1}, {1, 2}}) {
    blackwell_gemm::Choice choice;
    choice.blocks = blocks, choice.tiles = tiles, choice.clusters = 3;
    for (auto [m, n, k] : {std::array<int64_t, 3>{256, 256, 64}, {2600, 776, 328}})
      expectSame(blackwell_gemm::gemm(choice), blackwell_gemm::arguments(),
                 {halves(m, k), halves(n, k), halves(m, n)});
  }
}

/// A matrix and where its transpose goes.
struct Job {
  Tensor from, to;
  std::optional<Scalar> scale;
  static constexpr auto kFields = std::make_tuple(&Job::from, &Job::to, &Job::scale);
};

TEST_F(LanguageDevice, StructsLayoutsTilesAndCoordinates) {
  static constexpr int kTile = 16;
  auto body = fl::kernel("transpose_kernel", [](Job job, Layout tiles) {
    IntTuple place = fl::coordinateOf(fl::blockIdx().x, tiles.shape());
    auto at = [&](int row, int column) {
      return layout::Coordinate(std::vector<layout::Coordinate>{
          layout::Coordinate(place[row].leaf()), layout::Coordinate(place[column].leaf())});
    };
    layout::Tiler tiler({Layout(kTile), Layout(kTile)});
    Tensor from = fl::localTile(job.from, tiler, at(0, 1)),
           to = fl::localTile(job.to, tiler, at(1, 0));
    IntTuple extents = job.from.layout().shape();
    fl::CoordTensor inside = fl::localTile(fl::identityTensor(extents), tiler, at(0, 1));
    Tensor tile =
        fl::sharedTensor(fl::f32, fl::makeLayout(fl::tuple(kTile, kTile), fl::tuple(kTile + 1, 1)));
    Scalar x = fl::threadIdx().x, y = fl::threadIdx().y;
    fl::if_(fl::elemLess(inside.at(fl::tuple(y, x)), extents), [&] { tile(y, x) = from(y, x); });
    fl::syncThreads();
    fl::if_(fl::elemLess(inside.at(fl::tuple(x, y)), extents),
            [&] { to(y, x) = tile(x, y) * *job.scale; });
  });
  auto host = fl::jit("transpose", {"from", "to", "scale"}, [=](Tensor from, Tensor to, Scalar by) {
    Layout tiles = fl::makeLayout(
        fl::tuple(fl::ceilDiv(from.shape(0), kTile), fl::ceilDiv(from.shape(1), kTile)));
    fl::LaunchConfig config;
    config.grid[0] = fl::toScalar(layout::size(tiles, fl::arithmetic()));
    config.block = {kTile, kTile, 1};
    fl::launch(body, config, Job{from, to, by}, tiles);
  });
  fl::SymInt rows, columns;
  std::vector<fl::Fake> fakes{fl::fakeTensor(fl::f32, {rows, columns}),
                              fl::fakeTensor(fl::f32, {columns, rows}), fl::FakeScalar{fl::i32}};
  for (int64_t r : {1, 16, 33})
    for (int64_t c : {1, 17, 70})
      expectSame(host, fakes,
                 {Data(numbers(r * c), {r, c}, DType::Float32),
                  Data(std::vector<float>(r * c, 0.25f), {c, r}, DType::Float32)},
                 {3});
}

TEST_F(LanguageDevice, LayoutsOfRunTimeNumbers) {
  // Tiles of 8 along all of a matrix, whose extents the call tells.
  auto body = fl::kernel("tiles_kernel", [](Tensor a, Tensor out) {
    Scalar t = fl::threadIdx().x;
    Tensor tiles = fl::zippedDivide(a, layout::Tiler(Layout(8)));
    fl::if_(t < a.size() / 8, [&] {
      Tensor tile = tiles.slice({std::nullopt, t});
      fl::for_(0, 8, [&](Scalar i) { out(t, i) = tile[i]; });
    });
  });
  auto host = fl::jit("tiles", {"a", "out"}, [=](Tensor a, Tensor out) {
    fl::launch(body, {.grid = {1}, .block = {32}}, a, out);
  });
  fl::SymInt rows, columns, count;
  std::vector<fl::Fake> fakes{fl::fakeTensor(fl::f32, {rows, columns}),
                              fl::fakeTensor(fl::f32, {count, 8})};
  for (auto [r, c] : {std::pair<int64_t, int64_t>{16, 3}, {4, 6}, {1, 24}, {8, 1}, {2, 4}})
    expectSame(host, fakes,
               {Data(numbers(r * c), {r, c}, DType::Float32),
                Data(std::vector<float>(r * c, 0.5f), {r * c / 8, 8}, DType::Float32)});
}

/// Every code to Float32, and what half as much again is.
TEST_F(LanguageDevice, NarrowFloats) {
  for (DType narrow : {DType::Float8E5M2, DType::Float8E4M3FN, DType::Float8E8M0FNU,
                       DType::Float6E3M2FN, DType::Float6E2M3FN, DType::Float4E2M1FN}) {
    auto body = fl::kernel("narrow_kernel", [narrow](Tensor a, Tensor wide, Tensor back) {
      Scalar t = fl::threadIdx().x;
      Scalar number = fl::cast(fl::bitcast(a[t], narrow), DType::Float32);
      wide[t] = number;
      back[t] = fl::bitcast(fl::cast(number * 1.5f, narrow), DType::Uint8);
    });
    auto host = fl::jit("narrow", {"a", "wide", "back"}, [=](Tensor a, Tensor wide, Tensor back) {
      fl::launch(body, {.grid = {1}, .block = {a.shape(0)}}, a, wide, back);
    });
    int codes = 1 << bitWidth(narrow);
    std::vector<uint8_t> all(codes);
    std::iota(all.begin(), all.end(), uint8_t{0});
    fl::SymInt n;
    expectSame(host,
               {fl::fakeTensor(DType::Uint8, {n}), fl::fakeTensor(DType::Float32, {n}),
                fl::fakeTensor(DType::Uint8, {n})},
               {Data(all, {codes}, DType::Uint8),
                Data(std::vector<float>(codes, 0.1f), {codes}, DType::Float32),
                Data(std::vector<uint8_t>(codes, 0xA5), {codes}, DType::Uint8)});
  }
}

/// Rows of 16 elements of 6 and of 4 bits, read and written whole by a thread each.
TEST_F(LanguageDevice, PackedElements) {
  for (DType narrow : {DType::Float6E3M2FN, DType::Float6E2M3FN, DType::Float4E2M1FN}) {
    int64_t rowBytes = 16 * bitWidth(narrow) / 8;
    auto body = fl::kernel("packed_kernel", [narrow](Tensor a, Tensor b) {
      auto row = [&](const Tensor &bytes) {
        Tensor line = bytes.slice({fl::threadIdx().x, std::nullopt});
        return fl::makeTensor(fl::Pointer(line).recast(narrow), Layout(16));
      };
      row(b).assign(fl::binary(fl::BinaryOp::Mul, fl::TensorExpr::read(row(a)),
                               fl::TensorExpr(Scalar(-2.0f))));
    });
    auto host = fl::jit("packed", {"a", "b"}, [=](Tensor a, Tensor b) {
      fl::launch(body, {.grid = {1}, .block = {a.shape(0)}}, a, b);
    });
    fl::SymInt n;
    std::vector<uint8_t> bytes(64 * rowBytes);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(i * 89 + i / 256);
    std::vector<int64_t> shape{64, rowBytes};
    expectSame(
        host,
        {fl::fakeTensor(DType::Uint8, {n, rowBytes}), fl::fakeTensor(DType::Uint8, {n, rowBytes})},
        {Data(bytes, shape, DType::Uint8),
         Data(std::vector<uint8_t>(bytes.size(), 0xA5), shape, DType::Uint8)});
  }
}

/// A launch that no GPU takes is an error of the call, and the next call works.
TEST_F(LanguageDevice, LaunchErrors) {
  auto body = fl::kernel("large_kernel", [](Tensor out) { out[fl::threadIdx().x] = 1.0f; });
  auto host = fl::jit("large", {"out", "threads"}, [=](Tensor out, Scalar threads) {
    fl::launch(body, {.grid = {1}, .block = {threads}}, out);
  });
  std::vector<fl::Fake> fakes{fl::fakeTensor(fl::f32, {32}), fl::FakeScalar{fl::i32}};
  tvm::ffi::Function f = makeFunction(compileArtifact(host, fakes, deviceOptions()));
  Data out(std::vector<float>(32, 0.0f), {32}, DType::Float32);
  DLTensor view = out.onDevice();
  std::string message;
  try {
    f(&view, 4096);
  } catch (const tvm::ffi::Error &error) {
    message = error.what();
  }
  EXPECT_NE(message.find("CUDA Error"), std::string::npos) << message;
  EXPECT_NE(message.find("large_kernel"), std::string::npos) << message;
  f(&view, 32);
  std::vector<char> result = out.fromDevice();
  std::vector<float> written(32);
  std::memcpy(written.data(), result.data(), result.size());
  EXPECT_EQ(written, std::vector<float>(32, 1.0f));
}

} // namespace
} // namespace fairlead
