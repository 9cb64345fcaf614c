#include "call/Function.h"

#include "Guarded.h"
#include "framework/NumPy.h"
#include "framework/Torch.h"
#include "object/Object.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

using namespace fairlead::python;

namespace {

constexpr const char *kExchangeCapsule = "dlpack_exchange_api";

/// An entry with the data for removing it from the table.
struct Slot {
  TypeEntry entry;
  PyTypeObject *key;
  PyObject *weakref; ///< NULL for static types, which do not go
  Slot *nextFree;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<PyTypeObject *, Slot *> slots;
  Slot *free = nullptr;
};

/// Never destroyed: calls may come until the process ends.
Table &table() {
  alignas(Table) static std::byte memory[sizeof(Table)];
  static Table *table = new (memory) Table;
  return *table;
}

/// 1, 0, or -1 with an exception set.
int typeHas(PyTypeObject *type, const char *attribute) {
  Ref value(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), attribute));
  if (value)
    return 1;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError))
    return -1;
  PyErr_Clear();
  return 0;
}

/// True if the type or one of its bases is called `module.name`.
bool inherits(PyTypeObject *type, const char *module, const char *name) {
  PyObject *mro = type->tp_mro;
  for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); ++i) {
    PyObject *base = PyTuple_GET_ITEM(mro, i);
    Ref itsName(PyObject_GetAttrString(base, "__qualname__"));
    Ref itsModule(PyObject_GetAttrString(base, "__module__"));
    if (itsName && itsModule && PyUnicode_Check(itsName.get()) &&
        PyUnicode_Check(itsModule.get()) &&
        PyUnicode_CompareWithASCIIString(itsName.get(), name) == 0 &&
        PyUnicode_CompareWithASCIIString(itsModule.get(), module) == 0)
      return true;
    PyErr_Clear();
  }
  return false;
}

/// Fills api and toDLTensor; 1, 0 if the class has no API of DLPack 1, or -1 with an exception
/// set.
int readExchangeApi(TypeEntry &entry) {
  static const bool skips = [] {
    const char *value = std::getenv("TVM_FFI_SKIP_DLPACK_C_EXCHANGE_API");
    return value && std::strcmp(value, "1") == 0;
  }();
  if (skips)
    return 0;
  auto *type = reinterpret_cast<PyObject *>(entry.type);
  Ref attribute(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  if (!attribute) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      return -1;
    PyErr_Clear();
    return 0;
  }
  const void *address = nullptr;
  if (PyCapsule_CheckExact(attribute.get()))
    address = PyCapsule_GetPointer(attribute.get(), kExchangeCapsule);
  else if (PyLong_Check(attribute.get()))
    address = PyLong_AsVoidPtr(attribute.get());
  if (!address)
    return PyErr_Occurred() ? -1 : 0;
  auto *header = static_cast<const DLPackExchangeAPIHeader *>(address);
  while (header && header->version.major != DLPACK_MAJOR_VERSION)
    header = header->prev_api;
  if (!header)
    return 0;
  entry.api = reinterpret_cast<const DLPackExchangeAPI *>(header);
  entry.toDLTensor = entry.api->dltensor_from_py_object_no_sync;
  entry.plainTorch = entry.toDLTensor && isPlainTorch(entry.type);
  if (entry.plainTorch) {
    findTorch(*entry.api);
    entry.toDLTensor = readTorchArgument;
  } else if (entry.toDLTensor && isTorchWrapper(entry.type)) {
    entry.toDLTensor = refuseTorchWrapper;
  }
  return 1;
}

struct Attribute {
  const char *name;
  ArgKind kind;
};

/// Sets the kind by the first attribute that the class has. Like readExchangeApi.
int readAttributes(TypeEntry &entry, std::initializer_list<Attribute> attributes) {
  for (const Attribute &attribute : attributes) {
    int has = typeHas(entry.type, attribute.name);
    if (has < 0)
      return -1;
    if (has) {
      entry.kind = attribute.kind;
      return 1;
    }
  }
  return 0;
}

bool isSubclass(PyTypeObject *type, PyObject *base) {
  return base && PyType_Check(base) &&
         PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base));
}

/// Recognises builtin types and this package's types. Returns false for other types.
bool classifyOwn(TypeEntry &entry) {
  PyTypeObject *type = entry.type;
  auto choose = [&](ArgKind kind) {
    entry.kind = kind;
    return true;
  };
  if (type == Py_TYPE(Py_None))
    return choose(ArgKind::None);
  if (PyType_IsSubtype(type, state.tensorType))
    return choose(ArgKind::Tensor);
  if (PyType_IsSubtype(type, state.objectType))
    return choose(ArgKind::Object);
  if (type == state.rvalueType)
    return choose(ArgKind::RValue);
  if (type == &PyBool_Type)
    return choose(ArgKind::Bool);
  if (type == &PyLong_Type)
    return choose(ArgKind::Int);
  if (type == &PyFloat_Type)
    return choose(ArgKind::Float);
  if (type == &PyUnicode_Type)
    return choose(ArgKind::Str);
  if (type == &PyCapsule_Type)
    return choose(ArgKind::Capsule);
  if (isSubclass(type, state.dtypeClass))
    return choose(ArgKind::DataType);
  if (isSubclass(type, state.shapeClass))
    return choose(ArgKind::Shape);
  if (isSubclass(type, state.deviceClass))
    return choose(ArgKind::Device);
  // The other package's dtype is a str too.
  if (PyType_FastSubclass(type, Py_TPFLAGS_UNICODE_SUBCLASS) &&
      inherits(type, "tvm_ffi._dtype", "dtype"))
    return choose(ArgKind::DataType);
  return false;
}

/// Classifies numbers, text and containers by the abilities of their types.
bool classifyValue(TypeEntry &entry) {
  PyTypeObject *type = entry.type;
  auto choose = [&](ArgKind kind) {
    entry.kind = kind;
    return true;
  };
  if (PyType_FastSubclass(type, Py_TPFLAGS_LONG_SUBCLASS))
    return choose(ArgKind::Int);
  if (PyType_IsSubtype(type, &PyFloat_Type))
    return choose(ArgKind::Float);
  if (inherits(type, "numpy", "bool") || inherits(type, "numpy", "bool_"))
    return choose(ArgKind::Truth);
  if (type->tp_as_number && type->tp_as_number->nb_index)
    return choose(ArgKind::Index);
  // A Decimal is more than a float can hold: it travels as it is.
  if (type->tp_as_number && type->tp_as_number->nb_float && !inherits(type, "decimal", "Decimal"))
    return choose(ArgKind::Real);
  if (PyType_FastSubclass(type, Py_TPFLAGS_UNICODE_SUBCLASS))
    return choose(ArgKind::Str);
  if (PyType_FastSubclass(type, Py_TPFLAGS_BYTES_SUBCLASS) ||
      PyType_IsSubtype(type, &PyByteArray_Type))
    return choose(ArgKind::Bytes);
  if (PyType_FastSubclass(type, Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS))
    return choose(ArgKind::Sequence);
  if (PyType_FastSubclass(type, Py_TPFLAGS_DICT_SUBCLASS))
    return choose(ArgKind::Dict);
  return false;
}

// The following return 1 if they set the kind, 0 if the class is none of theirs, or -1 with an
// exception set.

int classifyHandleOrTensor(TypeEntry &entry) {
  if (int answer = readAttributes(
          entry, {{"__chandle__", ArgKind::Handle}, {"__tvm_ffi_object__", ArgKind::HandleSource}}))
    return answer;
  if (int answer = readExchangeApi(entry)) {
    entry.kind = ArgKind::ExchangeTensor;
    return answer;
  }
  if (!isNumPyArray(entry.type))
    return 0;
  entry.kind = ArgKind::NumPyArray;
  return 1;
}

int classifyStream(TypeEntry &entry) {
  PyTypeObject *type = entry.type;
  if (int answer = readAttributes(entry, {{"__cuda_stream__", ArgKind::CudaStream}}))
    return answer;
  // An event of a launch is passed like a stream.
  if (inherits(type, "cuda.bindings.driver", "CUstream") ||
      inherits(type, "cuda.cuda", "CUstream") ||
      inherits(type, "cuda.bindings.driver", "CUevent")) {
    entry.kind = ArgKind::IntStream;
    return 1;
  }
  if (!inherits(type, "torch.cuda.streams", "Stream"))
    return 0;
  entry.kind = ArgKind::TorchStream;
  return 1;
}

/// Tensors with DLPack's Python interface alone.
int classifyDLPack(TypeEntry &entry) {
  PyTypeObject *type = entry.type;
  int answer = readAttributes(entry, {{"__dlpack__", ArgKind::DLPack}});
  if (answer <= 0)
    return answer;
  entry.isJax = inherits(type, "jaxlib._jax", "ArrayImpl") ||
                inherits(type, "jaxlib.xla_extension", "ArrayImpl") ||
                inherits(type, "jax", "Array");
  // Before torch 2.10.
  entry.plainTorch = isPlainTorch(type);
  entry.isTorchWrapper = isTorchWrapper(type);
  if (entry.plainTorch || entry.isTorchWrapper)
    learnTorch();
  entry.isCuPy = inherits(type, "cupy", "ndarray");
  int tells = typeHas(type, "__tvm_ffi_env_stream__");
  if (tells < 0)
    return -1;
  entry.tellsStream = tells;
  if (inherits(type, "fairlead.cute._dlpack", "RuntimeTensor")) {
    entry.kind = ArgKind::RuntimeTensor;
    return 1;
  }
  // A wrapper of a framework's tensor offers both; the tensor itself knows its stream.
  return readAttributes(entry, {{"__tvm_ffi_value__", ArgKind::ValueSource}}) < 0 ? -1 : 1;
}

int classifyOpaque(TypeEntry &entry) {
  PyTypeObject *type = entry.type;
  if (inherits(type, "ctypes", "c_void_p")) {
    entry.kind = ArgKind::VoidPtr;
    return 1;
  }
  if (int answer = readAttributes(entry, {{"dlpack_device_type", ArgKind::Device},
                                          {"__tvm_ffi_opaque_ptr__", ArgKind::OpaqueSource}}))
    return answer;
  if (!state.opaqueHandlers)
    return 0;
  int handled = PyDict_Contains(state.opaqueHandlers, reinterpret_cast<PyObject *>(type));
  if (handled)
    entry.kind = ArgKind::OpaqueHandled;
  return handled;
}

int classifyOther(TypeEntry &entry) {
  PyTypeObject *type = entry.type;
  // A callable is a function, whatever else its class offers.
  if (type->tp_call) {
    entry.kind = ArgKind::Callable;
    return 1;
  }
  if (inherits(type, "numpy", "dtype") || inherits(type, "torch", "dtype")) {
    entry.kind = ArgKind::FrameworkType;
    return 1;
  }
  int answer = readAttributes(entry, {{"__dlpack_data_type__", ArgKind::DTypeSource},
                                      {"__dlpack_device__", ArgKind::DeviceSource},
                                      {"__tvm_ffi_int__", ArgKind::IntSource},
                                      {"__tvm_ffi_float__", ArgKind::FloatSource},
                                      {"__tvm_ffi_value__", ArgKind::ValueSource}});
  if (!answer && PyType_FastSubclass(type, Py_TPFLAGS_BASE_EXC_SUBCLASS))
    entry.kind = ArgKind::Exception;
  else if (!answer && isSubclass(type, state.convertibleClass))
    entry.kind = ArgKind::Convertible;
  return answer;
}

/// Return 0, or -1 with an exception set. The first kind that fits counts.
int classify(TypeEntry &entry) {
  entry.kind = ArgKind::Opaque;
  if (classifyOwn(entry))
    return 0;
  for (auto classifyNext : {classifyHandleOrTensor, classifyStream, classifyDLPack})
    if (int answer = classifyNext(entry))
      return answer < 0 ? -1 : 0;
  if (classifyValue(entry))
    return 0;
  for (auto classifyNext : {classifyOpaque, classifyOther})
    if (int answer = classifyNext(entry))
      return answer < 0 ? -1 : 0;
  return 0;
}

#ifndef Py_GIL_DISABLED
/// The weak reference's callback; `self` is the slot's address.
PyObject *typeIsGone(PyObject *self, PyObject *) {
  auto *slot = static_cast<Slot *>(PyLong_AsVoidPtr(self));
  std::lock_guard lock(table().mutex);
  table().slots.erase(slot->key);
  slot->entry.type = nullptr;
  slot->nextFree = table().free;
  table().free = slot;
  Py_CLEAR(slot->weakref);
  Py_RETURN_NONE;
}

PyMethodDef goneMethod = {"type_is_gone", method<typeIsGone>(), METH_O, nullptr};
#endif

/// Notices the end of the slot's type. False with an exception set.
bool watch(Slot *slot) {
  slot->weakref = nullptr;
  if (!(slot->key->tp_flags & Py_TPFLAGS_HEAPTYPE))
    return true;
#ifdef Py_GIL_DISABLED
  // A call in another thread may be reading the entry, so the type stays.
  Py_INCREF(slot->key);
  return true;
#else
  Ref address(PyLong_FromVoidPtr(slot));
  Ref callback(address ? PyCFunction_New(&goneMethod, address.get()) : nullptr);
  if (!callback)
    return false;
  slot->weakref = PyWeakref_NewRef(reinterpret_cast<PyObject *>(slot->key), callback.get());
  return slot->weakref;
#endif
}

} // namespace

const TypeEntry *fairlead::python::findType(PyTypeObject *type) {
  {
    std::lock_guard lock(table().mutex);
    auto entry = table().slots.find(type);
    if (entry != table().slots.end())
      return &entry->second->entry;
  }
  // Looking at a class runs Python code, so it happens outside of the lock.
  TypeEntry entry = {};
  entry.type = type;
  if (classify(entry) < 0)
    return nullptr;
  Slot *slot = nullptr;
  {
    std::lock_guard lock(table().mutex);
    slot = table().free;
    if (slot)
      table().free = slot->nextFree;
  }
  if (!slot)
    slot = new (std::nothrow) Slot{};
  if (!slot) {
    PyErr_NoMemory();
    return nullptr;
  }
  slot->key = type;
  bool watched = watch(slot);
  std::lock_guard lock(table().mutex);
  try {
    if (watched) {
      auto [place, added] = table().slots.try_emplace(type, slot);
      if (added) {
        slot->entry = entry;
        return &slot->entry;
      }
      // Another thread added the entry first.
      Py_CLEAR(slot->weakref);
      slot->nextFree = table().free;
      table().free = slot;
      return &place->second->entry;
    }
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
  Py_CLEAR(slot->weakref);
  slot->entry.type = nullptr;
  slot->nextFree = table().free;
  table().free = slot;
  return nullptr;
}
