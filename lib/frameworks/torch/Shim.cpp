#include "frameworks/torch/Shim.h"

#include <dlfcn.h>

#include <cstring>
#include <mutex>

namespace fairlead::frameworks::torch {
namespace {

struct NamedType {
  const char *name;
  int code, bits;
};

constexpr NamedType kTypes[] = {
    {"uint8", kDLUInt, 8},
    {"uint16", kDLUInt, 16},
    {"uint32", kDLUInt, 32},
    {"uint64", kDLUInt, 64},
    {"int8", kDLInt, 8},
    {"int16", kDLInt, 16},
    {"int32", kDLInt, 32},
    {"int64", kDLInt, 64},
    {"float16", kDLFloat, 16},
    {"bfloat16", kDLBfloat, 16},
    {"float32", kDLFloat, 32},
    {"float64", kDLFloat, 64},
    {"bool", kDLBool, 8},
    {"complex64", kDLComplex, 64},
    {"complex128", kDLComplex, 128},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
};

int32_t codeFrom(void *library, const std::string &name) {
  auto get = reinterpret_cast<int32_t (*)()>(dlsym(library, name.c_str()));
  return get ? get() : -1;
}

template <typename F> bool find(void *library, const char *name, F &place, std::string &missing) {
  place = reinterpret_cast<F>(dlsym(library, name));
  if (!place)
    missing = name;
  return place;
}

bool findAll(void *library, Shim &shim, std::string &missing) {
  return find(library, "aoti_torch_library_init_fragment", shim.initFragment, missing) &&
         find(library, "aoti_torch_library_init_impl", shim.initImpl, missing) &&
         find(library, "aoti_torch_library_def", shim.define, missing) &&
         (find(library, "torch_library_impl", shim.implement, missing) ||
          find(library, "aoti_torch_library_impl", shim.implementUnversioned, missing)) &&
         find(library, "aoti_torch_delete_tensor_object", shim.deleteTensor, missing) &&
         find(library, "aoti_torch_get_data_ptr", shim.data, missing) &&
         find(library, "aoti_torch_get_dim", shim.rank, missing) &&
         find(library, "aoti_torch_get_sizes", shim.sizes, missing) &&
         find(library, "aoti_torch_get_strides", shim.strides, missing) &&
         find(library, "aoti_torch_get_dtype", shim.dtype, missing) &&
         find(library, "aoti_torch_get_device_type", shim.deviceType, missing) &&
         find(library, "aoti_torch_get_device_index", shim.deviceIndex, missing) &&
         find(library, "aoti_torch_empty_strided", shim.emptyStrided, missing);
}

} // namespace

void Shim::readTypes(void *library) {
  std::memset(types, 0, sizeof types);
  for (const NamedType &type : kTypes) {
    int32_t code = codeFrom(library, std::string("aoti_torch_dtype_") + type.name);
    if (code >= 0 && code < kCodes)
      types[code] = {static_cast<uint8_t>(type.code), static_cast<uint8_t>(type.bits), 1};
  }
  cpu = codeFrom(library, "aoti_torch_device_type_cpu");
  cuda = codeFrom(library, "aoti_torch_device_type_cuda");
}

void Shim::findAutograd(void *library, void *core) {
  std::string missing;
  const bool isComplete =
      find(library, "_ZN5torch8autograd35basicAutogradNotImplementedFallbackEv",
           autograd.makeFallback, missing) &&
      find(library, "_ZN5torch11CppFunctionD1Ev", autograd.destroy, missing) &&
      find(library, "_ZNR5torch7Library5_implEPKcONS_11CppFunctionENS_17_RegisterOrVerifyE",
           autograd.implement, missing) &&
      find(core, "_ZNK3c1010TensorImpl13requires_gradEv", autograd.requiresGrad, missing) &&
      find(library, "aoti_torch_grad_mode_is_enabled", autograd.isEnabled, missing) &&
      find(library, "aoti_torch_tensor_to_ivalue", autograd.toValue, missing) &&
      find(library, "aoti_torch_delete_c10_value_object", autograd.deleteValue, missing);
  if (!isComplete)
    autograd = {};
}

DLDataType Shim::elementType(int32_t code) const {
  return code >= 0 && code < kCodes ? types[code] : DLDataType{};
}

int32_t Shim::codeOf(DLDataType type) const {
  for (int code = 0; code < kCodes; ++code)
    if (types[code].bits && !std::memcmp(&types[code], &type, sizeof type))
      return code;
  return -1;
}

const Shim *Shim::load(std::string &missing) {
  static std::mutex mutex;
  static Shim shim;
  static bool isLoaded = false;
  std::lock_guard lock(mutex);
  if (isLoaded)
    return &shim;
  void *library = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (!library) {
    missing = "none";
    return nullptr;
  }
  if (!findAll(library, shim, missing)) {
    missing = "an older one, without " + missing;
    return nullptr;
  }
  shim.what = reinterpret_cast<const char *(*)()>(
      dlsym(library, "torch_exception_get_what_without_backtrace"));
  shim.bumpVersion = reinterpret_cast<void (*)(Handle)>(
      dlsym(library, "_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE"));
  if (void *core = dlopen("libc10.so", RTLD_NOLOAD | RTLD_LAZY)) {
    std::string unused;
    if (!find(core, "_ZNK3c1010TensorImpl13autograd_metaEv", shim.autogradMeta, unused) ||
        !find(core, "_ZNK3c1010TensorImpl8_fw_gradEmRKN2at10TensorBaseE", shim.tangent, unused) ||
        !find(core, "_ZN3c1019UndefinedTensorImpl10_singletonE", shim.undefined, unused))
      shim.autogradMeta = nullptr;
    shim.findAutograd(library, core);
  }
  void *cuda = dlopen("libtorch_cuda.so", RTLD_NOLOAD | RTLD_LAZY);
  shim.cudaStream = cuda ? reinterpret_cast<Status (*)(int32_t, void **)>(
                               dlsym(cuda, "aoti_torch_get_current_cuda_stream"))
                         : nullptr;
  shim.readTypes(library);
  isLoaded = true;
  return &shim;
}

} // namespace fairlead::frameworks::torch
