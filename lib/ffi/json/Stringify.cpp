/// Values to JSON text.
#include "ffi/json/Stringify.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "tvm/ffi/container/list.h"
#include "tvm/ffi/error.h"
#include "tvm/ffi/extra/json.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// The parser's limit; it also stops at a list that contains itself.
constexpr int kMaxTextDepth = 4096;

class Writer {
public:
  explicit Writer(int indent) : indent(indent) {}

  void write(const Any &value) {
    switch (value.type_index()) {
    case kTVMFFINone:
      text += "null";
      return;
    case kTVMFFIBool:
      text += value.cast<bool>() ? "true" : "false";
      return;
    case kTVMFFIInt:
      text += std::to_string(value.cast<int64_t>());
      return;
    case kTVMFFIFloat:
      return writeFloat(value.cast<double>());
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return writeString(value.cast<String>());
    case kTVMFFIArray:
      return writeSequence(value.cast<Array<Any>>());
    case kTVMFFIList:
      return writeSequence(value.cast<List<Any>>());
    case kTVMFFIMap:
      return writeObject(value.cast<json::Object>());
    default:
      TVM_FFI_THROW(ValueError) << "Unsupported type: `" << value.GetTypeKey() << "`";
    }
  }

  std::string text;

private:
  /// 17 digits, which bring back the same double; always as a float's text, never an int's.
  void writeFloat(double value) {
    if (std::isnan(value)) {
      text += "NaN";
    } else if (std::isinf(value)) {
      text += value < 0 ? "-Infinity" : "Infinity";
    } else {
      // Not std::to_chars: its tables of 170 KB would be linked into the library.
      char buffer[64];
      auto size = static_cast<size_t>(std::snprintf(buffer, sizeof(buffer), "%.17g", value));
      writeDigits({buffer, size});
    }
  }

  /// Writes digits of "%.17g", with a point for the locale's decimal separator.
  void writeDigits(std::string_view digits) {
    constexpr std::string_view kDigits = "0123456789+-e";
    const size_t separator = digits.find_first_not_of(kDigits);
    text += digits.substr(0, separator);
    if (separator != digits.npos) {
      text += '.';
      text += digits.substr(digits.find_first_of(kDigits, separator));
    } else if (digits.find('e') == digits.npos) {
      text += ".0";
    }
  }

  void writeString(const String &value) {
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t", kNames = "\"\\/bfnrt";
    text += '"';
    for (char c : std::string_view(value.data(), value.size())) {
      unsigned char byte = static_cast<unsigned char>(c);
      if (size_t index = kMeanings.find(c); index != std::string_view::npos) {
        text += '\\';
        text += kNames[index];
      } else if (byte < 0x20 || byte == 0x7f) {
        constexpr char kHex[] = "0123456789abcdef";
        text += "\\u00";
        text += kHex[byte >> 4];
        text += kHex[byte & 15];
      } else {
        text += c;
      }
    }
    text += '"';
  }

  void open(char bracket) {
    if (++depth > kMaxTextDepth)
      TVM_FFI_THROW(ValueError) << "Nested too deep: a value of more than " << kMaxTextDepth
                                << " levels, or one that holds itself";
    text += bracket;
  }
  void next(bool first) {
    if (!first)
      text += ',';
    newLine();
  }
  void close(char bracket) {
    --depth;
    newLine();
    text += bracket;
  }
  void newLine() {
    if (indent <= 0)
      return;
    text += '\n';
    text.append(static_cast<size_t>(indent) * static_cast<size_t>(depth), ' ');
  }

  template <typename Sequence> void writeSequence(const Sequence &values) {
    open('[');
    bool first = true;
    for (const Any &value : values) {
      next(first);
      first = false;
      write(value);
    }
    close(']');
  }

  void writeObject(const json::Object &entries) {
    open('{');
    bool first = true;
    for (const auto &[key, value] : entries) {
      next(first);
      first = false;
      auto name = key.template as<String>();
      if (!name)
        TVM_FFI_THROW(ValueError) << "Expect key to be string, got `" << key.GetTypeKey() << "`";
      writeString(*name);
      text += indent > 0 ? ": " : ":";
      write(value);
    }
    close('}');
  }

  int indent;
  int depth = 0;
};

} // namespace

String inner::stringify(const Any &value, int indent) {
  Writer writer(indent);
  writer.write(value);
  return String(std::move(writer.text));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.json.Stringify", [](const Any &value, Optional<int> indent) {
    return inner::stringify(value, indent.has_value() ? *indent : 0);
  });
}
