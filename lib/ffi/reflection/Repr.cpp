/// Values as text.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "Walk.h"
#include "tvm/ffi/container/tensor.h"
#include "tvm/ffi/device.h"
#include "tvm/ffi/dtype.h"
#include "tvm/ffi/enum.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

void appendHex(std::string &out, const char *format, uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), format, value);
  out += text;
}

std::string quoteBytes(std::string_view bytes) {
  std::string out = "b\"";
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\')
      out += c;
    else
      appendHex(out, "\\x%02x", byte);
  }
  return out + "\"";
}

/// A BigInt's words in decimal.
std::string decimal(const TVMFFIAny &value) {
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(&value);
  std::vector<uint64_t> words(content.size / sizeof(uint64_t));
  std::memcpy(words.data(), content.data, content.size);
  bool negative = static_cast<int64_t>(words.back()) < 0;
  if (negative) { // two's complement
    unsigned carry = 1;
    for (uint64_t &word : words) {
      word = ~word + carry;
      carry = carry && word == 0;
    }
  }
  constexpr uint64_t kChunk = 1000000000000000000u; // 18 digits
  std::string text;
  while (!words.empty()) {
    unsigned __int128 rest = 0;
    for (size_t i = words.size(); i-- > 0;) {
      rest = (rest << 64) | words[i];
      words[i] = static_cast<uint64_t>(rest / kChunk);
      rest %= kChunk;
    }
    while (!words.empty() && words.back() == 0)
      words.pop_back();
    std::string digits = std::to_string(static_cast<uint64_t>(rest));
    if (!words.empty())
      digits.insert(0, 18 - digits.size(), '0');
    text = digits + text;
  }
  return negative ? "-" + text : text;
}

std::string deviceText(DLDevice device) {
  switch (static_cast<int>(device.device_type)) {
#define FAIRLEAD_DEVICE(code, name)                                                                \
  case code:                                                                                       \
    return inner::concat(name, ":", std::to_string(device.device_id));
    FAIRLEAD_DEVICE(kDLCPU, "cpu")
    FAIRLEAD_DEVICE(kDLCUDA, "cuda")
    FAIRLEAD_DEVICE(kDLCUDAHost, "cuda_host")
    FAIRLEAD_DEVICE(kDLOpenCL, "opencl")
    FAIRLEAD_DEVICE(kDLVulkan, "vulkan")
    FAIRLEAD_DEVICE(kDLMetal, "metal")
    FAIRLEAD_DEVICE(kDLVPI, "vpi")
    FAIRLEAD_DEVICE(kDLROCM, "rocm")
    FAIRLEAD_DEVICE(kDLROCMHost, "rocm_host")
    FAIRLEAD_DEVICE(kDLExtDev, "ext_dev")
    FAIRLEAD_DEVICE(kDLCUDAManaged, "cuda_managed")
    FAIRLEAD_DEVICE(kDLOneAPI, "oneapi")
    FAIRLEAD_DEVICE(kDLWebGPU, "webgpu")
    FAIRLEAD_DEVICE(kDLHexagon, "hexagon")
    FAIRLEAD_DEVICE(kDLMAIA, "maia")
    FAIRLEAD_DEVICE(kDLTrn, "trn")
#undef FAIRLEAD_DEVICE
  default:
    return inner::concat("device(", std::to_string(static_cast<int>(device.device_type)),
                         "):", std::to_string(device.device_id));
  }
}

/// True if objects are shown with their addresses, which distinguish equal objects.
bool addressesAreWanted() {
  const char *text = std::getenv("TVM_FFI_REPR_WITH_ADDR");
  return text && std::string_view(text) == "1";
}

class Printer {
public:
  std::string show(AnyView value) {
    NestingGuard guard(level, "ReprPrint");
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    switch (raw.type_index) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIBool:
      return raw.v_int64 ? "True" : "False";
    case kTVMFFIInt:
      return std::to_string(raw.v_int64);
    case kTVMFFIFloat: {
      std::ostringstream text;
      text << raw.v_float64;
      return text.str();
    }
    case kTVMFFIDataType:
      return std::string(DLDataTypeToString(raw.v_dtype));
    case kTVMFFIDevice:
      return deviceText(raw.v_device);
    case kTVMFFIRawStr:
      return EscapedStringPy(raw.v_c_str);
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return EscapedStringPy(String(contentOf(raw)));
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return quoteBytes(contentOf(raw));
    case kTVMFFIBigInt:
      return decimal(raw);
    case kTVMFFIShape: {
      TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(raw.v_obj);
      return inner::concat("Shape(", join(shape->data, static_cast<int64_t>(shape->size)), ")");
    }
    case kTVMFFITensor: {
      DLTensor *tensor = TVMFFITensorGetDLTensorPtr(raw.v_obj);
      return inner::concat(std::string(DLDataTypeToString(tensor->dtype)), "[",
                           join(tensor->shape, tensor->ndim), "]@", deviceText(tensor->device),
                           address(objectOf(value)));
    }
    default:
      if (raw.type_index < kTVMFFIStaticObjectBegin)
        return TypeIndexToTypeKey(raw.type_index);
      return showObject(value, raw.type_index);
    }
  }

private:
  static std::string join(const int64_t *values, int64_t count) {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += inner::concat(i ? ", " : "", std::to_string(values[i]));
    return text;
  }

  std::string showObject(AnyView value, int32_t type) {
    const Object *object = objectOf(value);
    Entered<const Object *> entered(open, object);
    if (!entered.fresh)
      return "..." + address(object);
    if (isSequence(type)) {
      SequenceView values(object);
      std::string text;
      for (const Any &item : values)
        text += inner::concat(text.empty() ? "" : ", ", show(item));
      if (type == kTVMFFIList)
        return inner::concat("[", text, "]", address(object));
      return inner::concat("(", text, values.count == 1 ? ",)" : ")", address(object));
    }
    if (isMapping(type)) {
      std::string text;
      for (const auto &[key, item] : *mapOf(object))
        text += inner::concat(text.empty() ? "" : ", ", show(key), ": ", show(item));
      return inner::concat("{", text, "}", address(object));
    }
    AnyView hook = findTypeAttr(type_attr::kRepr, type);
    if (hook != nullptr)
      return std::string(hook.cast<Function>()(value, callback()).cast<String>());
    if (object->IsInstance<EnumObj>())
      return inner::concat(value.GetTypeKey(), ".",
                           std::string(static_cast<const EnumObj *>(object)->_str_index));
    return showFields(object, type);
  }

  std::string showFields(const Object *object, int32_t type) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
    std::string text;
    reflection::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo *field) {
      if (!(field->flags & kTVMFFIFieldFlagBitMaskReprOff))
        text += inner::concat(text.empty() ? "" : ", ", nameOf(field->name), "=",
                              show(readField(object, field)));
    });
    std::string key = inner::concat(nameOf(info->type_key), address(object));
    return text.empty() ? key : inner::concat(key, "(", text, ")");
  }

  /// `@0x...`, or nothing.
  std::string address(const Object *object) const {
    if (!withAddresses)
      return std::string();
    char text[32];
    std::snprintf(text, sizeof(text), "@0x%" PRIxPTR, reinterpret_cast<uintptr_t>(object));
    return text;
  }

  /// The callback of a class's own text for inner values. It is valid during that call only.
  Function callback() {
    return Function::FromTyped([this](AnyView value) { return String(show(value)); });
  }

  bool withAddresses = addressesAreWanted();
  std::set<const Object *> open;
  int level = 0;
};

} // namespace

String tvm::ffi::ReprPrint(const Any &value) { return String(Printer().show(value)); }

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::EnsureTypeAttrColumn(type_attr::kRepr);
  reflection::GlobalDef().def("ffi.ReprPrint", &ReprPrint);
}
