/// Modules: imports, questions that go through them, and loading by file name.
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "Boundary.h"
#include "ModuleInternal.h"
#include "tvm/ffi/cast.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

Module moduleOf(const Any &value) { return value.cast<Module>(); }

/// Asks `module` and its imports, depth first and each once, until `ask` gives an answer.
template <typename Ask>
auto queryTree(ModuleObj *module, const Ask &ask, std::unordered_set<const ModuleObj *> &visited) {
  auto answer = ask(module);
  if (answer || !visited.insert(module).second)
    return answer;
  for (const Any &import : module->imports()) {
    ModuleObj *next = moduleOf(import).get();
    if (visited.count(next))
      continue;
    answer = queryTree(next, ask, visited);
    if (answer)
      break;
  }
  return answer;
}

/// Asks `module`, and its imports where `queryImports` is set.
template <typename Ask> auto query(ModuleObj *module, bool queryImports, const Ask &ask) {
  if (!queryImports || module->imports().empty())
    return ask(module);
  std::unordered_set<const ModuleObj *> visited;
  return queryTree(module, ask, visited);
}

/// True if `target` is `module` or can be reached from it.
bool reaches(const ModuleObj *module, const ModuleObj *target,
             std::unordered_set<const ModuleObj *> &visited) {
  if (module == target)
    return true;
  if (!visited.insert(module).second)
    return false;
  for (const Any &import : module->imports())
    if (reaches(moduleOf(import).get(), target, visited))
      return true;
  return false;
}

/// Keeps alive the functions that generated code looked up in one module.
class ImportCacheObj : public Object {
public:
  std::unordered_map<std::string, Function> functions;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.ModuleImportCache", ImportCacheObj, Object);
};

std::mutex &importCacheMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

ObjectPtr<ImportCacheObj> importCache(ModuleObj *module) {
  ObjectRef &slot = ModuleObj::InternalUnsafe::importCache(module);
  // A module whose constructor came from another build of the headers holds another object there.
  if (!slot.as<ImportCacheObj>())
    slot = ObjectRef(make_object<ImportCacheObj>());
  return detail::ObjectUnsafe::ObjectPtrFromObjectRef<ImportCacheObj>(slot);
}

/// Returns a function of the module's imports, else a global one, else null.
Function lookupFromImports(ModuleObj *module, const char *name) {
  for (const Any &import : module->imports())
    if (Optional<Function> function = moduleOf(import)->GetFunction(name, true))
      return *function;
  return Function::GetGlobal(name).value_or(Function());
}

/// The modules that stay for the whole process.
struct PinnedModules {
  std::mutex mutex;
  std::vector<Module> modules;

  static PinnedModules &get() {
    static auto *pinned = new PinnedModules;
    return *pinned;
  }
};

std::string fileFormat(const String &fileName) {
  std::string text = fileName;
  size_t dot = text.rfind('.');
  if (dot == std::string::npos)
    TVM_FFI_THROW(RuntimeError) << "Failed to get file format from " << fileName;
  std::string format = text.substr(dot + 1);
  return format == "dll" || format == "dylib" || format == "dso" ? "so" : format;
}

} // namespace

void ModuleObj::ImportModule(const Module &other) {
  TVM_FFI_CHECK(other.defined(), ValueError) << "cannot import a null module";
  std::unordered_set<const ModuleObj *> visited;
  if (reaches(other.get(), this, visited))
    TVM_FFI_THROW(RuntimeError) << "Cyclic dependency detected during import";
  imports_.push_back(other);
}

void ModuleObj::ClearImports() {
  imports_.clear();
  ObjectRef old; // released after the lock: what it holds may come back here
  std::lock_guard lock(importCacheMutex());
  std::swap(old, import_cache_);
}

Optional<Function> ModuleObj::GetFunction(const String &name, bool query_imports) {
  return query(this, query_imports, [&](ModuleObj *module) { return module->GetFunction(name); });
}

bool ModuleObj::ImplementsFunction(const String &name, bool query_imports) {
  return query(this, query_imports,
               [&](ModuleObj *module) { return module->ImplementsFunction(name); });
}

Optional<String> ModuleObj::GetFunctionDoc(const String &name, bool query_imports) {
  return query(this, query_imports,
               [&](ModuleObj *module) { return module->GetFunctionDoc(name); });
}

Optional<String> ModuleObj::GetFunctionMetadata(const String &name, bool query_imports) {
  return query(this, query_imports,
               [&](ModuleObj *module) { return module->GetFunctionMetadata(name); });
}

Module Module::LoadFromFile(const String &file_name) {
  std::string format = fileFormat(file_name);
  std::string loaderName = inner::concat("ffi.Module.load_from_file.", format);
  std::optional<Function> loader = Function::GetGlobal(loaderName);
  if (!loader)
    TVM_FFI_THROW(RuntimeError) << "Loader for `." << format
                                << "` files is not registered, resolved to (" << loaderName
                                << ") in the global registry. Ensure that the library that loads "
                                   "such files is itself loaded";
  return (*loader)(file_name, format).cast<Module>();
}

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char *func_name,
                                  TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(library_ctx, "TVMFFIEnvModLookupFromImports", "library_ctx");
  requireArgument(func_name, "TVMFFIEnvModLookupFromImports", "func_name");
  requireArgument(out, "TVMFFIEnvModLookupFromImports", "out");
  // Not a handle: the address of the whole object, which begins before its header.
  auto *module = static_cast<ModuleObj *>(library_ctx);
  {
    std::lock_guard lock(importCacheMutex());
    auto &functions = importCache(module)->functions;
    if (auto it = functions.find(func_name); it != functions.end()) {
      *out = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(it->second);
      return 0;
    }
  }
  // Without the lock, for the look-up runs code of the imported modules.
  Function function = lookupFromImports(module, func_name);
  if (!function.defined())
    TVM_FFI_THROW(RuntimeError) << "Cannot find function " << func_name
                                << " in the imported modules or global registry.";
  std::lock_guard lock(importCacheMutex());
  auto it = importCache(module)->functions.try_emplace(func_name, std::move(function)).first;
  *out = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(it->second);
  TVM_FFI_SAFE_CALL_END();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.ModuleLoadFromFile", &Module::LoadFromFile)
      .def("ffi.ModuleImplementsFunction",
           [](Module module, String name, bool queryImports) {
             return module->ImplementsFunction(name, queryImports);
           })
      .def("ffi.ModuleGetFunction",
           [](Module module, String name, bool queryImports) {
             return module->GetFunction(name, queryImports);
           })
      .def("ffi.ModuleGetFunctionMetadata",
           [](Module module, String name, bool queryImports) {
             return module->GetFunctionMetadata(name, queryImports);
           })
      .def("ffi.ModuleGetFunctionDoc",
           [](Module module, String name, bool queryImports) {
             return module->GetFunctionDoc(name, queryImports);
           })
      .def("ffi.ModuleGetPropertyMask", [](Module module) { return module->GetPropertyMask(); })
      .def("ffi.ModuleInspectSource",
           [](Module module, String format) { return module->InspectSource(format); })
      .def("ffi.ModuleGetKind", [](Module module) { return String(module->kind()); })
      .def("ffi.ModuleGetWriteFormats", [](Module module) { return module->GetWriteFormats(); })
      .def("ffi.ModuleWriteToFile", [](Module module, String fileName,
                                       String format) { module->WriteToFile(fileName, format); })
      .def("ffi.ModuleImportModule",
           [](Module module, Module other) { module->ImportModule(other); })
      .def("ffi.ModuleClearImports", [](Module module) { module->ClearImports(); })
      .def("ffi.ModuleGlobalsAdd",
           [](Module module) {
             PinnedModules &pinned = PinnedModules::get();
             std::lock_guard lock(pinned.mutex);
             pinned.modules.push_back(module);
           })
      .def("ffi.ModuleGlobalsRemove", [](Module module) {
        PinnedModules &pinned = PinnedModules::get();
        std::vector<Module> removed; // released after the lock
        std::lock_guard lock(pinned.mutex);
        for (size_t i = pinned.modules.size(); i-- > 0;) {
          if (!pinned.modules[i].same_as(module))
            continue;
          removed.push_back(std::move(pinned.modules[i]));
          pinned.modules.erase(pinned.modules.begin() + static_cast<ptrdiff_t>(i));
        }
      });
}
