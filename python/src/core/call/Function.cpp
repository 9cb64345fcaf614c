#include "call/Function.h"

#include "Guarded.h"
#include "call/Callback.h"
#include "call/Invoke.h"
#include "object/Errors.h"

#include <structmember.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

using namespace fairlead::python;

namespace {

FunctionObject *cast(PyObject *self) { return reinterpret_cast<FunctionObject *>(self); }

/// True if other Python threads run during a call, unless release_gil decides otherwise.
int releasesGilByDefault() {
  static const int releases = [] {
    const char *value = std::getenv("TVM_FFI_RELEASE_GIL_BY_DEFAULT");
    return !value || std::strcmp(value, "0") != 0;
  }();
  return releases;
}

/// The arguments of make_function or _configure.
struct Description {
  PyObject *name = nullptr, *signature = nullptr, *argNames = nullptr, *defaults = nullptr;
  PyObject *call = nullptr; ///< a CallDescription, in place of names and defaults
  int views = 0, releaseGil = releasesGilByDefault(), envAllocator = 0;

  /// False with an exception set.
  bool apply(FunctionObject *function);
};

bool isTextOrNone(PyObject *object, const char *what) {
  if (!object || object == Py_None || PyUnicode_Check(object))
    return true;
  PyErr_Format(PyExc_TypeError, "%s: expected str or None, but got %s", what,
               Py_TYPE(object)->tp_name);
  return false;
}

void setText(PyObject **field, PyObject *text) {
  Py_XSETREF(*field, text && text != Py_None ? Py_NewRef(text) : nullptr);
}

bool Description::apply(FunctionObject *function) {
  if (!isTextOrNone(name, "name") || !isTextOrNone(signature, "signature"))
    return false;
  if (call == Py_None)
    call = nullptr;
  CallDescription *described = asCallDescription(call);
  if (call && !described) {
    PyErr_Format(PyExc_TypeError, "call: expected a CallDescription, but got %s",
                 Py_TYPE(call)->tp_name);
    return false;
  }
  described = described ? reinterpret_cast<CallDescription *>(Py_NewRef(call))
                        : describeArguments(argNames, defaults);
  if (!described)
    return false;
  Py_XSETREF(function->call, described);
  setText(&function->name, name);
  setText(&function->signature, signature);
  function->views = views;
  function->releaseGil = releaseGil;
  function->envAllocator = envAllocator;
  return true;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->call);
  Py_VISIT(cast(self)->dict);
  return 0;
}

int clear(PyObject *self) {
  // Not NULL: a late caller finds a function without known parameters.
  Py_XSETREF(cast(self)->call, reinterpret_cast<CallDescription *>(Py_NewRef(noDescription())));
  Py_CLEAR(cast(self)->dict);
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  FunctionObject *function = cast(self);
  if (function->weakrefs)
    PyObject_ClearWeakRefs(self);
  clear(self);
  Py_CLEAR(function->name);
  Py_CLEAR(function->signature);
  Py_CLEAR(function->call);
  TVMFFIObjectDecRef(function->object.handle);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *repr(PyObject *self) {
  Ref text = describeFunction(cast(self));
  return PyUnicode_FromFormat("<%s `%U`>", Py_TYPE(self)->tp_name, text.get());
}

PyObject *getName(PyObject *self, void *) {
  PyObject *name = cast(self)->name;
  return name ? Py_NewRef(name) : PyUnicode_FromString("function");
}

int setName(PyObject *self, PyObject *value, void *) {
  if (!value || !PyUnicode_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "__name__ must be set to a string object");
    return -1;
  }
  setText(&cast(self)->name, value);
  return 0;
}

PyObject *getSignature(PyObject *self, void *) {
  PyObject *signature = cast(self)->signature;
  return Py_NewRef(signature ? signature : Py_None);
}

PyObject *fromExternC(PyObject *type, PyObject *args, PyObject *kwargs);
PyObject *fromPackedSymbol(PyObject *type, PyObject *args, PyObject *kwargs);

PyObject *fromHandle(PyObject *type, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"handle", "steal", nullptr};
  PyObject *address;
  int steal = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|$p:_from_handle",
                                   const_cast<char **>(keywords), &PyLong_Type, &address, &steal))
    return nullptr;
  void *handle = PyLong_AsVoidPtr(address);
  if (!handle) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "handle is NULL");
    return nullptr;
  }
  if (TVMFFIObjectGetTypeIndex(handle) != kTVMFFIFunction) {
    PyErr_Format(PyExc_TypeError, "expected the handle of an ffi.Function, but got type index %d",
                 TVMFFIObjectGetTypeIndex(handle));
    return nullptr;
  }
  if (!steal)
    TVMFFIObjectIncRef(handle);
  return newFunctionObject(reinterpret_cast<PyTypeObject *>(type), handle);
}

PyObject *configure(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"name",  "signature",   "arg_names",     "defaults",
                                   "views", "release_gil", "env_allocator", "symbol",
                                   "call",  nullptr};
  FunctionObject *function = cast(self);
  Description description;
  description.name = function->name;
  description.signature = function->signature;
  description.views = function->views;
  description.releaseGil = function->releaseGil;
  description.envAllocator = function->envAllocator;
  PyObject *symbol = nullptr;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|$OOOOpppO!O:_configure", const_cast<char **>(keywords), &description.name,
          &description.signature, &description.argNames, &description.defaults, &description.views,
          &description.releaseGil, &description.envAllocator, &PyLong_Type, &symbol,
          &description.call))
    return nullptr;
  // Omitted arguments keep their values.
  Ref last(lastDefaults(*function->call));
  if (!last)
    return nullptr;
  if (!description.call && !description.argNames && !description.defaults)
    description.call = reinterpret_cast<PyObject *>(function->call);
  if (!description.argNames)
    description.argNames = function->call->names;
  if (!description.defaults)
    description.defaults = last.get();
  void *address = symbol ? PyLong_AsVoidPtr(symbol) : nullptr;
  if (PyErr_Occurred() || !description.apply(function))
    return nullptr;
  if (address)
    function->safeCall = reinterpret_cast<TVMFFISafeCallType>(address);
  Py_RETURN_NONE;
}

PyObject *initSubclass(PyObject *type, PyObject *, PyObject *) {
  if (!keepFastCall(reinterpret_cast<PyTypeObject *>(type)))
    return nullptr;
  Py_RETURN_NONE;
}

/// Sets what compilers of Python code see as `__call__` of a class of this module, a function of
/// Python that they can follow; calls go on without it.
PyObject *showCall(PyObject *, PyObject *args) {
  PyTypeObject *type;
  PyObject *function;
  if (!PyArg_ParseTuple(args, "O!O:_show_call", &PyType_Type, &type, &function))
    return nullptr;
#if PY_VERSION_HEX >= 0x030C0000
  Ref dict(PyType_GetDict(type));
#else
  Ref dict = Ref::share(type->tp_dict);
#endif
  if (!dict || PyDict_SetItemString(dict.get(), "__call__", function))
    return nullptr;
  PyType_Modified(type);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"_from_handle", method<fromHandle>(), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "_from_handle($type, handle, *, steal=False)\n--\n\n"
     "A function around the address of an ffi.Function. Takes a reference of "
     "its own, or with steal the caller's."},
    {"_configure", method<configure>(), METH_VARARGS | METH_KEYWORDS,
     "_configure($self, *, name=..., signature=..., arg_names=..., "
     "defaults=..., views=..., release_gil=..., env_allocator=..., "
     "symbol=..., call=...)\n--\n\n"
     "Says what is known of the function; what is left out stays. symbol: "
     "address of the entry behind it, which "
     "ignores its handle. call: a CallDescription, in place of arg_names and defaults."},
    {"__from_extern_c__", method<fromExternC>(), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "__from_extern_c__($type, c_symbol, *, keep_alive_object=None)\n--\n\n"
     "A function around the address of a symbol of the ABI that ignores its "
     "handle."},
    {"__from_mlir_packed_safe_call__", method<fromPackedSymbol>(),
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "__from_mlir_packed_safe_call__($type, c_symbol, *, "
     "keep_alive_object=None)\n--\n\n"
     "A function around a symbol void f(void **) that takes the addresses of "
     "handle, arguments, their count, result and return code."},
    {"__init_subclass__", method<initSubclass>(), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     nullptr},
    {}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakrefs), READONLY, nullptr},
    {"call_description", T_OBJECT, offsetof(FunctionObject, call), READONLY,
     "The parameters of a call, a CallDescription."},
    {"views", T_BOOL, offsetof(FunctionObject, views), READONLY,
     "Whether the function keeps no tensor argument, so that it is handed views."},
    {"_written", T_ULONGLONG, offsetof(FunctionObject, written), 0,
     "Bit i: the function writes its argument i, a tensor."},
    {"_stores", T_ULONGLONG, offsetof(FunctionObject, stores), 0,
     "Bit i: the function is known to write its argument i, a tensor; bit 63: one from 63 on."},
    {"_loads", T_ULONGLONG, offsetof(FunctionObject, loads), 0,
     "Bit i: the function is known not to write its argument i; bit 63: none from 63 on."},
    {"_detaches", T_BOOL, offsetof(FunctionObject, detaches), 0,
     "Whether the function takes tensors of torch that require grad, without their gradients."},
    {"release_gil", T_BOOL, offsetof(FunctionObject, releaseGil), 0,
     "Whether other Python threads run during a call."},
    {}};

PyObject *getArgNames(PyObject *self, void *) { return Py_NewRef(cast(self)->call->names); }

PyObject *getDefaults(PyObject *self, void *) { return lastDefaults(*cast(self)->call); }

PyGetSetDef properties[] = {
    {"arg_names", propertyGetter<getArgNames>(), nullptr,
     "Names of the arguments, empty where they are not known.", nullptr},
    {"defaults", propertyGetter<getDefaults>(), nullptr,
     "Values of the last arguments where a call leaves them out.", nullptr},
    {"__name__", propertyGetter<getName>(), propertySetter<setName>(), nullptr, nullptr},
    {"signature", propertyGetter<getSignature>(), nullptr, "The signature's text, or None.",
     nullptr},
    {"__signature_text__", propertyGetter<getSignature>(), nullptr,
     "The signature's text, or None.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>("A function of the TVM FFI ABI; call it with tensors and scalars.")},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_traverse, slot<traverse>()},
    {Py_tp_clear, slot<clear>()},
    {Py_tp_free, reinterpret_cast<void *>(PyObject_GC_Del)},
    {Py_tp_repr, slot<repr>()},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Function", sizeof(FunctionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

/// A function object around a symbol, or NULL with an exception set.
TVMFFIObjectHandle createFunction(TVMFFISafeCallType symbol, PyObject *keepAlive) {
  bool keep = keepAlive && keepAlive != Py_None;
  TVMFFIObjectHandle handle;
  if (TVMFFIFunctionCreate(keep ? Py_NewRef(keepAlive) : nullptr, symbol,
                           keep ? releasePyObject : nullptr, &handle)) {
    if (keep)
      Py_DECREF(keepAlive);
    raiseFromAbi();
    return nullptr;
  }
  return handle;
}

PyObject *makeFunctionFromSymbol(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"safe_call_address", "name",  "signature",  "arg_names",
                                   "defaults",          "views", "keep_alive", "release_gil",
                                   "env_allocator",     "cls",   "call",       nullptr};
  PyObject *address, *keepAlive = nullptr, *type = nullptr;
  Description description;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|$OOOOpOppO!O:make_function", const_cast<char **>(keywords), &address,
          &description.name, &description.signature, &description.argNames, &description.defaults,
          &description.views, &keepAlive, &description.releaseGil, &description.envAllocator,
          &PyType_Type, &type, &description.call))
    return nullptr;
  if (!PyLong_Check(address))
    return PyErr_Format(PyExc_TypeError, "safe_call_address: expected int, but got %s",
                        Py_TYPE(address)->tp_name);
  auto symbol = reinterpret_cast<TVMFFISafeCallType>(PyLong_AsVoidPtr(address));
  if (!symbol) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "safe_call_address is NULL");
    return nullptr;
  }
  auto *cls = type ? reinterpret_cast<PyTypeObject *>(type) : state.functionType;
  if (!PyType_IsSubtype(cls, state.functionType)) {
    PyErr_Format(PyExc_TypeError, "cls: expected a subclass of Function, but got %s", cls->tp_name);
    return nullptr;
  }
  TVMFFIObjectHandle handle = createFunction(symbol, keepAlive);
  Ref function(handle ? newFunctionObject(cls, handle) : nullptr);
  if (!function || !description.apply(cast(function.get())))
    return nullptr;
  cast(function.get())->safeCall = symbol;
  return function.release();
}

/// A compiler's function takes the addresses of its four parameters, and of its result's code.
struct PackedSymbol {
  void (*symbol)(void **);
  PyObject *keepAlive;
};

int callPacked(void *self, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  int32_t code = 0;
  void *parameters[] = {&self, &args, &count, &result, &code};
  static_cast<PackedSymbol *>(self)->symbol(parameters);
  return code;
}

void releasePacked(void *self) {
  auto *packed = static_cast<PackedSymbol *>(self);
  if (packed->keepAlive)
    releasePyObject(packed->keepAlive);
  delete packed;
}

/// False with an exception set. `keepAlive` is borrowed; NULL for None.
bool parseSymbol(PyObject *args, PyObject *kwargs, void **symbol, PyObject **keepAlive) {
  static const char *keywords[] = {"c_symbol", "keep_alive_object", nullptr};
  PyObject *address;
  *keepAlive = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|$O", const_cast<char **>(keywords),
                                   &PyLong_Type, &address, keepAlive))
    return false;
  *symbol = PyLong_AsVoidPtr(address);
  if (!*symbol && !PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError, "c_symbol is NULL");
  if (*keepAlive == Py_None)
    *keepAlive = nullptr;
  return *symbol;
}

PyObject *fromExternC(PyObject *type, PyObject *args, PyObject *kwargs) {
  void *symbol;
  PyObject *keepAlive;
  if (!parseSymbol(args, kwargs, &symbol, &keepAlive))
    return nullptr;
  auto entry = reinterpret_cast<TVMFFISafeCallType>(symbol);
  TVMFFIObjectHandle handle = createFunction(entry, keepAlive);
  return handle ? newFunctionObject(reinterpret_cast<PyTypeObject *>(type), handle) : nullptr;
}

PyObject *fromPackedSymbol(PyObject *type, PyObject *args, PyObject *kwargs) {
  void *symbol;
  PyObject *keepAlive;
  if (!parseSymbol(args, kwargs, &symbol, &keepAlive))
    return nullptr;
  auto *packed =
      new (std::nothrow) PackedSymbol{reinterpret_cast<void (*)(void **)>(symbol), nullptr};
  if (!packed)
    return PyErr_NoMemory();
  packed->keepAlive = Py_XNewRef(keepAlive);
  TVMFFIObjectHandle handle;
  if (TVMFFIFunctionCreate(packed, callPacked, releasePacked, &handle)) {
    releasePacked(packed);
    return raiseFromAbi();
  }
  return newFunctionObject(reinterpret_cast<PyTypeObject *>(type), handle);
}

PyObject *convertCallable(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"callable", "tensor_cls", nullptr};
  PyObject *callable, *tensorClass = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:convert_func", const_cast<char **>(keywords),
                                   &callable, &tensorClass))
    return nullptr;
  const DLPackExchangeAPI *api = nullptr;
  if (tensorClass != Py_None && tensorClass != reinterpret_cast<PyObject *>(state.tensorType)) {
    const TypeEntry *entry = PyType_Check(tensorClass)
                                 ? findType(reinterpret_cast<PyTypeObject *>(tensorClass))
                                 : nullptr;
    if (PyErr_Occurred())
      return nullptr;
    api = entry ? entry->api : nullptr;
    if (!api || !api->managed_tensor_to_py_object_no_sync)
      return PyErr_Format(PyExc_TypeError,
                          "tensor_cls: expected a class with __dlpack_c_exchange_api__, but got %R",
                          tensorClass);
  }
  if (PyObject_TypeCheck(callable, state.functionType))
    return Py_NewRef(callable);
  if (!PyCallable_Check(callable)) {
    PyErr_Format(PyExc_TypeError, "expected a callable, but got %s", Py_TYPE(callable)->tp_name);
    return nullptr;
  }
  TVMFFIObjectHandle handle = makeCallback(callable, api);
  Ref function(handle ? newFunctionObject(state.functionType, handle) : nullptr);
  if (!function)
    return nullptr;
  PyObject *&dict = cast(function.get())->dict;
  if (!(dict = PyDict_New()) || PyDict_SetItemString(dict, kWrappedAttribute, callable))
    return nullptr;
  return function.release();
}

} // namespace

bool fairlead::python::keepFastCall(PyTypeObject *subclass) {
  Ref own(PyObject_GetAttrString(reinterpret_cast<PyObject *>(subclass), "__dict__"));
  Ref name(PyUnicode_FromString("__call__"));
  int overrides = own && name ? PySequence_Contains(own.get(), name.get()) : -1;
  if (!overrides && subclass->tp_base->tp_call == PyVectorcall_Call) {
    subclass->tp_call = PyVectorcall_Call;
    subclass->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  }
  return overrides >= 0;
}

PyMethodDef fairlead::python::functionMethods[] = {
    {"_show_call", method<showCall>(), METH_VARARGS,
     "_show_call(cls, function)\n--\n\n"
     "Sets what compilers of Python code see as __call__ of Function or Dispatcher."},
    {"make_function", method<makeFunctionFromSymbol>(), METH_VARARGS | METH_KEYWORDS,
     "make_function(safe_call_address, *, name=None, signature=None, arg_names=(), defaults=(), "
     "views=False, "
     "keep_alive=None, release_gil=True, env_allocator=False, cls=Function, call=None)\n--\n\n"
     "A function around the address of a symbol that ignores its handle. call: a CallDescription, "
     "in place of arg_names and defaults."},
    {"convert_func", method<convertCallable>(), METH_VARARGS | METH_KEYWORDS,
     "convert_func(callable, tensor_cls=None)\n--\n\nA Python callable as a function of the ABI. "
     "Its tensor arguments are of tensor_cls, such as torch.Tensor, where that is given."},
    {}};

PyObject *fairlead::python::newFunctionObject(PyTypeObject *type, TVMFFIObjectHandle handle) {
  PyObject *self = wrapObject(type, handle);
  if (!self)
    return nullptr;
  FunctionObject *function = cast(self);
  function->vectorcall = callFunction; // is guarded
  function->safeCall = TVMFFIFunctionGetCellPtr(handle)->safe_call;
  Description description;
  description.envAllocator = 1;
  if (!description.apply(function)) {
    Py_DECREF(self);
    return nullptr;
  }
  return self;
}

Ref fairlead::python::describeFunction(FunctionObject *function) {
  if (function->signature)
    return Ref::share(function->signature);
  // A subclass may have a signature of its own; an error's text is worth asking for it.
  auto *self = reinterpret_cast<PyObject *>(function);
  if (Py_TYPE(self) != state.functionType) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Ref signature(PyObject_GetAttrString(self, "signature"));
    Ref text(signature && signature.get() != Py_None ? PyObject_Str(signature.get()) : nullptr);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    if (text)
      return text;
  }
  if (function->name)
    return Ref::share(function->name);
  PyObject *fallback = PyUnicode_FromString("function");
  return fallback ? Ref(fallback) : Ref::share(Py_None);
}

int fairlead::python::addFunctionType(PyObject *module) {
  return addType(module, state.functionType, spec, state.objectType);
}
