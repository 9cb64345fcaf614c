// Matrices transposed through a tile in shared memory, in C++ alone: a struct and a layout as
// parameters of the kernel, integers of the call as a tuple, views of tensors, coordinates that
// tell which elements are inside, and a tensor as the example to compile for.
#include <cstdio>
#include <optional>
#include <vector>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;

constexpr int kTile = 16;

/// The arguments of the kernel. `bias` is optional.
struct Job {
  fl::Tensor from, to;
  std::optional<fl::Tensor> bias;
  static constexpr auto kFields = std::make_tuple(&Job::from, &Job::to, &Job::bias);
};

static auto transpose() {
  auto body = fl::kernel("transpose_kernel", [](Job job, layout::Layout tiles) {
    // The block's tile: blocks count along `tiles`.
    layout::IntTuple place = fl::coordinateOf(fl::blockIdx().x, tiles.shape());
    auto at = [&](int row, int column) {
      std::vector<layout::Coordinate> entries;
      for (int mode : {row, column})
        entries.emplace_back(place[mode].leaf());
      return layout::Coordinate(entries);
    };
    layout::Tiler tiler({layout::Layout(kTile), layout::Layout(kTile)});
    fl::Tensor from = fl::localTile(job.from, tiler, at(0, 1));
    fl::Tensor to = fl::localTile(job.to, tiler, at(1, 0));
    // Coordinates of the whole matrix next to the elements of the tile.
    layout::IntTuple extents = job.from.layout().shape();
    fl::CoordTensor inside = fl::localTile(fl::identityTensor(extents), tiler, at(0, 1));

    fl::Tensor tile =
        fl::sharedTensor(fl::f32, fl::makeLayout(fl::tuple(kTile, kTile), fl::tuple(kTile + 1, 1)));
    fl::Scalar x = fl::threadIdx().x, y = fl::threadIdx().y;
    fl::if_(fl::elemLess(inside.at(fl::tuple(y, x)), extents), [&] { tile(y, x) = from(y, x); });
    fl::syncThreads();
    fl::if_(fl::elemLess(inside.at(fl::tuple(x, y)), extents), [&] {
      to(y, x) = tile(x, y);
      if (job.bias)
        to(y, x) += (*job.bias)[fl::leaves(inside.at(fl::tuple(x, y)))[1]];
    });
  });
  return fl::jit(
      "transpose", {"extents", "from", "to", "bias"},
      [=](layout::IntTuple extents, fl::Pointer from, fl::Pointer to,
          std::optional<fl::Tensor> bias) {
        fl::Scalar rows = fl::leaves(extents)[0], columns = fl::leaves(extents)[1];
        Job job{fl::makeTensor(from, fl::makeLayout(extents, fl::tuple(columns, 1))),
                fl::makeTensor(to, fl::makeLayout(fl::tuple(columns, rows), fl::tuple(rows, 1))),
                bias};
        layout::Layout tiles =
            fl::makeLayout(fl::tuple(fl::ceilDiv(rows, kTile), fl::ceilDiv(columns, kTile)));
        fl::LaunchConfig config;
        config.grid[0] = fl::toScalar(layout::size(tiles, fl::arithmetic()));
        config.block = {kTile, kTile, 1};
        fl::launch(body, config, job, tiles);
      });
}

int main() {
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  fl::FakeScalar number{fl::i32};
  fl::FakePointer address{fl::f32};
  int64_t biasExtent = 70;
  DLTensor bias{};
  bias.device = {kDLCPU, 0};
  bias.dtype = {kDLFloat, 32, 1};
  bias.ndim = 1;
  bias.shape = &biasExtent;
  for (bool biased : {false, true}) {
    fl::Fake last = fl::FakeNone();
    if (biased)
      last = fl::fakeDynamicLike(bias);
    auto artifact = fairlead::compileArtifact(
        transpose(), {fl::FakeTuple{number, number}, address, address, last}, options);
    std::printf("%s\n", artifact->signature().str().c_str());
    tvm::ffi::Function f = fairlead::makeFunction(artifact);
    for (int rows : {1, 16, 33})
      for (int columns : {1, 17, 70}) {
        std::vector<float> a(rows * columns), b(rows * columns, -1.0f), c(70);
        for (size_t i = 0; i < a.size(); ++i)
          a[i] = static_cast<float>(i);
        for (size_t i = 0; i < c.size(); ++i)
          c[i] = 1000.0f * static_cast<float>(i);
        bias.data = c.data();
        auto *from = static_cast<void *>(a.data()), *to = static_cast<void *>(b.data());
        if (biased)
          f(rows, columns, from, to, &bias);
        else
          f(rows, columns, from, to);
        for (int row = 0; row < rows; ++row)
          for (int column = 0; column < columns; ++column)
            if (b[column * rows + row] != a[row * columns + column] + (biased ? c[column] : 0)) {
              std::printf("wrong at (%d, %d) of %d x %d\n", row, column, rows, columns);
              return 1;
            }
      }
  }
  std::printf("all matrices are right\n");
  return 0;
}
