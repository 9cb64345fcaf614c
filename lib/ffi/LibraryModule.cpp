/// Modules of native code: functions by symbol, and the modules embedded in a library.
#include <cstring>
#include <map>
#include <mutex>

#include "Boundary.h"
#include "ModuleInternal.h"
#include "tvm/ffi/cast.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// A function of a library. Calls it directly: both sides have the same calling convention.
class LibraryFunctionObj : public FunctionObj {
public:
  LibraryFunctionObj(Module module, TVMFFISafeCallType target)
      : module(std::move(module)), target(target) {
    safe_call = call;
  }

private:
  static int call(void *handle, const TVMFFIAny *args, int32_t numArgs, TVMFFIAny *result) {
    auto *function = static_cast<LibraryFunctionObj *>(reinterpret_cast<Object *>(handle));
    return function->target(nullptr, args, numArgs, result);
  }

  Module module; ///< keeps the code there
  TVMFFISafeCallType target;
};

class LibraryModuleObj final : public ModuleObj {
public:
  explicit LibraryModuleObj(std::unique_ptr<SymbolSource> symbols) : symbols(std::move(symbols)) {}

  const char *kind() const final { return "library"; }
  int GetPropertyMask() const final { return Module::kBinarySerializable | Module::kRunnable; }
  Optional<Function> GetFunction(const String &name) final {
    TVMFFISafeCallType target = find(symbol::tvm_ffi_symbol_prefix, name);
    if (!target)
      return std::nullopt;
    return Function(ObjectPtr<FunctionObj>(
        make_object<LibraryFunctionObj>(GetRef<Module>(static_cast<ModuleObj *>(this)), target)));
  }
  bool ImplementsFunction(const String &name) final {
    return find(symbol::tvm_ffi_symbol_prefix, name) != nullptr;
  }
  Optional<String> GetFunctionDoc(const String &name) final {
    return text(symbol::tvm_ffi_doc_prefix, name);
  }
  Optional<String> GetFunctionMetadata(const String &name) final {
    return text(symbol::tvm_ffi_metadata_prefix, name);
  }

private:
  TVMFFISafeCallType find(const char *prefix, const String &name) {
    // A name with a NUL would be cut there, and find another function.
    if (std::memchr(name.data(), '\0', name.size()))
      return nullptr;
    return reinterpret_cast<TVMFFISafeCallType>(symbols->find(prefix, name));
  }
  Optional<String> text(const char *prefix, const String &name) {
    TVMFFISafeCallType target = find(prefix, name);
    if (!target)
      return std::nullopt;
    return Function::InvokeExternC(nullptr, target).cast<String>();
  }

  std::unique_ptr<SymbolSource> symbols;
};

/// The symbols that libraries are handed when they are loaded.
struct ContextSymbols {
  std::mutex mutex;
  std::map<std::string, void *> symbols;

  static ContextSymbols &get() {
    static auto *context = new ContextSymbols;
    return *context;
  }
  std::map<std::string, void *> copy() {
    std::lock_guard lock(mutex);
    return symbols;
  }
};

/// Reads the little-endian stream of embedded modules; throws where it ends too early.
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
    std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
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

Module tvm::ffi::readEmbeddedModules(const char *content, const Module &library) {
  uint64_t size;
  std::memcpy(&size, content, sizeof(size));
  EmbeddedReader reader(std::string_view(content + sizeof(size), size));
  std::vector<uint64_t> begins = reader.readIntegers(), children = reader.readIntegers();
  if (begins.size() < 2)
    EmbeddedReader::fail();
  std::vector<Module> modules;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    std::string kind(reader.readBytes());
    modules.push_back(kind == "_lib" ? library : loadEmbedded(kind, reader.readBytes()));
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

Module tvm::ffi::makeLibraryModule(std::unique_ptr<SymbolSource> symbols) {
  SymbolSource &source = *symbols;
  for (const auto &[name, address] : ContextSymbols::get().copy())
    if (void *slot = source.find(name))
      *static_cast<void **>(slot) = address;
  Module library(ObjectPtr<ModuleObj>(make_object<LibraryModuleObj>(std::move(symbols))));
  Module root = library;
  if (void *content = source.find(symbol::tvm_ffi_library_bin))
    root = readEmbeddedModules(static_cast<const char *>(content), library);
  if (void *slot = source.find(symbol::tvm_ffi_library_ctx))
    *static_cast<void **>(slot) = library.get();
  return root;
}

void Module::VisitContextSymbols(const TypedFunction<void(String, void *)> &callback) {
  for (const auto &[name, address] : ContextSymbols::get().copy())
    callback(name, address);
}

int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(name, "TVMFFIEnvModRegisterContextSymbol", "name");
  ContextSymbols &context = ContextSymbols::get();
  std::lock_guard lock(context.mutex);
  context.symbols[name] = symbol;
  TVM_FFI_SAFE_CALL_END();
}
