/// FairleadRaise: where the cold branches of generated argument checks end.
#include <charconv>

#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/Placeholders.h"
#include "dlpack/dlpack.h"
#include "fairlead/Runtime.h"
#include "runtime/Raise.h"

namespace {

std::string describeType(int64_t index) {
  switch (index) {
  case kTVMFFIDLTensorPtr:
  case kTVMFFITensor:
    return "Tensor";
  // Short and long strings are one type to the caller.
  case kTVMFFISmallStr:
    index = kTVMFFIStr;
    break;
  case kTVMFFISmallBytes:
    index = kTVMFFIBytes;
    break;
  default:
    break;
  }
  bool plain = index >= 0 && index < kTVMFFISmallStr;
  bool object = index >= kTVMFFIStaticObjectBegin && index <= INT32_MAX;
  if (plain || object)
    if (const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(static_cast<int32_t>(index)))
      return std::string(info->type_key.data, info->type_key.size);
  return "type index " + std::to_string(index);
}

/// The text that an Any holds, released.
std::string takeString(TVMFFIAny &any) {
  if (any.type_index == kTVMFFISmallStr)
    return std::string(any.v_bytes, any.small_str_len);
  const auto *bytes = reinterpret_cast<const TVMFFIByteArray *>(
      reinterpret_cast<const char *>(any.v_obj) + sizeof(TVMFFIObject));
  std::string text(bytes->data, bytes->size);
  TVMFFIObjectDecRef(any.v_obj);
  return text;
}

std::string describeDType(int64_t bits) {
  DLDataType type;
  std::memcpy(&type, &bits, sizeof(type));
  TVMFFIAny text{};
  // TVMFFIDataTypeToString gives no text for 0 or 65,535 lanes.
  bool hasName = type.lanes > 0 && type.lanes <= INT16_MAX;
  if (hasName && TVMFFIDataTypeToString(&type, &text) == 0 &&
      (text.type_index == kTVMFFISmallStr || text.type_index == kTVMFFIStr))
    return takeString(text);
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error)
    TVMFFIObjectDecRef(error);
  return "DLDataType(code=" + std::to_string(type.code) + ", bits=" + std::to_string(type.bits) +
         ", lanes=" + std::to_string(type.lanes) + ")";
}

const char *deviceName(int32_t type) {
  static constexpr std::pair<int32_t, const char *> kNames[] = {
      {kDLCPU, "cpu"},
      {kDLCUDA, "cuda"},
      {kDLCUDAHost, "cuda_host"},
      {kDLOpenCL, "opencl"},
      {kDLVulkan, "vulkan"},
      {kDLMetal, "metal"},
      {kDLVPI, "vpi"},
      {kDLROCM, "rocm"},
      {kDLROCMHost, "rocm_host"},
      {kDLExtDev, "ext_dev"},
      {kDLCUDAManaged, "cuda_managed"},
      {kDLOneAPI, "oneapi"},
      {kDLWebGPU, "webgpu"},
      {kDLHexagon, "hexagon"},
      {kDLMAIA, "maia"},
      {kDLTrn, "trn"},
  };
  for (const auto &[number, name] : kNames)
    if (number == type)
      return name;
  return nullptr;
}

std::string describeDevice(int64_t bits) {
  auto type = static_cast<int32_t>(bits);
  auto id = static_cast<int32_t>(bits >> 32);
  const char *name = deviceName(type);
  return (name ? std::string(name) : "device type " + std::to_string(type)) + ":" +
         std::to_string(id);
}

/// The text that ends with a NUL and begins `distance` bytes before the message.
std::optional<std::string> textBefore(const char *message, std::string_view distance) {
  size_t bytes = 0;
  auto [end, error] = std::from_chars(distance.data(), distance.data() + distance.size(), bytes);
  if (error != std::errc() || end != distance.data() + distance.size())
    return std::nullopt;
  return std::string(message - bytes);
}

std::string compose(const char *message, int64_t expected, int64_t got) {
  auto value = [&](std::string_view place) -> std::optional<std::string> {
    if (place == "expected")
      return std::to_string(expected);
    if (place == "got")
      return std::to_string(got);
    if (place == "got:type")
      return describeType(got);
    if (place == "got:dtype")
      return describeDType(got);
    if (place == "got:device")
      return describeDevice(got);
    if (place.starts_with('@'))
      return textBefore(message, place.substr(1));
    return std::nullopt;
  };
  return fairlead::fillPlaceholders(message, value);
}

} // namespace

void FairleadRaise(FairleadCallContext *context, const FairleadFailure *failure, int64_t expected,
                   int64_t got) {
  if (context && context->status != 0)
    return; // the first error of a call is its cause
  if (context)
    context->status = -1;
  try {
    TVMFFIErrorSetRaisedFromCStr(failure->kind, compose(failure->message, expected, got).c_str());
  } catch (const std::exception &) {
    TVMFFIErrorSetRaisedFromCStr(failure->kind, failure->message);
  }
}

namespace fairlead::runtime {
namespace {

struct Entry {
  const char *kind;
  const char *text;
};

// A copy of the table, so that the runtime library needs nothing of the compiler's libraries.
constexpr Entry kTable[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) {kind, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

} // namespace

void raise(FairleadCallContext *context, Diagnostic id, DiagnosticArgs args) noexcept {
  if (context)
    context->status = -1;
  const Entry &entry = kTable[static_cast<int>(id)];
  try {
    TVMFFIErrorSetRaisedFromCStr(entry.kind, fillPlaceholders(entry.text, args).c_str());
  } catch (const std::exception &) {
    TVMFFIErrorSetRaisedFromCStr(entry.kind, entry.text);
  }
}

} // namespace fairlead::runtime
