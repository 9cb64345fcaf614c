/// The conversions that the call path has in line.
#pragma once

#include "call/Call.h"

namespace fairlead::python {

inline void setValue(TVMFFIAny *out, int32_t type, int64_t value) {
  out->type_index = type;
  out->zero_padding = 0;
  out->v_int64 = value;
}

inline void setPointer(TVMFFIAny *out, int32_t type, void *pointer) {
  out->type_index = type;
  out->zero_padding = 0;
  out->v_ptr = pointer;
}

/// A tensor whose reader set an exception: see FunctionObject::detaches.
[[gnu::cold]] bool convertRefused(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                                  TVMFFIAny *out, DLTensor *tensor);

/// convertArgument.
[[gnu::always_inline]] inline bool convertInline(Call &call, const TypeEntry &entry,
                                                 PyObject *argument, int index, TVMFFIAny *out,
                                                 DLTensor *tensor) {
  if (entry.kind == ArgKind::ExchangeTensor) [[likely]] {
    if (!call.views || !entry.toDLTensor) [[unlikely]]
      return convertOther(call, entry, argument, index, out, tensor);
    if ((entry.plainTorch && !call.notesTorch()) || entry.toDLTensor(argument, tensor) ||
        !call.noteTensor(entry.api, tensor->device)) [[unlikely]]
      return convertRefused(call, entry, argument, index, out, tensor);
    setPointer(out, kTVMFFIDLTensorPtr, tensor);
    return true;
  }
  switch (entry.kind) {
  case ArgKind::Int: {
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(argument, &overflow);
    if (overflow) [[unlikely]]
      return convertBigInt(call, argument, index, out);
    setValue(out, kTVMFFIInt, value);
    return true;
  }
  case ArgKind::Bool:
    setValue(out, kTVMFFIBool, argument == Py_True);
    return true;
  case ArgKind::Float:
    out->type_index = kTVMFFIFloat;
    out->zero_padding = 0;
    out->v_float64 = PyFloat_AS_DOUBLE(argument);
    return true;
  case ArgKind::None:
    setValue(out, kTVMFFINone, 0);
    return true;
  default:
    return convertOther(call, entry, argument, index, out, tensor);
  }
}

} // namespace fairlead::python
