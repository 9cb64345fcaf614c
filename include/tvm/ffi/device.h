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

inline std::optional<DLDeviceType> deviceTypeFromName(std::string_view name) {
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
  return std::nullopt;
}

/// Reads `name[:index]`; nothing after the first space counts.
inline std::optional<DLDevice> deviceFromText(std::string_view text) {
  text = text.substr(0, text.find(' '));
  size_t colon = text.find(':');
  std::optional<DLDeviceType> type = deviceTypeFromName(text.substr(0, colon));
  if (!type)
    return std::nullopt;
  int64_t index = 0;
  if (colon != std::string_view::npos) {
    std::string_view digits = text.substr(colon + 1);
    if (digits.empty())
      return std::nullopt;
    for (char c : digits) {
      if (c < '0' || c > '9')
        return std::nullopt;
      index = index * 10 + (c - '0');
      if (index > INT32_MAX)
        return std::nullopt;
    }
  }
  return DLDevice{*type, static_cast<int32_t>(index)};
}
} // namespace inner

template <> struct TypeTraits<DLDevice> : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIDevice;
  static void CopyToAnyView(const DLDevice &src, TVMFFIAny *result) {
    result->type_index = kTVMFFIDevice;
    result->zero_padding = 0;
    result->v_device = src;
  }
  static void MoveToAny(DLDevice src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIDevice; }
  static DLDevice CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return src->v_device; }
  static DLDevice MoveFromAnyAfterCheck(TVMFFIAny *src) { return src->v_device; }
  static std::optional<DLDevice> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return src->v_device;
    if (std::optional<String> text = TypeTraits<String>::TryCastFromAnyView(src))
      return inner::deviceFromText(std::string_view(text->data(), text->size()));
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIDevice; }
  static std::string TypeSchema() { return inner::atomSchema("Device"); }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_DEVICE_H_
