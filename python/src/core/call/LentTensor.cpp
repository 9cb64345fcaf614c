#include "call/ConvertParts.h"

#include <cstddef>
#include <cstdlib>

using namespace fairlead::python;

namespace {

/// One strong reference and no weak one but that of the strong.
constexpr uint64_t kOnlyReference = (uint64_t{1} << 32) | 1;
constexpr int kPooled = 256;

/// A Tensor of the ABI, with header and DLTensor at the expected positions.
struct LentTensor {
  TVMFFIObject header;
  DLTensor tensor;
  int64_t layout[2 * kLentRank];
  /// The object with the data; during the call it is the caller's.
  PyObject *argument;
  bool isTorch;
  /// Keeps the data alive after the call; NULL during it.
  PyObject *held;
  LentTensor *next;
};
static_assert(offsetof(LentTensor, tensor) == sizeof(TVMFFIObject));

/// Used with the GIL, or by one thread.
struct Pool {
  LentTensor *first = nullptr;
  int count = 0;
};
#ifdef Py_GIL_DISABLED
thread_local Pool pool;
#else
Pool pool;
#endif

/// Runs in any thread, with or without the GIL.
void destroy(void *self, int flags) {
  auto *lent = static_cast<LentTensor *>(self);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) && lent->held)
    releasePyObject(lent->held);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak)
    std::free(lent);
}

LentTensor *take() {
  LentTensor *lent = pool.first;
  if (lent) {
    pool.first = lent->next;
    --pool.count;
    return lent;
  }
  lent = static_cast<LentTensor *>(std::malloc(sizeof(LentTensor)));
  if (!lent)
    return nullptr;
  lent->header = {};
  lent->header.combined_ref_count = kOnlyReference;
  lent->header.type_index = kTVMFFITensor;
  lent->header.deleter = destroy;
  lent->held = nullptr;
  return lent;
}

void giveBack(LentTensor *lent) {
  if (pool.count == kPooled) {
    std::free(lent);
    return;
  }
  lent->next = pool.first;
  pool.first = lent;
  ++pool.count;
}

/// Makes the tensor hold its data, as only the argument did until now.
void holdData(LentTensor *lent) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject *holder = nullptr;
  // A tensor of torch can be given other data; a second one of the same data keeps this.
  if (lent->isTorch)
    holder = PyObject_CallMethod(lent->argument, "detach", nullptr);
  PyErr_Restore(type, value, traceback);
  lent->held = holder ? holder : Py_NewRef(lent->argument);
}

void endLoan(void *value) {
  auto *lent = static_cast<LentTensor *>(value);
  // Whoever dropped the last other reference is done with the tensor.
  if (__atomic_load_n(&lent->header.combined_ref_count, __ATOMIC_ACQUIRE) == kOnlyReference)
      [[likely]] {
    giveBack(lent);
    return;
  }
  holdData(lent);
  TVMFFIObjectDecRef(lent);
}

} // namespace

bool fairlead::python::lendTensor(Call &call, PyObject *argument, bool isTorch,
                                  const DLTensor &shown, TVMFFIAny *out) {
  LentTensor *lent = take();
  if (!lent) {
    PyErr_NoMemory();
    return false;
  }
  lent->argument = argument;
  lent->isTorch = isTorch;
  lent->tensor = shown;
  // The argument's own may change while the function's tensor lives on.
  lent->tensor.shape = lent->layout;
  lent->tensor.strides = lent->layout + kLentRank;
  for (int i = 0; i < shown.ndim; ++i) {
    lent->layout[i] = shown.shape[i];
    lent->layout[kLentRank + i] = shown.strides[i];
  }
  out->type_index = kTVMFFITensor;
  out->zero_padding = 0;
  out->v_obj = &lent->header;
  return call.defer(endLoan, lent);
}
