/// Modules: libraries of functions, loaded from files or made by a program.
#ifndef TVM_FFI_EXTRA_MODULE_H_
#define TVM_FFI_EXTRA_MODULE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

namespace tvm {
namespace ffi {

class Module;

/// A module's interface. The order of the virtual functions is ABI; there is no virtual destructor,
/// for objects go through the deleter of their header.
class TVM_FFI_EXTRA_CXX_API ModuleObj : public Object {
public:
  /// The kind's name, such as "library". NUL-terminated, lives as long as the module.
  virtual const char *kind() const = 0;
  /// Module::ModulePropertyMask bits.
  virtual int GetPropertyMask() const { return 0; }
  /// The function of that name in this module alone, or nothing.
  virtual Optional<Function> GetFunction(const String &name) = 0;
  virtual bool ImplementsFunction(const String &name) { return GetFunction(name).has_value(); }
  virtual Optional<String> GetFunctionDoc(const String &) { return std::nullopt; }
  /// JSON with the function's "type_schema", or nothing.
  virtual Optional<String> GetFunctionMetadata(const String &) { return std::nullopt; }
  virtual void WriteToFile(const String &, const String &) const {
    TVM_FFI_THROW(RuntimeError) << "Module[" << kind() << "] does not support WriteToFile";
  }
  virtual Array<String> GetWriteFormats() const { return Array<String>(); }
  virtual Bytes SaveToBytes() const {
    TVM_FFI_THROW(RuntimeError) << "Module[" << kind() << "] does not support SaveToBytes";
    TVM_FFI_UNREACHABLE();
  }
  virtual String InspectSource(const String &) const { return String(); }
  /// Adds a module whose functions this one's may call. RuntimeError where that closes a cycle.
  virtual void ImportModule(const Module &other);
  virtual void ClearImports();

  // The same questions, also to the imports where `query_imports` is set: depth first, in order.
  Optional<Function> GetFunction(const String &name, bool query_imports);
  bool ImplementsFunction(const String &name, bool query_imports);
  Optional<String> GetFunctionDoc(const String &name, bool query_imports);
  Optional<String> GetFunctionMetadata(const String &name, bool query_imports);

  const Array<Any> &imports() const { return imports_; }

  /// The library's own access.
  struct InternalUnsafe;

  static constexpr int32_t _type_index = kTVMFFIModule;
  static constexpr bool _type_final = true;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIModule, ModuleObj, Object)

private:
  friend struct InternalUnsafe;

  Array<Any> imports_;
  /// Functions that generated code looked up; the library's, and of a type of its own.
  ObjectRef import_cache_;
};
static_assert(sizeof(ModuleObj) == 48, "layout of Module");

/// A reference to a module. Null only where it is made of a null pointer or was moved from.
class Module : public ObjectRef {
public:
  enum ModulePropertyMask : int {
    kBinarySerializable = 1,
    kRunnable = 2,
    kCompilationExportable = 4,
  };

  explicit Module(ObjectPtr<ModuleObj> module) : ObjectRef(std::move(module)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Module, ObjectRef, ModuleObj);
  /// Loads a module from a file; the loader follows from the file name's extension.
  TVM_FFI_EXTRA_CXX_API static Module LoadFromFile(const String &file_name);
  /// Calls `callback(name, address)` for each symbol that loaded libraries are given.
  TVM_FFI_EXTRA_CXX_API static void
  VisitContextSymbols(const TypedFunction<void(String, void *)> &callback);
};

/// The names of a library's symbols.
namespace symbol {
constexpr const char *tvm_ffi_symbol_prefix = "__tvm_ffi_";
constexpr const char *tvm_ffi_main = "__tvm_ffi_main";
constexpr const char *tvm_ffi_library_ctx = "__tvm_ffi__library_ctx";
constexpr const char *tvm_ffi_library_bin = "__tvm_ffi__library_bin";
constexpr const char *tvm_ffi_metadata_prefix = "__tvm_ffi__metadata_";
constexpr const char *tvm_ffi_doc_prefix = "__tvm_ffi__doc_";
} // namespace symbol

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_MODULE_H_
