// Functions as the C interfaces of frameworks and of plain C describe them: structs from Python's
// values, and back.

#include "Guarded.h"
#include "object/Object.h"

#include "fairlead/Frameworks.h"
#include "fairlead/PlainC.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

using namespace fairlead::python;

namespace {

/// A kernel and the memory that it points to.
struct TorchKernel {
  std::string name;
  std::vector<FairleadTorchParam> params;
  std::vector<FairleadTorchOutput> outputs;
  std::vector<FairleadTorchSymbol> symbols;
  std::deque<std::vector<int64_t>> extents;
  FairleadTorchKernel kernel = {};
};

/// A function and the memory that it points to.
struct XlaFunction {
  std::string name;
  std::deque<std::string> names;
  std::vector<FairleadXlaParam> params;
  FairleadXlaFunction function = {};
};

/// Reads a list or tuple into `out` like the arguments of a call. False with an exception set.
template <typename... T> bool readRow(PyObject *row, const char *format, T *...out) {
  Ref tuple(PySequence_Tuple(row));
  return tuple && PyArg_ParseTuple(tuple.get(), format, out...);
}

/// Calls `read` with each row of a list or tuple, until it returns false.
template <typename Read> bool readRows(PyObject *rows, Read read) {
  Ref fast(PySequence_Fast(rows, "expected a list"));
  if (!fast)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
    if (!read(PySequence_Fast_GET_ITEM(fast.get(), i)))
      return false;
  return true;
}

bool readParams(PyObject *rows, TorchKernel &out) {
  return readRows(rows, [&](PyObject *row) {
    FairleadTorchParam param = {};
    if (!readRow(row, "iii", &param.kind, &param.input, &param.written))
      return false;
    out.params.push_back(param);
    return true;
  });
}

bool readSymbols(PyObject *rows, TorchKernel &out) {
  return readRows(rows, [&](PyObject *row) {
    FairleadTorchSymbol symbol = {};
    if (!readRow(row, "ii", &symbol.input, &symbol.mode))
      return false;
    out.symbols.push_back(symbol);
    return true;
  });
}

bool readOutputs(PyObject *rows, TorchKernel &out) {
  return readRows(rows, [&](PyObject *row) {
    FairleadTorchOutput output = {};
    PyObject *dtype, *numbers;
    if (!readRow(row, "iiOiiO", &output.param, &output.dtype_from, &dtype, &output.rank,
                 &output.compact, &numbers) ||
        !readRow(dtype, "bbH", &output.dtype.code, &output.dtype.bits, &output.dtype.lanes))
      return false;
    std::vector<int64_t> &extents = out.extents.emplace_back();
    if (!readRows(numbers, [&](PyObject *number) {
          extents.push_back(PyLong_AsLongLong(number));
          return !PyErr_Occurred();
        }))
      return false;
    output.extents = extents.data();
    out.outputs.push_back(output);
    return true;
  });
}

void *handleOf(PyObject *function) { return reinterpret_cast<ObjectObject *>(function)->handle; }

PyObject *torchKernel(PyObject *, PyObject *args) {
  const char *name;
  PyObject *function, *params, *outputs, *symbols;
  int numInputs;
  if (!PyArg_ParseTuple(args, "sO!OOOi:_torch_kernel", &name, state.functionType, &function,
                        &params, &outputs, &symbols, &numInputs))
    return nullptr;
  auto description = std::make_unique<TorchKernel>();
  description->name = name;
  if (!readParams(params, *description) || !readOutputs(outputs, *description) ||
      !readSymbols(symbols, *description))
    return nullptr;
  description->kernel = {description->name.c_str(),
                         nullptr,
                         handleOf(function),
                         description->params.data(),
                         description->outputs.data(),
                         description->symbols.data(),
                         static_cast<int32_t>(description->params.size()),
                         static_cast<int32_t>(description->outputs.size()),
                         static_cast<int32_t>(description->symbols.size()),
                         numInputs};
  Py_INCREF(function); // like the kernel, for the life of the process
  return PyLong_FromVoidPtr(&description.release()->kernel);
}

PyObject *xlaFunction(PyObject *, PyObject *args) {
  const char *name;
  PyObject *function, *params;
  int flags;
  if (!PyArg_ParseTuple(args, "sO!Oi:_xla_function", &name, state.functionType, &function, &params,
                        &flags))
    return nullptr;
  auto description = std::make_unique<XlaFunction>();
  description->name = name;
  if (!readRows(params, [&](PyObject *row) {
        FairleadXlaParam param = {};
        const char *text;
        if (!readRow(row, "iis", &param.kind, &param.rank, &text))
          return false;
        param.name = description->names.emplace_back(text).c_str();
        description->params.push_back(param);
        return true;
      }))
    return nullptr;
  description->function = {description->name.c_str(),
                           nullptr,
                           handleOf(function),
                           description->params.data(),
                           static_cast<int32_t>(description->params.size()),
                           flags};
  Py_INCREF(function); // like the description, for the life of the process
  return PyLong_FromVoidPtr(&description.release()->function);
}

PyObject *plainFunction(PyObject *, PyObject *address) {
  const auto *function = static_cast<const FairleadCFunction *>(PyLong_AsVoidPtr(address));
  if (!function)
    return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_ValueError, "address: expected not 0");
  // Members of other versions may follow these.
  if (function->abi != FAIRLEAD_C_ABI)
    return Py_BuildValue("Iyyn", function->abi, function->version, "", Py_ssize_t(0));
  return Py_BuildValue("IyyN", function->abi, function->version, function->metadata,
                       PyLong_FromVoidPtr(reinterpret_cast<void *>(function->entry)));
}

} // namespace

PyMethodDef fairlead::python::describedMethods[] = {
    {"_torch_kernel", method<torchKernel>(), METH_VARARGS,
     "_torch_kernel(name, function, params, outputs, symbols, num_inputs, /)\n--\n\n"
     "The address of a FairleadTorchKernel, for the life of the process, with the members of its "
     "structs as fairlead._frameworks.description gives them."},
    {"_xla_function", method<xlaFunction>(), METH_VARARGS,
     "_xla_function(name, function, params, flags, /)\n--\n\n"
     "The address of a FairleadXlaFunction, for the life of the process. params: kind, rank and "
     "name of each."},
    {"_plain_function", method<plainFunction>(), METH_O,
     "_plain_function(address, /)\n--\n\n"
     "Of the FairleadCFunction at an address: the version of its ABI, the version of Fairlead, the "
     "metadata, and the address of its entry; those two only if the ABI is this one."},
    {}};
