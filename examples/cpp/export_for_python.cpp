// A function written in C++, exported for callers from Python, who may use keywords, leave out what
// has a default, and pass a layout and a tuple of integers whole:
//
//     g++ export_for_python.cpp $(fairlead-config --dsl) -o export_for_python
//     ./export_for_python place.o
//     python -c "from fairlead import cute; m = cute.runtime.load_module('place.o');
//                m.place(out, start=(1, 2), layout=((4, 8), (1, 4)), scale=3)"
#include <cstdio>
#include <optional>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;

int main(int argc, char **argv) {
  // out[i] = the index of element i of a layout, after a start, times a factor, and more.
  auto body = fl::kernel("place_kernel", [](fl::Tensor out, fl::Scalar first, layout::Layout layout,
                                            fl::Scalar scale, std::optional<fl::Scalar> bias) {
    fl::Scalar i = fl::threadIdx().x;
    fl::Scalar value = (first + fl::indexOf(fl::toInt(i), layout)) * scale;
    out[i] = bias ? value + *bias : value;
  });
  auto place = fl::jit("place", {"out", "start", "layout", {"scale", 2}, {"bias", nullptr}},
                       [=](fl::Tensor out, layout::IntTuple start, layout::Layout layout,
                           fl::Scalar scale, std::optional<fl::Scalar> bias) {
                         fl::Scalar first = fl::indexOf(start, layout);
                         fl::launch(body, {.grid = {1}, .block = {out.shape(0)}}, out, first,
                                    layout, scale, bias);
                       });
  fl::SymInt n;
  fl::FakeScalar number{fl::i32};
  std::vector<fl::Fake> arguments{
      fl::fakeTensor(fl::i32, {n}), fl::FakeTuple{number, number},
      fl::FakeLayout{{4, number}, {1, number}}, // one extent and one stride are part of the program
      number, fl::FakeNone()};
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  auto artifact = fairlead::compileArtifact(place, arguments, options);
  std::printf("%s\n", artifact->signature().str().c_str());
  if (argc > 1)
    artifact->exportObject(argv[1], "place", fl::callFacts(place.parameters, arguments));

  // From C++ by place, numbers one after the other.
  std::vector<int32_t> data(8, -1);
  int64_t extent = 8;
  DLTensor out{};
  out.data = data.data();
  out.device = {kDLCPU, 0};
  out.ndim = 1;
  out.dtype = {kDLInt, 32, 1};
  out.shape = &extent;
  fairlead::makeFunction(artifact)(&out, 1, 2, 8, 4, 2);
  for (int i = 0; i < 8; ++i)
    if (data[i] != 2 * (1 + 2 * 4 + i % 4 + i / 4 * 4))
      return 1;
  std::printf("all places are right\n");
  return 0;
}
