/// Any bytes as the modules embedded in a library: an error, or a module.
#include <vector>

#include "FuzzInput.h"
#include "ModuleInternal.h"
#include "tvm/ffi/memory.h"

using namespace tvm::ffi;

namespace {
class EmptyModule final : public ModuleObj {
public:
  const char *kind() const final { return "empty"; }
  Optional<Function> GetFunction(const String &) final { return std::nullopt; }
};

Module emptyModule() { return Module(ObjectPtr<ModuleObj>(make_object<EmptyModule>())); }
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool registered = [] {
    Function::SetGlobal("ffi.Module.load_from_bytes.m",
                        Function::FromTyped([](Bytes) { return emptyModule(); }));
    return true;
  }();
  require(registered, "the loader");
  // The length comes first: the real one, or one from the input.
  std::vector<char> content(data, data + size);
  if (size > 0 && (data[0] & 1)) {
    uint64_t length = size - 1;
    content.assign(reinterpret_cast<char *>(&length), reinterpret_cast<char *>(&length + 1));
    content.insert(content.end(), data + 1, data + size);
  }
  try {
    Module root = readEmbeddedModules(content.data(), content.size(), emptyModule());
    require(root.defined(), "a module was read");
    root->ImplementsFunction("none", true);
  } catch (const Error &error) {
    require(!error.message().empty(), "an error has a message");
  }
  return 0;
}
