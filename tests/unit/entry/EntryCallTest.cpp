/// The arguments that the host program receives from calls that pass the checks.
#include <memory>

#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

TEST(EntryCall, NoArguments) {
  Entry entry(Signature{"nothing", {}, {}, {}});
  EXPECT_EQ(entry.call({}), "");
  EXPECT_EQ(entry.host().context.device_type, kDLCPU);
}

TEST(EntryCall, PointersSymbolsAndByteOffset) {
  Signature signature{"f",
                      {tensorParam("a", {symbol(0), symbol(1)}), tensorParam("b", {symbol(1)})},
                      {{"n0", 32, 1}, {"n1", 64, 1}},
                      {}};
  Entry entry(signature);
  TensorArgument a({3, 5}), b({5});
  a.tensor.byte_offset = 256;
  ASSERT_EQ(entry.call({a.any(), b.any()}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000 + 256, 0x10000, 3, 5}));
}

TEST(EntryCall, TensorObjects) {
  // An ffi.Tensor: the object header, then the DLTensor.
  struct {
    TVMFFIObject header{};
    DLTensor tensor{};
  } object;
  TensorArgument a({4});
  object.tensor = a.tensor;
  TVMFFIAny any{};
  any.type_index = kTVMFFITensor;
  any.v_obj = &object.header;
  Entry entry(Signature{"f", {tensorParam("a", {symbol(0)})}, {{"n0", 32, 1}}, {}});
  ASSERT_EQ(entry.call({any}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 4}));
}

TEST(EntryCall, ScalarTensor) {
  Entry entry(Signature{"f", {tensorParam("a", {})}, {}, {}});
  TensorArgument a({});
  a.tensor.shape = nullptr;
  EXPECT_EQ(entry.call({a.any()}), "");
}

TEST(EntryCall, CudaContextNamesTheDevice) {
  Entry entry(
      Signature{"f", {{"x", ScalarParam{}}, tensorParam("a", {symbol(0)})}, {{"n0", 32, 1}}, {}},
      kDLCUDA, "cuda:sm_90a");
  TensorArgument a({4});
  a.tensor.device = {kDLCUDA, 3};
  ASSERT_EQ(entry.call({anyInt(1), a.any()}), "");
  EXPECT_EQ(entry.host().context.device_type, kDLCUDA);
  EXPECT_EQ(entry.host().context.device_id, 3);
}

TEST(EntryCall, MemoryThatTheDeviceReaches) {
  Signature signature{"f", {tensorParam("a", {symbol(0)})}, {{"n0", 32, 1}}, {}};
  TensorArgument a({4});
  Entry cuda(signature, kDLCUDA, "cuda:sm_90a"), cpu(signature);
  a.tensor.device = {kDLCUDAManaged, 2};
  EXPECT_EQ(cuda.call({a.any()}), "");
  EXPECT_EQ(cuda.host().context.device_id, 2);
  EXPECT_NE(cpu.call({a.any()}), "");
  a.tensor.device = {kDLCUDAHost, 0};
  EXPECT_EQ(cpu.call({a.any()}), "");
  EXPECT_NE(cuda.call({a.any()}), "");
}

TEST(EntryCall, MemoryThatTheHostFunctionReads) {
  Signature signature{"f", {tensorParam("a", {symbol(0)})}, {{"n0", 32, 1}}, {}};
  std::get<TensorParam>(signature.params[0].type).onHost = true;
  TensorArgument a({4});
  Entry cuda(signature, kDLCUDA, "cuda:sm_90a"), cpu(signature);
  a.tensor.device = {kDLCUDA, 1};
  EXPECT_NE(cuda.call({a.any()}).find("host function itself reads or writes elements of a"),
            std::string::npos);
  EXPECT_NE(cuda.call({a.any()}).find("cuda:1"), std::string::npos);
  a.tensor.device = {kDLCUDAManaged, 1};
  EXPECT_EQ(cuda.call({a.any()}), "");
  a.tensor.device = {kDLCPU, 0};
  EXPECT_EQ(cpu.call({a.any()}), "");
}

TEST(EntryCall, ManyArguments) {
  constexpr int kTensors = 40;
  Signature signature{"f", {}, {}, {}};
  std::vector<std::unique_ptr<TensorArgument>> tensors;
  std::vector<TVMFFIAny> arguments;
  std::vector<int64_t> pointers, extents;
  for (int i = 0; i < kTensors; ++i) {
    signature.symbols.push_back({"n" + std::to_string(i), i % 2 ? 32 : 64, 1});
    signature.params.push_back(tensorParam("t" + std::to_string(i), {symbol(i)}));
    tensors.push_back(std::make_unique<TensorArgument>(std::vector<int64_t>{i + 1}));
    tensors.back()->tensor.byte_offset = 64 * i;
    arguments.push_back(tensors.back()->any());
    pointers.push_back(0x10000 + 64 * i);
    extents.push_back(i + 1);
  }
  Entry entry(signature);
  ASSERT_EQ(entry.call(arguments), "");
  pointers.insert(pointers.end(), extents.begin(), extents.end());
  EXPECT_EQ(entry.host().values, pointers);
}

} // namespace
} // namespace fairlead::entry
