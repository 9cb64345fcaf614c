/// The modules embedded in a library.
#include <cstring>
#include <string>
#include <vector>

#include "ModuleInternal.h"
#include "tvm/ffi/cast.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

/// The kind that means the library that contains the stream; a name of the open ABI.
constexpr std::string_view kThisLibrary = "_lib";

/// Reads the little-endian stream of embedded modules. Throws if it ends too early.
class EmbeddedReader {
public:
  explicit EmbeddedReader(std::string_view content) : rest(content) {}

  uint64_t readInteger() {
    uint64_t value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  std::string_view readBytes() { return take(readInteger()); }
  std::vector<uint64_t> readIntegers() {
    uint64_t count = readInteger();
    if (count > rest.size() / sizeof(uint64_t))
      fail();
    std::vector<uint64_t> values(count);
    for (uint64_t &value : values)
      value = readInteger();
    return values;
  }

  [[noreturn]] static void fail() {
    TVM_FFI_THROW(RuntimeError) << "The modules embedded in the library ("
                                << symbol::tvm_ffi_library_bin
                                << ") cannot be read: the data are truncated or malformed";
    TVM_FFI_UNREACHABLE();
  }

private:
  std::string_view take(uint64_t size) {
    if (size > rest.size())
      fail();
    std::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(size);
    return bytes;
  }

  std::string_view rest;
};

Module loadEmbedded(const std::string &kind, std::string_view content) {
  std::optional<Function> loader = Function::GetGlobal("ffi.Module.load_from_bytes." + kind);
  if (!loader)
    TVM_FFI_THROW(RuntimeError) << "Library binary was created using {" << kind
                                << "} but a loader of that name is not registered. Make sure that "
                                   "the runtime that reads such modules is loaded first";
  return (*loader)(Bytes(content.data(), content.size())).cast<Module>();
}

} // namespace

Module tvm::ffi::readEmbeddedModules(const char *content, size_t limit, const Module &library) {
  uint64_t size = 0;
  if (limit < sizeof(size))
    EmbeddedReader::fail();
  std::memcpy(&size, content, sizeof(size));
  if (size > limit - sizeof(size))
    EmbeddedReader::fail();
  EmbeddedReader reader(std::string_view(content + sizeof(size), size));
  std::vector<uint64_t> begins = reader.readIntegers(), children = reader.readIntegers();
  if (begins.size() < 2)
    EmbeddedReader::fail();
  std::vector<Module> modules;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    std::string kind(reader.readBytes());
    modules.push_back(kind == kThisLibrary ? library : loadEmbedded(kind, reader.readBytes()));
  }
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    if (begins[i] > begins[i + 1] || begins[i + 1] > children.size())
      EmbeddedReader::fail();
    for (uint64_t child = begins[i]; child < begins[i + 1]; ++child) {
      if (children[child] >= modules.size())
        EmbeddedReader::fail();
      modules[i]->ImportModule(modules[children[child]]);
    }
  }
  return modules[0];
}
