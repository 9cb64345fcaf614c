#include "fairlead/cuda/Image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "fairlead/cuda/Assembler.h"
#include "runtime/cuda/AddOnePtx.h"

namespace {

using namespace fairlead::cuda;

std::string load(const std::string &name) {
  std::ifstream file(std::string(FAIRLEAD_IMAGES) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

const ImageKernel *find(const ImagePart &part, std::string_view name) {
  for (const ImageKernel &kernel : part.kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

void expectParams(const ImageKernel &kernel, std::vector<std::pair<uint32_t, uint32_t>> expected) {
  ASSERT_TRUE(kernel.paramsKnown);
  std::vector<std::pair<uint32_t, uint32_t>> got;
  for (const ImageParam &param : kernel.params)
    got.push_back({param.offset, param.size});
  EXPECT_EQ(got, expected) << kernel.name;
}

void expectParamsOfAll(const ImagePart &part) {
  ASSERT_EQ(part.kernels.size(), 3u);
  const ImageKernel *plain = find(part, "plain"), *mixed = find(part, "_Z5mixedPfcd3Bigs"),
                    *bare = find(part, "bare");
  ASSERT_TRUE(plain && mixed && bare);
  expectParams(*plain, {{0, 8}, {8, 8}, {16, 4}});
  expectParams(*mixed, {{0, 8}, {8, 1}, {16, 8}, {24, 112}, {136, 2}});
  expectParams(*bare, {});
  EXPECT_EQ(mixed->maxThreads, 192);
  EXPECT_EQ(plain->maxThreads, -1);
}

struct CubinCase {
  const char *file, *arch;
  int plainRegisters, mixedRegisters;
};

class Cubin : public testing::TestWithParam<CubinCase> {};

TEST_P(Cubin, TellsWhatCuobjdumpTells) {
  std::string bytes = load(GetParam().file);
  ImageInfo info = readImage(bytes);
  ASSERT_EQ(info.error, "");
  EXPECT_EQ(info.kind, ImageKind::Cubin);
  ASSERT_EQ(info.parts.size(), 1u);
  const ImagePart &part = info.parts[0];
  EXPECT_EQ(part.kind, ImageKind::Cubin);
  EXPECT_EQ(part.arch, GetParam().arch);
  EXPECT_EQ(part.size, bytes.size());
  expectParamsOfAll(part);
  const ImageKernel &plain = *find(part, "plain"), &mixed = *find(part, "_Z5mixedPfcd3Bigs");
  EXPECT_EQ(plain.registers, GetParam().plainRegisters);
  EXPECT_EQ(plain.sharedBytes, 0);
  EXPECT_EQ(plain.localBytes, 0);
  EXPECT_EQ(mixed.registers, GetParam().mixedRegisters);
  EXPECT_EQ(mixed.sharedBytes, 4000);
  EXPECT_EQ(mixed.localBytes, 256);
}

INSTANTIATE_TEST_SUITE_P(Files, Cubin,
                         testing::Values(CubinCase{"cuda12_sm_80.cubin", "sm_80", 8, 8},
                                         CubinCase{"cuda12_sm_90a.cubin", "sm_90a", 8, 9},
                                         CubinCase{"cuda13_sm_90.cubin", "sm_90", 8, 9},
                                         CubinCase{"cuda13_sm_90a.cubin", "sm_90a", 8, 9},
                                         CubinCase{"cuda13_sm_100f.cubin", "sm_100f", 8, 9}));

TEST(Cubin, OfEveryArchitectureThatTheToolkitKnows) {
  if (assemblePtx(fairlead::test::addOnePtx("sm_80"), "sm_80").cubin.empty())
    GTEST_SKIP() << "no ptxas";
  int made = 0;
  for (std::string arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100",
                           "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110a",
                           "sm_120", "sm_120a", "sm_120f", "sm_121a"}) {
    Assembled assembled = assemblePtx(fairlead::test::addOnePtx("sm_75"), arch);
    if (assembled.cubin.empty())
      continue; // the tool is older than the architecture
    ++made;
    ImageInfo info = readImage(assembled.cubin);
    ASSERT_EQ(info.error, "") << arch;
    if (assembled.tool.find("ptxas") != std::string::npos) {
      EXPECT_EQ(info.parts[0].arch, arch);
    }
    ASSERT_EQ(info.parts[0].kernels.size(), 1u) << arch;
    const ImageKernel &kernel = info.parts[0].kernels[0];
    EXPECT_EQ(kernel.name, "add_one");
    expectParams(kernel, {{0, 8}, {8, 8}, {16, 4}});
    EXPECT_GT(kernel.registers, 0) << arch;
    EXPECT_EQ(kernel.sharedBytes, 0) << arch;
  }
  EXPECT_GT(made, 3);
}

TEST(Ptx, TellsTargetAndParameters) {
  ImageInfo info = readImage(load("kernels.ptx"));
  ASSERT_EQ(info.error, "");
  EXPECT_EQ(info.kind, ImageKind::Ptx);
  ASSERT_EQ(info.parts.size(), 1u);
  EXPECT_EQ(info.parts[0].arch, "compute_80");
  expectParamsOfAll(info.parts[0]);
  EXPECT_EQ(info.parts[0].kernels[0].registers, -1);
  EXPECT_EQ(info.parts[0].kernels[0].sharedBytes, -1);
}

TEST(Ptx, MayEndInZeros) {
  EXPECT_EQ(readImage(load("kernels.ptx") + std::string(9, '\0')).error, "");
}

TEST(Ptx, IsRefusedWhenCutOff) {
  std::string whole = load("kernels.ptx");
  size_t end = whole.rfind('}');
  int refused = 0;
  for (size_t length = whole.find(".entry"); length < end; length += 61) {
    ImageInfo info = readImage(whole.substr(0, length));
    // Between two functions a shorter file is a file.
    EXPECT_EQ(info.parts.empty(), !info.error.empty());
    refused += info.error.find("cut off") != std::string::npos;
  }
  EXPECT_GT(refused, int(end / 61 / 2));
}

TEST(Ptx, ReadsWhatCompilersWrite) {
  ImageInfo info = readImage(R"ptx(//
// Comment with .entry fake(.param .u32 x)
.version 8.8
.target sm_100a, debug
.address_size 64
.file 1 "a \ name .entry faker()"
.extern .entry declared(.param .u32 x);
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.weak .entry $odd_name( /* none */ ) .maxnreg 32 .reqntid 32, 4 .minnctapersm 1 { ret; }
.visible .entry all(
  .param .b8 a, .param .f16x2 b, .param .bf16 c, .param .b128 d, .param .f64 e[3],
  .param .align 128 .b8 map[128], .param .u64 .ptr .shared .align 4 p, .param .s8 z) { ret; }
)ptx");
  ASSERT_EQ(info.error, "");
  ASSERT_EQ(info.parts[0].arch, "compute_100a");
  ASSERT_EQ(info.parts[0].kernels.size(), 2u);
  EXPECT_EQ(info.parts[0].kernels[0].name, "$odd_name");
  EXPECT_EQ(info.parts[0].kernels[0].maxThreads, 128);
  expectParams(info.parts[0].kernels[0], {});
  expectParams(info.parts[0].kernels[1],
               {{0, 1}, {4, 4}, {8, 2}, {16, 16}, {32, 24}, {128, 128}, {256, 8}, {264, 1}});
}

TEST(Ptx, DoesNotGuessWhatItCannotRead) {
  for (const char *params :
       {".param .f4096 x", ".param .b8 x[", ".param .align 3 .b8 x[4]", ".reg .b32 x",
        ".param .b32 x .param .b32 y", ".param .b8 x[99999999999999999999]",
        ".param .b8 x[1048576], .param .b8 y[1048576]", ".param .u32"}) {
    ImageInfo info =
        readImage(std::string(".version 8.0\n.target sm_80\n.entry k(") + params + ") { ret; }");
    ASSERT_EQ(info.error, "") << params;
    ASSERT_EQ(info.parts[0].kernels.size(), 1u) << params;
    EXPECT_FALSE(info.parts[0].kernels[0].paramsKnown) << params;
    EXPECT_TRUE(info.parts[0].kernels[0].params.empty()) << params;
  }
}

TEST(Fatbin, HoldsSeveral) {
  std::string bytes = load("plain.fatbin");
  ImageInfo info = readImage(bytes);
  ASSERT_EQ(info.error, "");
  EXPECT_EQ(info.kind, ImageKind::Fatbin);
  ASSERT_EQ(info.parts.size(), 3u);
  std::vector<std::string> archs;
  for (const ImagePart &part : info.parts) {
    archs.push_back(part.arch);
    EXPECT_FALSE(part.compressed);
    expectParamsOfAll(part);
    ImageInfo alone = readImage(std::string_view(bytes).substr(part.offset, part.size));
    EXPECT_EQ(alone.error, "");
    EXPECT_EQ(alone.parts.at(0).arch, part.arch);
  }
  std::sort(archs.begin(), archs.end());
  EXPECT_EQ(archs, (std::vector<std::string>{"compute_90a", "sm_100f", "sm_80"}));
}

TEST(Fatbin, TellsTheArchitectureOfPackedParts) {
  ImageInfo info = readImage(load("packed.fatbin"));
  ASSERT_EQ(info.error, "");
  ASSERT_EQ(info.parts.size(), 2u);
  for (const ImagePart &part : info.parts) {
    EXPECT_TRUE(part.compressed);
    EXPECT_TRUE(part.kernels.empty());
    EXPECT_EQ(part.arch, part.kind == ImageKind::Ptx ? "compute_80" : "sm_80");
  }
}

TEST(Fatbin, SeveralContainers) {
  std::string one = load("plain.fatbin");
  ImageInfo info = readImage(one + one + std::string(8, '\0'));
  ASSERT_EQ(info.error, "");
  EXPECT_EQ(info.parts.size(), 6u);
}

// Bad bytes.

TEST(Image, RefusesWhatIsNone) {
  EXPECT_EQ(readImage("").error, "the image is empty (0 bytes)");
  EXPECT_EQ(readImage("hello").error,
            "the image is neither a CUBIN (ELF), a fatbin nor PTX; it begins with \"hello\"");
  EXPECT_EQ(readImage(std::string(4, '\0')).error,
            "the image is neither a CUBIN (ELF), a fatbin nor PTX; it begins with \"????\"");
  EXPECT_EQ(readImage(".version 8.0").error, "the PTX has no .target");
  EXPECT_EQ(readImage(".version 8.0 .target texmode_unified").error,
            "the PTX is for the target \"texmode_unified\", expected sm_<number>");
  EXPECT_EQ(readImage("\177ELF").error,
            "the CUBIN is cut off: the ELF header ends at byte 64, but there are 4");
}

TEST(Image, RefusesOtherElfFiles) {
  std::string bytes = load("cuda13_sm_90.cubin");
  bytes[18] = 62, bytes[19] = 0;
  EXPECT_EQ(readImage(bytes).error,
            "the image is an ELF file for machine 62, but a CUBIN is for machine 190 (CUDA)");
  bytes[4] = 1;
  EXPECT_EQ(readImage(bytes).error, "the image is an ELF file, but not a 64-bit little-endian one");
  bytes = load("cuda13_sm_90.cubin");
  bytes[16] = 1;
  EXPECT_NE(readImage(bytes).error.find("relocatable device code"), std::string::npos);
}

class CutOff : public testing::TestWithParam<const char *> {};

TEST_P(CutOff, IsAnErrorAtEveryLength) {
  std::string bytes = load(GetParam());
  size_t end = bytes.size();
  // The last bytes of a fatbin may be padding of the last part.
  for (size_t length = 0; length < end; length += length < 4096 ? 1 : 37) {
    ImageInfo info = readImage(std::string(bytes, 0, length)); // a copy: the sanitizer sees its end
    EXPECT_NE(info.error, "") << length << " of " << bytes.size();
    EXPECT_TRUE(info.parts.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CutOff,
                         testing::Values("cuda12_sm_80.cubin", "cuda13_sm_90a.cubin",
                                         "cuda13_sm_100f.cubin", "plain.fatbin", "packed.fatbin"));

TEST(Image, ASecondSectionOfAKernelReplacesTheFirst) {
  ImageInfo info = readImage(load("twice_info.cubin")); // found by the fuzzer
  ASSERT_EQ(info.error, "");
  for (const ImageKernel &kernel : info.parts[0].kernels)
    EXPECT_TRUE(kernel.paramsKnown || kernel.params.empty()) << kernel.name;
}

TEST(Image, SurvivesChangedBytes) {
  std::mt19937 random(7);
  for (const char *file :
       {"cuda12_sm_80.cubin", "cuda13_sm_100f.cubin", "plain.fatbin", "kernels.ptx"}) {
    std::string original = load(file);
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = original;
      for (int change = random() % 8; change >= 0; --change)
        bytes[random() % (random() % 2 ? bytes.size() : 512)] = char(random() % 4 ? random() : -1);
      ImageInfo info = readImage(bytes);
      EXPECT_EQ(info.parts.empty(), !info.error.empty());
    }
  }
}

TEST(Image, SaysHowWellItFits) {
  EXPECT_EQ(imagesFor({"compute_80", "sm_90", "sm_80", "sm_90a"}, "sm_90"),
            (std::vector<int>{3, 1, 0}));
  EXPECT_EQ(imagesFor({"sm_90a"}, "no architecture"), std::vector<int>{});
  EXPECT_EQ(imageFit("sm_90a", "sm_90a"), 4);
  EXPECT_EQ(imageFit("sm_90", "sm_90a"), 4);
  EXPECT_EQ(imageFit("sm_90a", "sm_90"), 4);
  EXPECT_EQ(imageFit("sm_100f", "sm_100a"), 4);
  EXPECT_EQ(imageFit("sm_100f", "sm_103a"), 3);
  EXPECT_EQ(imageFit("sm_80", "sm_86"), 2);
  EXPECT_EQ(imageFit("compute_80", "sm_90a"), 1);
  EXPECT_EQ(imageFit("compute_90a", "sm_90a"), 1);
  EXPECT_EQ(imageFit("sm_86", "sm_80"), 0);
  EXPECT_EQ(imageFit("sm_80", "sm_90"), 0);
  EXPECT_EQ(imageFit("sm_100a", "sm_103a"), 0);
  EXPECT_EQ(imageFit("compute_90", "sm_80"), 0);
  EXPECT_EQ(imageFit("nonsense", "sm_80"), 0);
  EXPECT_EQ(imageFit("sm_80", ""), 0);
}

} // namespace
