/// Inline PTX of C++ kernels that run on the CPU.
#include <bit>

#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;

constexpr int kThreads = 64;

struct Case {
  const char *assembly; ///< with the thread's number as $1
  int32_t (*expected)(int32_t thread);
};

const Case kCases[] = {
    {"mul.hi.s32 $0, $1, 0x7fffffff; // of 64 bits",
     [](int32_t t) { return static_cast<int32_t>(int64_t{t} * 0x7fffffff >> 32); }},
    {"{ .reg .pred p; setp.lt.s32 p, $1, 9; selp.b32 $0, 5, -5, p; }",
     [](int32_t t) { return t < 9 ? 5 : -5; }},
    {"{ .reg .pred p; setp.ge.u32 p, $1, 40; mov.b32 $0, 1; /* or */ @!p add.s32 $0, $0, %laneid; "
     "}",
     [](int32_t t) { return t >= 40 ? 1 : 1 + t % 32; }},
    {"bfind.u32 $0, $1;",
     [](int32_t t) { return t == 0 ? -1 : 31 - std::countl_zero(uint32_t(t)); }},
    {"bfe.s32 $0, $1, 2, 3;",
     [](int32_t t) { return static_cast<int32_t>(uint32_t(t) << 27) >> 29; }},
    {"shfl.sync.bfly.b32 $0, $1, 3, 31, 0xffffffff;", [](int32_t t) { return t ^ 3; }},
    {"lop3.b32 $0, $1, 12, 10, 0x96;", [](int32_t t) { return t ^ 12 ^ 10; }},
    {"prmt.b32 $0, $1, 0x80, 0xC410;", [](int32_t t) { return int32_t(0xFF800000) | t; }},
    {"popc.b32 $0, $1;", [](int32_t t) { return std::popcount(uint32_t(t)); }},
    {"{ .reg .v2 .b16 h; mov.b32 h, $1; mov.b32 $0, {h.y, h.x}; }",
     [](int32_t t) { return t << 16; }},
    {"shl.b32 $0, 1, $1;", [](int32_t t) { return t < 32 ? int32_t(1u << t) : 0; }},
    {"{ .reg .f32 x; cvt.rn.f32.s32 x, $1; fma.rn.f32 x, x, 0f40000000, 0.5; cvt.rzi.s32.f32 $0, "
     "x; }",
     [](int32_t t) { return 2 * t; }},
};
constexpr int kColumns = std::size(kCases);

TEST(InlinePtx, ComputesOnTheCpu) {
  auto device = fl::kernel("device", [](Tensor out) {
    const Scalar t = fl::threadIdx().x;
    for (int column = 0; column < kColumns; ++column)
      out(t, column) = fl::inlineAssembly({fl::i32}, {t}, kCases[column].assembly, "=r,r").front();
  });
  auto host = fl::jit("host", {"out"},
                      [device](Tensor out) { fl::launch(device, {{1}, {kThreads}, {}, 0}, out); });
  auto function = makeFunction(
      compileArtifact(host, {fl::fakeTensor(fl::i32, {kThreads, kColumns})}, cpuOptions()));
  HostTensor<int32_t> out(std::vector<int32_t>(kThreads * kColumns, -7), {kThreads, kColumns},
                          DType::Int32);
  function(&out.view);
  for (int t = 0; t < kThreads; ++t)
    for (int column = 0; column < kColumns; ++column)
      EXPECT_EQ(out.data[t * kColumns + column], kCases[column].expected(t))
          << "thread " << t << ": " << kCases[column].assembly;
}

/// The message of the error that a kernel for the CPU with this instruction raises.
std::string messageOf(const std::string &assembly) {
  auto device = fl::kernel("device", [assembly](Tensor out) {
    out[0] = fl::inlineAssembly({fl::i32}, {fl::threadIdx().x}, assembly, "=r,r").front();
  });
  auto host = fl::jit("host", {"out"},
                      [device](Tensor out) { fl::launch(device, {{1}, {1}, {}, 0}, out); });
  try {
    compileArtifact(host, {fl::fakeTensor(fl::i32, {1})}, cpuOptions());
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(InlinePtx, NamesInstructionsThatOnlyGpusRun) {
  // The second and the third are known, but with other roundings.
  for (const std::string assembly :
       {"mov.u32 $0, %pm0;", "cvt.rm.f16.f32 $0, $1;", "cvt.rm.f64.s64 $0, $1;", "mov.u32 $0, $9;"})
    EXPECT_NE(messageOf(assembly).find("only GPUs run its inline PTX `" + assembly + "`"),
              std::string::npos)
        << messageOf(assembly);
}

} // namespace
} // namespace fairlead
