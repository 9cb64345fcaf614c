/// Stores of a remote cache that need a client in fairlead._remote, and the cache functions of the
/// command line.
#include "Values.h"

#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fairlead/Cache.h"
#include "fairlead/RemoteCache.h"

namespace fairlead::python {
namespace {

/// Calls from threads of any kind, counted so that the interpreter's end can wait for them: a
/// thread that asks for its lock later would be ended in the middle of C++.
class Calls {
public:
  /// False from the interpreter's exit on.
  static bool enter() {
    ++running;
    if (!hasEnded)
      return true;
    --running;
    return false;
  }
  static void leave() { --running; }

  /// At exit, with the lock of the interpreter: all calls end within their limit, none begins.
  static void end() {
    hasEnded = true;
    nb::gil_scoped_release release;
    for (int i = 0; i < kMostMilliseconds && running > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

private:
  static constexpr int kMostMilliseconds = 2000;
  static inline std::atomic<int> running{0};
  static inline std::atomic<bool> hasEnded{false};
};

/// A store in Python. The calls end in time by themselves, with (outcome, bytes, reason).
class PythonStore final : public RemoteStore {
public:
  explicit PythonStore(nb::object store) : store(std::move(store)) {}
  ~PythonStore() override {
    if (nb::is_alive()) {
      nb::gil_scoped_acquire acquire;
      store.reset();
    } else {
      (void)store.release();
    }
  }

  Answer get(const std::string &name, double limit) override { return call("get", name, limit); }
  Answer put(const std::string &name, const std::string &bytes, double limit) override {
    return call("put", name, Bytes{&bytes}, limit);
  }
  Answer claim(const std::string &name, double lifetime, double limit) override {
    return call("claim", name, lifetime, limit);
  }
  Answer isClaimed(const std::string &name, double limit) override {
    return call("is_claimed", name, limit);
  }
  Answer release(const std::string &name, double limit) override {
    return call("release", name, limit);
  }

private:
  struct Bytes {
    const std::string *text;
  };
  static nb::object toPython(const Bytes &bytes) {
    return nb::bytes(bytes.text->data(), bytes.text->size());
  }
  template <typename T> static nb::object toPython(const T &value) { return nb::cast(value); }

  template <typename... Args> Answer call(const char *method, const Args &...args) {
    if (!Calls::enter())
      return {};
    Answer answer = callLocked(method, args...);
    Calls::leave();
    return answer;
  }

  template <typename... Args> Answer callLocked(const char *method, const Args &...args) {
    nb::gil_scoped_acquire acquire;
    try {
      nb::tuple result = nb::cast<nb::tuple>(store.attr(method)(toPython(args)...));
      nb::bytes bytes = nb::cast<nb::bytes>(result[1]);
      return {static_cast<Outcome>(nb::cast<int>(result[0])),
              {bytes.c_str(), bytes.size()},
              nb::cast<std::string>(result[2])};
    } catch (const std::exception &error) {
      return {Outcome::Failed, "", error.what()};
    }
  }

  nb::object store;
};

std::unique_ptr<RemoteStore> openStore(const std::string &url) {
  if (!Calls::enter())
    return nullptr;
  std::unique_ptr<RemoteStore> store;
  {
    nb::gil_scoped_acquire acquire;
    try {
      store = std::make_unique<PythonStore>(
          nb::module_::import_("fairlead._remote").attr("open_store")(url));
    } catch (const std::exception &) { // as of a store without a client
    }
  }
  Calls::leave();
  return store;
}

std::string fetch(const std::string &kind, const std::string &digest) {
  nb::gil_scoped_release release;
  RemotePatience patience;
  std::string how;
  Cache(kind).get(digest, &how);
  return how;
}

std::string publish(const std::string &kind, const std::string &digest) {
  nb::gil_scoped_release release;
  RemotePatience patience;
  return Cache(kind).publish(digest);
}

/// (the entry's bytes or None, how)
nb::tuple readRemote(const std::string &kind, const std::string &digest) {
  std::string how;
  std::optional<std::string> bytes;
  {
    nb::gil_scoped_release release;
    bytes = Cache(kind).getRemote(digest, &how);
  }
  return nb::make_tuple(bytes ? nb::object(nb::bytes(bytes->data(), bytes->size())) : nb::none(),
                        how);
}

std::string updateRemote(const std::string &kind, const std::string &digest,
                         const std::string &label, double seconds, nb::callable merge) {
  nb::gil_scoped_release release;
  return Cache(kind).update(
      digest, label, seconds,
      [&](const std::optional<std::string> &stored) -> std::optional<std::string> {
        nb::gil_scoped_acquire acquire;
        nb::object result =
            merge(stored ? nb::object(nb::bytes(stored->data(), stored->size())) : nb::none());
        if (result.is_none())
          return std::nullopt;
        nb::bytes bytes = nb::cast<nb::bytes>(result);
        return std::string(bytes.c_str(), bytes.size());
      });
}

} // namespace

void bindRemoteCache(nb::module_ &m) {
  setRemoteStores(openStore);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&Calls::end));
  m.def("cache_fetch", &fetch, nb::arg("kind"), nb::arg("digest"),
        "Looks for an entry as a compile does, but patiently, and keeps what the remote cache has "
        "of it in the "
        "folder: \"local: hit\", \"remote: hit\" or why there is none.");
  m.def("cache_publish", &publish, nb::arg("kind"), nb::arg("digest"),
        "Puts an entry of the folder into the remote cache: \"stored\", or why not.");
  m.def("cache_read_remote", &readRemote, nb::arg("kind"), nb::arg("digest"),
        nb::sig("def cache_read_remote(kind: str, digest: str) -> tuple[bytes | None, str]"),
        "Returns an entry of the remote cache, or None, and \"hit\" or why there is none.");
  m.def("cache_update_remote", &updateRemote, nb::arg("kind"), nb::arg("digest"), nb::arg("label"),
        nb::arg("seconds"), nb::arg("merge"),
        nb::sig("def cache_update_remote(kind: str, digest: str, label: str, seconds: float, "
                "merge: collections.abc.Callable[[bytes | None], bytes | None]) -> str"),
        "Replaces an entry of the remote cache by what `merge` makes of it (None: it stays), while "
        "no other machine does: \"stored\", \"hit\" if it stays, or why not.");
}

} // namespace fairlead::python
