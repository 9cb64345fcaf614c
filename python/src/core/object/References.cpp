// References to Python objects that native code drops, in threads of its own too.

#include "object/Object.h"

#include <cstdlib>

using namespace fairlead::python;

std::atomic<bool> fairlead::python::hasNotedReferences{false};

namespace {

struct Noted {
  PyObject *object;
  Noted *next;
};

std::atomic<Noted *> noted{nullptr};

int dropPending(void *) {
  dropNotedReferences();
  return 0;
}

} // namespace

void fairlead::python::releasePyObject(void *object) {
  if (!Py_IsInitialized())
    return;
  if (PyGILState_Check()) {
    Py_DECREF(static_cast<PyObject *>(object));
    return;
  }
  auto *each = static_cast<Noted *>(std::malloc(sizeof(Noted)));
  if (!each)
    return; // The object stays, which is the lesser harm.
  each->object = static_cast<PyObject *>(object);
  each->next = noted.load(std::memory_order_relaxed);
  while (!noted.compare_exchange_weak(each->next, each, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
  }
  // The interpreter may have no room for another request; calls look at the flag.
  if (!hasNotedReferences.exchange(true))
    Py_AddPendingCall(dropPending, nullptr);
}

void fairlead::python::dropNotedReferences() {
  // Clear the flag first, so that later notes ask again. Release order: a thread whose reference
  // the exchange leaves in the list finds the flag cleared.
  hasNotedReferences.store(false);
  Noted *each = noted.exchange(nullptr, std::memory_order_acq_rel);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  while (each) {
    Noted *next = each->next;
    PyObject *object = each->object;
    std::free(each);
    Py_DECREF(object);
    each = next;
  }
  PyErr_Restore(type, value, traceback);
}
