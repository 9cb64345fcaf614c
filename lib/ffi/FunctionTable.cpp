/// Making and calling functions, and the process's global functions.
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "Boundary.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// A function of a C caller: passes `self` on instead of its own handle.
class ExternFunctionObj : public FunctionObj {
public:
  ExternFunctionObj(void *self, TVMFFISafeCallType target, void (*deleter)(void *))
      : self(self), target(target), deleter(deleter) {
    safe_call = self || deleter ? call : target;
  }
  ~ExternFunctionObj() {
    if (deleter)
      deleter(self);
  }

private:
  static int call(void *handle, const TVMFFIAny *args, int32_t numArgs, TVMFFIAny *result) {
    auto *function = static_cast<ExternFunctionObj *>(reinterpret_cast<Object *>(handle));
    return function->target(function->self, args, numArgs, result);
  }

  void *self;
  TVMFFISafeCallType target;
  void (*deleter)(void *);
};

struct GlobalFunction {
  Function function;
  std::string doc, metadata;
  int64_t flags = 0;
};

/// Name to function. Never freed: functions may be called while the process ends.
class FunctionTable {
public:
  static FunctionTable &get() {
    static auto *table = new FunctionTable;
    return *table;
  }

  /// False if the name is taken and may not be overridden.
  bool set(std::string_view name, GlobalFunction function, bool allowOverride) {
    GlobalFunction old; // released after the lock: its deleter may come back here
    std::unique_lock lock(mutex);
    auto [it, fresh] = functions.try_emplace(std::string(name));
    if (!fresh && !allowOverride)
      return false;
    old = std::exchange(it->second, std::move(function));
    lock.unlock();
    return true;
  }
  bool remove(std::string_view name) {
    std::unique_lock lock(mutex);
    auto it = functions.find(name);
    if (it == functions.end())
      return false;
    GlobalFunction old = std::move(it->second);
    functions.erase(it);
    lock.unlock();
    return true;
  }
  Function find(std::string_view name) const {
    std::shared_lock lock(mutex);
    auto it = functions.find(name);
    return it == functions.end() ? Function() : it->second.function;
  }
  std::optional<std::string> metadata(std::string_view name) const {
    std::shared_lock lock(mutex);
    auto it = functions.find(name);
    if (it == functions.end())
      return std::nullopt;
    return it->second.metadata;
  }
  std::vector<std::string> names() const {
    std::shared_lock lock(mutex);
    std::vector<std::string> result;
    for (const auto &[name, function] : functions)
      result.push_back(name);
    return result;
  }

private:
  mutable std::shared_mutex mutex;
  std::map<std::string, GlobalFunction, std::less<>> functions;
};

Function borrowFunction(TVMFFIObjectHandle handle, const char *where) {
  requireArgument(handle, where, "f");
  if (TVMFFIObjectGetTypeIndex(handle) != kTVMFFIFunction)
    TVM_FFI_THROW(TypeError) << where << ": expected `ffi.Function` but got `"
                             << TypeIndexToTypeKey(TVMFFIObjectGetTypeIndex(handle)) << "`";
  return Function(
      detail::ObjectUnsafe::ObjectPtrFromUnowned<FunctionObj>(static_cast<TVMFFIObject *>(handle)));
}

/// Returns false, with an error in the slot, if the call is invalid.
bool isCallable(TVMFFIObjectHandle func, const TVMFFIAny *args, int32_t numArgs,
                const TVMFFIAny *result) {
  if (TVM_FFI_PREDICT_TRUE(func && TVMFFIObjectGetTypeIndex(func) == kTVMFFIFunction &&
                           numArgs >= 0 && (args || numArgs == 0) && result))
    return true;
  return [&] {
    TVM_FFI_SAFE_CALL_BEGIN();
    requireArgument(func, "TVMFFIFunctionCall", "func");
    int32_t index = TVMFFIObjectGetTypeIndex(func);
    if (!detail::IsObjectInstance<FunctionObj>(index))
      TVM_FFI_THROW(TypeError) << "TVMFFIFunctionCall: expected `ffi.Function` but got `"
                               << TypeIndexToTypeKey(index) << "`";
    if (numArgs < 0)
      TVM_FFI_THROW(ValueError) << "TVMFFIFunctionCall: num_args is " << numArgs
                                << ", but at least 0 is expected";
    if (numArgs > 0)
      requireArgument(args, "TVMFFIFunctionCall", "args");
    requireArgument(result, "TVMFFIFunctionCall", "result");
    TVM_FFI_SAFE_CALL_END();
  }() == 0;
}

} // namespace

int TVMFFIFunctionCreate(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                         TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(reinterpret_cast<const void *>(safe_call), "TVMFFIFunctionCreate", "safe_call");
  requireArgument(out, "TVMFFIFunctionCreate", "out");
  *out = detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      make_object<ExternFunctionObj>(self, safe_call, deleter));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                       TVMFFIAny *result) {
  if (TVM_FFI_PREDICT_FALSE(!isCallable(func, args, num_args, result)))
    return -1;
  int status = TVMFFIFunctionGetCellPtr(func)->safe_call(func, args, num_args, result);
  // Backtraces end at this function's frame, so the call must not replace it.
  asm volatile("");
  return status;
}

int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(name, "TVMFFIFunctionGetGlobal", "name");
  requireArgument(out, "TVMFFIFunctionGetGlobal", "out");
  *out =
      detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(FunctionTable::get().find(viewOf(name)));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle f, int allow_override) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(name, "TVMFFIFunctionSetGlobal", "name");
  GlobalFunction entry{borrowFunction(f, "TVMFFIFunctionSetGlobal"), "", "", 0};
  if (!FunctionTable::get().set(viewOf(name), std::move(entry), allow_override != 0))
    TVM_FFI_THROW(RuntimeError) << "Global Function `" << viewOf(name) << "` is already registered";
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo *method_info, int allow_override) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(method_info, "TVMFFIFunctionSetGlobalFromMethodInfo", "method_info");
  if (method_info->method.type_index != kTVMFFIFunction)
    TVM_FFI_THROW(TypeError) << "TVMFFIFunctionSetGlobalFromMethodInfo: expected `ffi.Function` "
                                "but got `"
                             << TypeIndexToTypeKey(method_info->method.type_index) << "`";
  GlobalFunction entry{
      borrowFunction(method_info->method.v_obj, "TVMFFIFunctionSetGlobalFromMethodInfo"),
      std::string(viewOf(&method_info->doc)), std::string(viewOf(&method_info->metadata)),
      method_info->flags};
  std::string_view name = viewOf(&method_info->name);
  if (!FunctionTable::get().set(name, std::move(entry), allow_override != 0))
    TVM_FFI_LOG_AND_THROW(RuntimeError)
        << "Global Function `" << name << "` is already registered, possible causes:\n"
        << "- Two GlobalDef().def registrations for the same function\n"
        << "- The library that registers it is loaded twice, from two paths";
  TVM_FFI_SAFE_CALL_END();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.FunctionRemoveGlobal",
           [](const String &name) { return FunctionTable::get().remove(name); })
      .def("ffi.FunctionListGlobalNamesFunctor",
           [] {
             // A snapshot: the names do not change while they are listed.
             return Function::FromTyped([names = FunctionTable::get().names()](int64_t i) -> Any {
               auto count = static_cast<int64_t>(names.size());
               if (i < 0)
                 return count;
               if (i >= count)
                 TVM_FFI_THROW(IndexError) << "Index " << i << " out of bounds " << count;
               return String(names[static_cast<size_t>(i)]);
             });
           })
      .def("ffi.GetGlobalFuncMetadata",
           [](const String &name) {
             std::optional<std::string> metadata = FunctionTable::get().metadata(name);
             if (!metadata)
               TVM_FFI_THROW(RuntimeError) << "Global Function is not found: " << name;
             return String(*metadata);
           })
      .def("ffi.FunctionFromExternC", [](void *self, void *safeCall, void *deleter) {
        return Function::FromExternC(self, reinterpret_cast<TVMFFISafeCallType>(safeCall),
                                     reinterpret_cast<void (*)(void *)>(deleter));
      });
}
