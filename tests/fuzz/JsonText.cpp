/// Any text as JSON: an error, or a value whose own text reads back the same; as a graph of objects
/// too. A text as a JSON string, as metadata has it, reads back as it was.
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "FuzzInput.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/extra/serialization.h"
#include "tvm/ffi/extra/structural_equal.h"
#include "tvm/ffi/reflection/registry.h"

// The source itself, so that it is instrumented; libtvm_ffi.so has registered it.
#undef TVM_FFI_STATIC_INIT_BLOCK
#define TVM_FFI_STATIC_INIT_BLOCK()                                                                \
  [[maybe_unused]] static void TVM_FFI_STR_CONCAT(registration, __COUNTER__)()
#include "json/Parse.cpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Exactly that size, so that the sanitizer sees a read beyond it.
  std::string content(reinterpret_cast<const char *>(data), size);
  String text(std::move(content));
  String message;
  Any value = json::Parse(text, &message);
  if (!message.empty()) {
    require(value == nullptr, "text that is no JSON has no value");
  } else {
    String again;
    try {
      again = json::Stringify(value);
    } catch (const Error &error) {
      // Strings of JSON may hold bytes that are no UTF-8, which have no text.
      require(error.kind() == "ValueError", "what was read can be printed, or why not is said");
    }
    if (!again.empty()) {
      Any second = json::Parse(again, &message);
      require(message.empty(), "what was printed can be read");
      require(json::Stringify(second) == again, "the text means the same value");
    }
    try {
      FromJSONGraph(value);
    } catch (const Error &) {
    }
  }
  if (text.size() < 1 << 16) {
    String quoted = EscapeStringJSON(text);
    Any read = json::Parse(quoted, &message);
    if (message.empty())
      require(read.cast<String>() == text, "a quoted text reads back as it was");
  }
  return 0;
}
