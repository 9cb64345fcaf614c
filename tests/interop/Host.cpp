/// Loads the kernel library of Kernel.cpp and uses all of it. Compiled with either headers and runs
/// under either library: `interop_host <kernel library> <prefix of its globals> <folder of
/// libtvm_ffi.so>`. Prints one line for each thing that is wrong.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace ffi = tvm::ffi;

namespace {

int failures = 0;

template <typename T> void expect(const char *what, const T &got, const T &expected) {
  if (got == expected)
    return;
  ++failures;
  std::printf("%s is wrong\n", what);
}

void expectError(const char *what, const std::string &kind, const std::string &message,
                 const ffi::Function &f, ffi::Any argument) {
  try {
    f(argument);
    ++failures;
    std::printf("%s: nothing was thrown\n", what);
  } catch (const ffi::Error &error) {
    expect(what, std::string(error.kind()), kind);
    if (std::string(error.message()) != message) {
      ++failures;
      std::printf("%s: got `%s`\n", what, std::string(error.message()).c_str());
    }
  }
}

float data[4] = {1, 2, 3, 4};
int64_t shape[1] = {4};
int frees = 0;

int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *,
             void (*)(void *, const char *, const char *)) {
  *out = new DLManagedTensorVersioned{};
  (*out)->version = {1, 3};
  (*out)->dl_tensor = *prototype;
  (*out)->dl_tensor.data = data;
  (*out)->dl_tensor.shape = shape;
  (*out)->deleter = [](DLManagedTensorVersioned *self) {
    ++frees;
    delete self;
  };
  return 0;
}

} // namespace

/// The file of the library that is in the process.
static std::string libraryFile() {
  Dl_info info{};
  dladdr(reinterpret_cast<void *>(&TVMFFIGetVersion), &info);
  return info.dli_fname ? info.dli_fname : "";
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  if (libraryFile() != std::string(argv[3]) + "/libtvm_ffi.so") {
    std::printf("the library is %s, not that of %s\n", libraryFile().c_str(), argv[3]);
    return 1;
  }
  ffi::Module module = ffi::Module::LoadFromFile(argv[1]);
  auto get = [&](const char *name) { return module->GetFunction(name).value(); };

  float x[4] = {1, 2, 3, 4}, y[4] = {};
  DLTensor dx{x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0}, dy = dx;
  dy.data = y;
  get("add_one")(&dx, &dy);
  expect("add_one", y[3], 5.0f);
  expectError("argument count", "TypeError",
              "Mismatched number of arguments when calling: `add_one(0: DLTensor*, 1: DLTensor*) "
              "-> void`. Expected 2 but got 1 arguments",
              get("add_one"), 1);
  expectError("argument type", "TypeError",
              "Mismatched type on argument #0 when calling: `sum(0: Array<int>) -> int`. Expected "
              "`Array<int>` but got `Array[index 1: ffi.SmallStr]`",
              get("sum"), ffi::Array<ffi::Any>{1, ffi::String("x")});
  expectError("thrown error", "IndexError", "a message of the kernel", get("fail"),
              ffi::String("a message of the kernel"));

  DLPackManagedTensorAllocator old = nullptr;
  TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, &old);
  {
    auto tensor = get("allocate")(&dx).cast<ffi::Tensor>();
    expect("allocate", tensor.data_ptr(), static_cast<void *>(data));
    expect("frees before", frees, 0);
  }
  expect("frees after", frees, 1);
  auto own = get("own_tensor")().cast<ffi::Tensor>();
  expect("own_tensor", own.size(1), int64_t(3));
  expect("column", get("column")(own).cast<int64_t>(), int64_t(3));
  DLManagedTensorVersioned *managed = own.ToDLPackVersioned();
  expect("ToDLPackVersioned", managed->dl_tensor.shape[0], int64_t(2));
  own = ffi::Tensor::FromDLPackVersioned(managed);

  expect("describe", get("describe")("name", 3, "float16").cast<std::string>(),
         std::string("name:float16:3"));
  expect("describe none", get("describe")("n", nullptr, "bfloat16x2").cast<std::string>(),
         std::string("n:bfloat16x2"));
  expect("sum", get("sum")(ffi::Array<int64_t>{1, 2, 39}).cast<int64_t>(), int64_t(42));
  auto three =
      get("triple")(ffi::String("another string on the heap")).cast<ffi::Array<ffi::Any>>();
  expect("triple", three[2].cast<std::string>(), std::string("another string on the heap"));
  auto joined = ffi::Function::FromTyped(
      [](int64_t n, ffi::String text) { return std::string(text) + std::to_string(n); });
  expect("call_back", get("call_back")(joined, 5).cast<std::string>(),
         std::string("a string on the heap5"));
  int handle = 0;
  TVMFFIEnvSetStream(kDLCUDA, 2, &handle, nullptr);
  expect("stream", get("stream")(static_cast<int>(kDLCUDA), 2).cast<int64_t>(),
         reinterpret_cast<int64_t>(&handle));
  ffi::Any box = get("make_box")(77);
  expect("box type", std::string(box.GetTypeKey()), std::string("interop.Box"));
  expect("open_box", get("open_box")(box).cast<int64_t>(), int64_t(77));
  auto twice = ffi::Function::GetGlobalRequired(std::string(argv[2]) + ".twice");
  expect("global function", twice(21).cast<int64_t>(), int64_t(42));

  std::printf(failures == 0 ? "all as expected\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
