/// Values with all their objects as JSON, and back.
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../reflection/Walk.h"
#include "ffi/json/Stringify.h"
#include "tvm/ffi/big_int.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/shape.h"
#include "tvm/ffi/device.h"
#include "tvm/ffi/dtype.h"
#include "tvm/ffi/enum.h"
#include "tvm/ffi/extra/base64.h"
#include "tvm/ffi/extra/serialization.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// True for types whose fields are inline in their object's node.
bool standsInPlace(int32_t type) {
  return type == kTVMFFIBool || type == kTVMFFIInt || type == kTVMFFIFloat ||
         type == kTVMFFIDataType;
}

class Encoder {
public:
  json::Value encode(const Any &value, const Any &metadata) {
    int64_t root = nodeOf(value);
    json::Object graph{{"root_index", root}, {"nodes", nodes}};
    if (metadata != nullptr)
      graph.Set("metadata", metadata);
    return graph;
  }

private:
  int64_t nodeOf(const Any &value) {
    if (auto it = numbers.find(value); it != numbers.end())
      return it->second;
    NestingGuard guard(level, "ToJSONGraph");
    json::Object node{{"type", typeOf(value)}};
    if (value != nullptr)
      node.Set("data", dataOf(value));
    int64_t number = static_cast<int64_t>(nodes.size());
    nodes.push_back(node);
    numbers.emplace(value, number);
    return number;
  }

  /// Short strings and bytes are of the same types as long ones.
  static String typeOf(const Any &value) {
    int32_t type = value.type_index();
    return String(isText(type)    ? std::string("ffi.String")
                  : isBytes(type) ? std::string("ffi.Bytes")
                                  : value.GetTypeKey());
  }

  Any dataOf(const Any &value) {
    int32_t type = value.type_index();
    switch (type) {
    case kTVMFFIBool:
    case kTVMFFIInt:
    case kTVMFFIFloat:
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return value;
    case kTVMFFIDataType:
      return DLDataTypeToString(value.cast<DLDataType>());
    case kTVMFFIDevice: {
      DLDevice device = value.cast<DLDevice>();
      return json::Array{static_cast<int64_t>(device.device_type),
                         static_cast<int64_t>(device.device_id)};
    }
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return Base64Encode(value.cast<Bytes>());
    case kTVMFFIShape: {
      json::Array sizes;
      for (int64_t size : value.cast<Shape>())
        sizes.push_back(size);
      return sizes;
    }
    default:
      break;
    }
    if (type < kTVMFFIStaticObjectBegin)
      TVM_FFI_THROW(TypeError) << "Type `" << value.GetTypeKey()
                               << "` does not support ToJSONGraph";
    return objectData(value, type);
  }

  Any objectData(const Any &value, int32_t type) {
    const Object *object = objectOf(value);
    if (!open.insert(object).second)
      TVM_FFI_THROW(ValueError) << "Cycle detected during serialization: a "
                                << (type == kTVMFFIList   ? "List"
                                    : type == kTVMFFIDict ? "Dict"
                                                          : value.GetTypeKey())
                                << " contains itself";
    Any data = openData(value, object, type);
    open.erase(object);
    return data;
  }

  Any openData(const Any &value, const Object *object, int32_t type) {
    if (isSequence(type)) {
      json::Array items;
      for (const Any &item : SequenceView(object))
        items.push_back(nodeOf(item));
      return items;
    }
    if (isMapping(type)) {
      json::Array items;
      for (const auto &[key, item] : *mapOf(object)) {
        items.push_back(nodeOf(key));
        items.push_back(nodeOf(item));
      }
      return items;
    }
    if (AnyView hook = findTypeAttr(type_attr::kDataToJson, type); hook != nullptr)
      return hook.cast<Function>()(value);
    if (isRegisteredEnum(object))
      return enumData(static_cast<const EnumObj *>(object));
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
    if (!(info->metadata && info->metadata->creator) &&
        findTypeAttr(type_attr::kNew, type) == nullptr)
      TVM_FFI_THROW(TypeError) << "Type `" << value.GetTypeKey()
                               << "` does not support ToJSONGraph (no native creator or "
                                  "__ffi_new__ type attr)";
    json::Object fields;
    reflection::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo *field) {
      Any content = readField(object, field);
      if (!standsInPlace(field->field_static_type_index))
        content = nodeOf(content);
      else if (content.type_index() == kTVMFFIDataType)
        content = DLDataTypeToString(content.cast<DLDataType>());
      fields.Set(String(std::string(nameOf(field->name))), content);
    });
    return fields;
  }

  /// Represents a value of an enum by its integer or string.
  static Any enumData(const EnumObj *value) {
    if (value->IsInstance<IntEnumObj>())
      return value->_int_index;
    return value->_str_index;
  }

  json::Array nodes;
  std::unordered_map<Any, int64_t, AnyHash, AnyEqual> numbers;
  std::unordered_set<const Object *> open;
  int level = 0;
};

class Decoder {
public:
  explicit Decoder(json::Array nodes)
      : nodes(std::move(nodes)), values(this->nodes.size()), states(this->nodes.size()) {}

  const Any &valueOf(int64_t number) {
    if (number < 0 || number >= static_cast<int64_t>(nodes.size()))
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph: invalid node index " << number;
    size_t at = static_cast<size_t>(number);
    if (states[at] == State::Done)
      return values[at];
    if (states[at] == State::Open)
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph: node " << number
                                << " contains itself";
    NestingGuard guard(level, "FromJSONGraph");
    states[at] = State::Open;
    values[at] = decode(nodes[number].cast<json::Object>());
    states[at] = State::Done;
    return values[at];
  }

private:
  enum class State : uint8_t { Untouched, Open, Done };

  Any decode(const json::Object &node) {
    String key = node.at("type").cast<String>();
    int32_t type = TypeKeyToIndex(std::string_view(key.data(), key.size()));
    if (type == kTVMFFINone)
      return nullptr;
    Any data = node.at("data");
    switch (type) {
    case kTVMFFIBool:
      return data.cast<bool>();
    case kTVMFFIInt:
      return data.cast<int64_t>();
    case kTVMFFIFloat:
      return data.cast<double>();
    case kTVMFFIStr:
      return data.cast<String>();
    case kTVMFFIDataType:
      return StringToDLDataType(data.cast<String>());
    case kTVMFFIDevice: {
      json::Array parts = data.cast<json::Array>();
      if (parts.size() != 2)
        TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph: Device data must be an array of "
                                     "[device_type, device_id], got "
                                  << parts.size() << " element(s)";
      return DLDevice{static_cast<DLDeviceType>(parts[0].cast<int32_t>()),
                      parts[1].cast<int32_t>()};
    }
    case kTVMFFIBytes:
      return Base64Decode(data.cast<String>());
    case kTVMFFIShape: {
      std::vector<int64_t> sizes;
      for (const Any &size : data.cast<json::Array>())
        sizes.push_back(size.cast<int64_t>());
      return Shape(sizes.begin(), sizes.end());
    }
    case kTVMFFIArray:
      return sequence<Array<Any>>(data);
    case kTVMFFIList:
      return sequence<List<Any>>(data);
    case kTVMFFIMap:
      return mapping<Map<Any, Any>>(data);
    case kTVMFFIDict:
      return mapping<Dict<Any, Any>>(data);
    default:
      break;
    }
    if (AnyView hook = findTypeAttr(type_attr::kDataFromJson, type); hook != nullptr)
      return hook.cast<Function>()(data);
    if (detail::IsObjectInstance<EnumObj>(type)) {
      if (std::optional<int64_t> number = data.as<int64_t>())
        return EnumObj::_GetByIntIndex(type, *number);
      if (std::optional<String> name = data.as<String>())
        return EnumObj::_GetByStrIndex(type, *name);
    }
    return object(type, key, data);
  }

  template <typename Sequence> Any sequence(const Any &data) {
    Sequence result;
    for (const Any &number : data.cast<json::Array>())
      result.push_back(valueOf(number.cast<int64_t>()));
    return result;
  }

  template <typename Mapping> Any mapping(const Any &data) {
    json::Array numbers = data.cast<json::Array>();
    if (numbers.size() % 2 != 0)
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph: Map/Dict data must contain an even "
                                   "number of [key, value] entries, got "
                                << numbers.size();
    Mapping result;
    for (size_t i = 0; i < numbers.size(); i += 2) {
      Any key = valueOf(numbers[static_cast<int64_t>(i)].cast<int64_t>());
      result.Set(key, valueOf(numbers[static_cast<int64_t>(i + 1)].cast<int64_t>()));
    }
    return result;
  }

  Any object(int32_t type, const String &key, const Any &data) {
    ObjectPtr<Object> result = makeEmpty(type);
    json::Object fields = data.cast<json::Object>();
    reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(type), [&](const TVMFFIFieldInfo *field) {
      char *address = fieldAddress(result.get(), field);
      auto it = fields.find(String(std::string(nameOf(field->name))));
      if (it == fields.end()) {
        if (!(field->flags & kTVMFFIFieldFlagBitMaskHasDefault))
          TVM_FFI_THROW(TypeError)
              << "Required field `" << nameOf(field->name) << "` not set in type `" << key << "`";
        reflection::SetFieldToDefault(field, address);
        return;
      }
      Any content = (*it).second;
      if (!standsInPlace(field->field_static_type_index))
        content = valueOf(content.cast<int64_t>());
      else if (field->field_static_type_index == kTVMFFIDataType)
        content = StringToDLDataType(content.cast<String>());
      TVMFFIAny raw = AnyView(content).CopyToTVMFFIAny();
      TVM_FFI_CHECK_SAFE_CALL(reflection::CallFieldSetter(field, address, &raw));
    });
    return ObjectRef(std::move(result));
  }

  json::Array nodes;
  std::vector<Any> values;
  std::vector<State> states;
  int level = 0;
};

Any bigIntToJson(AnyView value) {
  std::ostringstream text;
  text << value.cast<BigInt>();
  return String(text.str());
}

Any bigIntFromJson(AnyView data) {
  String text = data.cast<String>();
  std::string digits(text);
  size_t sign = !digits.empty() && (digits[0] == '-' || digits[0] == '+') ? 1 : 0;
  BigInt value;
  std::istringstream stream(digits);
  if (digits.size() == sign || digits.find_first_not_of("0123456789", sign) != std::string::npos ||
      !(stream >> value))
    TVM_FFI_THROW(ValueError) << "Invalid decimal string for ffi.BigInt";
  return Any(value);
}

/// A member of a graph, None if it has none.
Any memberOf(const json::Object &graph, const char *name) {
  auto it = graph.find(name);
  return it == graph.end() ? Any() : Any((*it).second);
}

} // namespace

namespace tvm::ffi {

json::Value ToJSONGraph(const Any &value, const Any &metadata) {
  return Encoder().encode(value, metadata);
}

Any FromJSONGraph(const json::Value &value) {
  std::optional<json::Object> graph = value.as<json::Object>();
  if (!graph)
    TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph, expected an object";
  std::optional<int64_t> root = memberOf(*graph, "root_index").as<int64_t>();
  if (!root)
    TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph, expected `root_index` integer field";
  std::optional<json::Array> nodes = memberOf(*graph, "nodes").as<json::Array>();
  if (!nodes)
    TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph, expected `nodes` array field";
  return Decoder(*nodes).valueOf(*root);
}

} // namespace tvm::ffi

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::EnsureTypeAttrColumn(type_attr::kDataToJson);
  reflection::EnsureTypeAttrColumn(type_attr::kDataFromJson);
  inner::registerTypeAttr(kTVMFFIBigInt, type_attr::kDataToJson, Function::FromTyped(bigIntToJson));
  inner::registerTypeAttr(kTVMFFIBigInt, type_attr::kDataFromJson,
                          Function::FromTyped(bigIntFromJson));
  reflection::GlobalDef()
      .def("ffi.ToJSONGraph", [](Any value, Any metadata) { return ToJSONGraph(value, metadata); })
      .def("ffi.ToJSONGraphString",
           [](Any value, Any metadata) { return inner::stringify(ToJSONGraph(value, metadata)); })
      .def("ffi.FromJSONGraph", [](Any graph) { return FromJSONGraph(graph); })
      .def("ffi.FromJSONGraphString", [](String text) { return FromJSONGraph(json::Parse(text)); });
}
