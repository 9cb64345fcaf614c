/// Work that takes long, done while other Python threads run.
#pragma once

#include <Python.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace fairlead::python {

/// Stops the calling thread until the process ends.
[[noreturn]] void stopForGood();

/// Lets other Python threads run as long as it lives. Where the interpreter has ended meanwhile,
/// the thread stops for good where it wants to return: nothing can be unwound then.
class Released {
public:
  Released() : thread(PyEval_SaveThread()) {}
  ~Released();
  Released(const Released &) = delete;
  Released &operator=(const Released &) = delete;

private:
  PyThreadState *thread;
};

/// Does the work while other Python threads run. In the main thread an interrupt (or another
/// exception of a signal handler) ends the wait within a moment. The work then continues on a
/// separate thread, and its result is dropped. Throws the exceptions of the work, and
/// nb::python_error.
void doReleased(std::function<void()> work);

/// Does work with a result in the same way.
template <typename Work> auto released(Work work) -> decltype(work()) {
  // Shared by both threads, since an interrupted wait ends before the work.
  struct Shared {
    Work work;
    std::optional<decltype(work())> result;
  };
  auto shared = std::make_shared<Shared>(Shared{std::move(work), std::nullopt});
  doReleased([shared] { shared->result.emplace(shared->work()); });
  return std::move(*shared->result);
}

} // namespace fairlead::python
