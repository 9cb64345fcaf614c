/// Descriptions of functions in exported files and cache entries. Any text as a signature, any
/// bytes as one in its binary form, any text as the way a function is called: refused, or something
/// whose own text or bytes read back the same.
#include <string>

#include "FuzzInput.h"
#include "fairlead/Error.h"
#include "fairlead/Signature.h"
#include "signature/CallDescription.h"
#include "signature/SignatureBytes.h"
#include "tvm/ffi/error.h"

using namespace fairlead;

namespace {

void readText(std::string_view bytes) {
  try {
    const std::string text = Signature::parse(bytes).text();
    require(Signature::parse(text).text() == text, "a signature's text reads back the same");
  } catch (const Error &error) {
    require(error.kind() == "ValueError" && *error.what(), "text that is no signature is told so");
  }
}

void readBytes(std::string_view bytes) {
  Signature signature;
  if (!unpackSignature(bytes, signature))
    return;
  const std::string packed = packSignature(signature);
  Signature again;
  require(unpackSignature(packed, again) && packSignature(again) == packed,
          "a signature's bytes read back the same");
}

void readCall(std::string_view bytes) {
  const auto call = CallDescription::parse(std::string(bytes));
  if (!call)
    return;
  std::optional<std::string> text;
  try {
    text = call->text();
  } catch (const tvm::ffi::Error &error) {
    // Names of JSON may hold bytes that are no UTF-8, which have no text.
    require(error.kind() == "ValueError", "what was read can be told, or why not is said");
  }
  if (!text)
    return;
  const auto again = CallDescription::parse(*text);
  require(again && again->text() == text, "a call's text reads back the same");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  readText(bytes);
  readBytes(bytes);
  readCall(bytes);
  return 0;
}
