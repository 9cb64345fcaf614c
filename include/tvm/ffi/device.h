/// DLDevice in Any, and reading one from text such as `cuda:1`.
#ifndef TVM_FFI_DEVICE_H_
#define TVM_FFI_DEVICE_H_

#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string_view>

namespace tvm {
namespace ffi {
namespace inner {

/// The type of device called `name`; 0 for none.
inline int deviceTypeFromName(std::string_view name) {
  struct Entry {
    std::string_view name;
    DLDeviceType type;
  };
  static constexpr Entry kNames[] = {
      {"cpu", kDLCPU},        {"cuda", kDLCUDA},       {"opencl", kDLOpenCL}, {"vulkan", kDLVulkan},
      {"metal", kDLMetal},    {"mps", kDLMetal},       {"vpi", kDLVPI},       {"rocm", kDLROCM},
      {"ext_dev", kDLExtDev}, {"hexagon", kDLHexagon}, {"wgpu", kDLWebGPU},   {"webgpu", kDLWebGPU},
      {"maia", kDLMAIA},      {"trn", kDLTrn},
  };
  for (const Entry &entry : kNames)
    if (entry.name == name)
      return entry.type;
  return 0;
}

/// Reads `name[:index]`; nothing after the first space counts. false for other text.
inline bool deviceFromText(std::string_view text, DLDevice *device) {
  text = text.substr(0, text.find(' '));
  size_t colon = text.find(':');
  int type = deviceTypeFromName(text.substr(0, colon));
  if (type == 0)
    return false;
  int64_t index = 0;
  if (colon != std::string_view::npos) {
    std::string_view digits = text.substr(colon + 1);
    if (digits.empty())
      return false;
    for (char c : digits) {
      if (c < '0' || c > '9')
        return false;
      index = index * 10 + (c - '0');
      if (index > INT32_MAX)
        return false;
    }
  }
  *device = DLDevice{static_cast<DLDeviceType>(type), static_cast<int32_t>(index)};
  return true;
}
} // namespace inner

namespace inner {
template <typename T> struct DeviceTraits : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIDevice;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    result->type_index = kTVMFFIDevice;
    result->zero_padding = 0;
    result->v_device = src;
  }
  static void MoveToAny(T src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIDevice; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return src->v_device; }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return src->v_device; }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return src->v_device;
    TVMFFIByteArray text;
    T device;
    if (isText(src->type_index) && tryGetBytes(src, &text) &&
        deviceFromText(ToStringView(text), &device))
      return device;
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIDevice; }
  static std::string TypeSchema() { return atomSchema("Device"); }
};
} // namespace inner

template <> struct TypeTraits<DLDevice> : inner::DeviceTraits<DLDevice> {};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_DEVICE_H_
