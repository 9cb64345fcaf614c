/// Threads that are here when the interpreter ends.
#ifndef FAIRLEAD_PYTHON_CORE_LEAVING_H_
#define FAIRLEAD_PYTHON_CORE_LEAVING_H_

#include <Python.h>

#include <cxxabi.h>
#include <unistd.h>

namespace fairlead::python {

/// Runs Python code, or waits for the interpreter. Until Python 3.13, a daemon thread that does so
/// when the interpreter has ended is unwound, without the interpreter: what C++ code holds would be
/// released by two threads at once. It stops here for good instead.
template <typename Work> auto untilInterpreterEnds(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
}

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_LEAVING_H_
