#include "cache/Remote.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Environment.h"
#include "base/Sha256.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "trust/KeyFile.h"

namespace fairlead {

RemoteStore::~RemoteStore() = default;

namespace {

/// The opener and the remote cache in use. Never destroyed: compiles may run until the very end.
struct Globals {
  std::mutex mutex;
  RemoteStoreOpener opener;
  std::string environment; ///< that `remote` was made from
  std::shared_ptr<cache::Remote> remote;
};

thread_local int patience = 0;

Globals &globals() {
  static auto *state = new Globals;
  return *state;
}

} // namespace

void setRemoteStores(RemoteStoreOpener opener) {
  std::lock_guard lock(globals().mutex);
  globals().opener = std::move(opener);
}

RemotePatience::RemotePatience() { ++patience; }
RemotePatience::~RemotePatience() { --patience; }

namespace cache {
namespace {

using Answer = RemoteStore::Answer;
using Outcome = RemoteStore::Outcome;

/// Stands before the public key, the signature and the body; changes with the format.
constexpr std::string_view kSignedMagic = "FLREMOT1";
constexpr size_t kSignedHeader =
    kSignedMagic.size() + sizeof(ed25519::PublicKey) + sizeof(ed25519::Signature);

/// The first answer takes connecting, and in Python importing a client; the one for S3 is large.
double connecting(const std::string &url) { return url.starts_with("s3:") ? 2.5 : .5; }
/// Seconds that one call of the store may take if the caller is patient.
constexpr double kPatience = 30;
/// Seconds that an entry saves at least: the fixed costs of tracing and compiling.
constexpr double kLeastSaved = .02;
/// Seconds that a claim outlives its machine.
constexpr double kClaimed = 30;

/// Seconds that all processes of a machine avoid a store after it has not answered one of them.
constexpr time_t kAllRest = 30;

bool allRest(const std::string &marker) {
  struct stat status;
  if (marker.empty() || ::stat(marker.c_str(), &status) != 0)
    return false;
  const time_t left = status.st_mtim.tv_sec - ::time(nullptr);
  return left > 0 && left <= kAllRest;
}

void letAllRest(const std::string &marker) {
  if (marker.empty())
    return;
  const int file =
      ::open(marker.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (file < 0)
    return;
  const struct timespec until = {::time(nullptr) + kAllRest, 0}, times[] = {until, until};
  ::futimens(file, times);
  ::close(file);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds(const char *variable, double standard) {
  const std::string text = environment(variable);
  if (text.empty())
    return standard;
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value) || value < 0)
    throw makeError(
        Diagnostic::RemoteCache,
        {{"variable", variable}, {"expected", "be a number of seconds"}, {"got", text}});
  return value;
}

/// Hides everything before the @ of a URL in messages: it may be a password.
std::string withoutPassword(const std::string &url) {
  const size_t begin = url.find("://"), at = url.rfind('@', url.find('/', begin + 3));
  if (begin == std::string::npos || at == std::string::npos || at < begin)
    return url;
  return url.substr(0, begin + 3) + "..." + url.substr(at);
}

/// The scheme of a URL; "file" for an absolute path. Others are errors.
std::string schemeOf(const std::string &url) {
  if (url.starts_with('/'))
    return "file";
  const size_t end = url.find("://");
  if (end != std::string::npos)
    for (const char *scheme : {"redis", "rediss", "s3", "http", "https"})
      if (url.substr(0, end) == scheme)
        return scheme;
  if (url.starts_with("file:///"))
    return "file";
  throw makeError(
      Diagnostic::RemoteCache,
      {{"variable", "FAIRLEAD_REMOTE_CACHE"},
       {"expected", "name a store: redis://, rediss://, s3://, http://, https://, file:/// or an "
                    "absolute path"},
       {"got", withoutPassword(url)}});
}

RemoteSettings readSettings(const std::string &url, const std::string &root) {
  RemoteSettings settings;
  settings.url = url;
  schemeOf(url);
  const std::string keys = environment("FAIRLEAD_REMOTE_CACHE_KEYS");
  const std::string signer = environment("FAIRLEAD_REMOTE_CACHE_SIGN");
  if (!signer.empty()) {
    const Result<ed25519::Seed> seed = readSigningKey(signer);
    if (!seed)
      throw makeError(Diagnostic::SigningKey, {{"path", signer}, {"reason", seed.reason()}});
    settings.signer = *seed;
    ed25519::makePublicKey(*settings.signer, settings.keys.emplace_back());
  }
  if (!keys.empty()) {
    const auto listed = readPublicKeys(keys);
    if (!listed)
      throw makeError(Diagnostic::KeyList, {{"path", keys}, {"reason", listed.reason()}});
    settings.keys.insert(settings.keys.end(), listed->begin(), listed->end());
  }
  if (settings.keys.empty())
    throw makeError(Diagnostic::RemoteCache,
                    {{"variable", "FAIRLEAD_REMOTE_CACHE_KEYS"},
                     {"expected", "name a list of the public keys whose entries are used, as "
                                  "FAIRLEAD_REMOTE_CACHE is set"},
                     {"got", ""}});
  settings.timeout = seconds("FAIRLEAD_REMOTE_CACHE_TIMEOUT", settings.timeout);
  settings.wait = seconds("FAIRLEAD_REMOTE_CACHE_WAIT", settings.wait);
  if (!root.empty())
    settings.marker = root + "/.remote-" + toHex(sha256(url)).substr(0, 16);
  return settings;
}

/// The path of an entry in the store: its kind, two digits of the digest, then the others.
std::string pathOf(const EntryName &name) {
  return std::string(name.kind) + "/" + entryPath("", std::string(name.digest)).substr(1);
}

/// The signed message. It includes its purpose and the name of the entry.
std::string messageOf(const EntryName &name, const std::string &body) {
  const Sha256::Digest digest = sha256(body);
  std::string text = "Fairlead cache entry\n";
  text.append(name.kind).append("/").append(name.digest).append("\n");
  return text.append(reinterpret_cast<const char *>(digest.data()), digest.size());
}

/// In words of `fairlead cache stats`.
std::string wordsOf(const Answer &answer) {
  switch (answer.outcome) {
  case Outcome::Done:
    return "done";
  case Outcome::Absent:
    return "absent";
  case Outcome::Taken:
    return "claimed";
  case Outcome::Full:
    return "refused" + (answer.reason.empty() ? "" : ": " + answer.reason);
  case Outcome::TimedOut:
    return "timed out";
  case Outcome::Failed:
    break;
  }
  return "unreachable" + (answer.reason.empty() ? "" : ": " + answer.reason);
}

} // namespace

class RemoteClaim {
public:
  RemoteClaim(std::shared_ptr<Remote> remote, std::string path)
      : remote(std::move(remote)), path(std::move(path)) {}
  ~RemoteClaim() {
    try {
      remote->ask([&](RemoteStore &store, double limit) { return store.release(path, limit); });
    } catch (const std::exception &) { // it expires
    }
  }
  RemoteClaim(const RemoteClaim &) = delete;

private:
  std::shared_ptr<Remote> remote;
  std::string path;
};

std::shared_ptr<Remote> Remote::get(const std::string &root) {
  const std::string url = environment("FAIRLEAD_REMOTE_CACHE");
  if (url.empty())
    return nullptr;
  std::string all = root + '\n' + url;
  for (const char *variable : {"FAIRLEAD_REMOTE_CACHE_KEYS", "FAIRLEAD_REMOTE_CACHE_SIGN",
                               "FAIRLEAD_REMOTE_CACHE_TIMEOUT", "FAIRLEAD_REMOTE_CACHE_WAIT"})
    all += '\n' + environment(variable);
  Globals &state = globals();
  {
    std::lock_guard lock(state.mutex);
    if (state.remote && state.environment == all)
      return state.remote;
  }
  auto remote = std::make_shared<Remote>(readSettings(url, root));
  std::shared_ptr<Remote> old; // ends after the lock: its store may need Python's
  std::lock_guard lock(state.mutex);
  if (state.remote && state.environment == all)
    return state.remote;
  old = std::exchange(state.remote, remote);
  state.environment = all;
  return remote;
}

Result<RemoteStore *> Remote::open() {
  {
    std::lock_guard lock(mutex);
    if (opened)
      return opened.get();
  }
  std::unique_ptr<RemoteStore> store;
  if (schemeOf(settings.url) == "file") {
    store = openFolder(settings.url.starts_with("file://") ? settings.url.substr(7) : settings.url);
  } else {
    RemoteStoreOpener opener;
    {
      std::lock_guard lock(globals().mutex);
      opener = globals().opener;
    }
    if (opener)
      store = opener(settings.url);
  }
  if (!store)
    return Failed{"no client for " + withoutPassword(settings.url) + " in this program"};
  std::lock_guard lock(mutex);
  if (!opened)
    opened = std::move(store);
  return opened.get();
}

template <typename Call> Answer Remote::ask(Call call) {
  const bool isPatient = patience > 0;
  if (!isPatient && allRest(settings.marker))
    return {Outcome::Failed, "", "left alone for a while, after failures"};
  const double begin = now();
  bool isFirst;
  {
    std::lock_guard lock(mutex);
    isFirst = !isConnected;
  }
  const double limit =
      isPatient
          ? kPatience
          : budget.allowance(begin, settings.timeout + (isFirst ? connecting(settings.url) : 0));
  if (limit <= 0)
    return {Outcome::Failed, "", "left alone for a while, after failures"};
  Answer answer;
  if (const Result<RemoteStore *> store = open())
    answer = call(**store, limit);
  else
    answer.reason = store.reason();
  const double end = now();
  if (answer.outcome == Outcome::Failed || answer.outcome == Outcome::TimedOut) {
    budget.fail(end, end - begin);
    if (answer.outcome == Outcome::TimedOut && !isPatient)
      letAllRest(settings.marker);
  } else {
    // A machine that writes is there to do so: only failures turn it away.
    budget.spend(end, isWritten() ? 0 : end - begin);
    std::lock_guard lock(mutex);
    isConnected = true;
  }
  return answer;
}

RemoteFound Remote::verified(const EntryName &name, const std::string &value) const {
  if (value.size() < kSignedHeader ||
      std::string_view(value).substr(0, kSignedMagic.size()) != kSignedMagic)
    return {std::nullopt, "", "not signed"};
  ed25519::PublicKey key;
  ed25519::Signature signature;
  std::memcpy(key.data(), value.data() + kSignedMagic.size(), key.size());
  std::memcpy(signature.data(), value.data() + kSignedMagic.size() + key.size(), signature.size());
  if (std::find(settings.keys.begin(), settings.keys.end(), key) == settings.keys.end())
    return {std::nullopt, "", "signed by another key"};
  const std::string body = value.substr(kSignedHeader);
  if (!ed25519::verify(messageOf(name, body), signature, key))
    return {std::nullopt, "", "wrong signature"};
  auto fields = unpackFields(body);
  if (!fields || fields->size() != 3)
    return {std::nullopt, "", "of another version"};
  return {std::move((*fields)[2]), std::move((*fields)[0]), std::move((*fields)[1])};
}

RemoteFound Remote::find(const EntryName &name) {
  const Answer answer = ask(
      [path = pathOf(name)](RemoteStore &store, double limit) { return store.get(path, limit); });
  if (answer.outcome != Outcome::Done)
    return {std::nullopt, "", wordsOf(answer)};
  RemoteFound result = verified(name, answer.bytes);
  if (!result.bytes)
    return result;
  budget.save(std::max(kLeastSaved, std::strtod(result.how.c_str(), nullptr) * 1e-6));
  result.how = "hit";
  return result;
}

std::string Remote::store(const EntryName &name, std::string_view label, std::string_view bytes,
                          double seconds) {
  if (!settings.signer)
    return "read only";
  const std::string body = packFields(
      {std::string(label), std::to_string(std::llround(seconds * 1e6)), std::string(bytes)});
  ed25519::PublicKey key;
  ed25519::Signature signature;
  ed25519::makePublicKey(*settings.signer, key);
  ed25519::sign(messageOf(name, body), *settings.signer, signature);
  std::string value(kSignedMagic);
  value.append(reinterpret_cast<const char *>(key.data()), key.size())
      .append(reinterpret_cast<const char *>(signature.data()), signature.size())
      .append(body);
  const Answer answer = ask([&, path = pathOf(name)](RemoteStore &store, double limit) {
    return store.put(path, value, limit);
  });
  return answer.outcome == Outcome::Done ? "stored" : wordsOf(answer);
}

std::string Remote::update(const EntryName &name, std::string_view label, double seconds,
                           const CacheMerge &merge) {
  const std::string path = pathOf(name);
  const double begin = now();
  std::shared_ptr<RemoteClaim> claim;
  for (double pause = .005;; pause = std::min(2 * pause, .1)) {
    const Answer answer =
        ask([&](RemoteStore &store, double limit) { return store.get(path, limit); });
    if (answer.outcome != Outcome::Done && answer.outcome != Outcome::Absent)
      return wordsOf(answer);
    RemoteFound stored{std::nullopt, "", "absent"};
    if (answer.outcome == Outcome::Done)
      stored = verified(name, answer.bytes);
    if (!stored.bytes && !settings.signer)
      return stored.how;
    const std::optional<std::string> bytes = merge(stored.bytes);
    if (!bytes || !settings.signer)
      return "hit";
    if (claim)
      return store(name, label, *bytes, seconds);
    // Only machines that change the entry need a claim; the entry may have changed until then.
    const Answer right =
        ask([&](RemoteStore &store, double limit) { return store.claim(path, kClaimed, limit); });
    if (right.outcome == Outcome::Done)
      claim = std::make_shared<RemoteClaim>(shared_from_this(), path);
    else if (right.outcome != Outcome::Taken)
      return wordsOf(right);
    else if (now() - begin > kClaimed)
      return "waited in vain";
    else
      std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
}

RemoteFound Remote::await(const EntryName &name, std::shared_ptr<RemoteClaim> &claim) {
  const std::string path = pathOf(name);
  const double begin = now();
  auto isClaimed = [&] {
    return ask([&](RemoteStore &store, double limit) {
             return store.isClaimed(path, limit);
           }).outcome == Outcome::Done;
  };
  if (settings.wait == 0)
    return {std::nullopt, "", "absent"};
  if (settings.signer) {
    const Answer answer =
        ask([&](RemoteStore &store, double limit) { return store.claim(path, kClaimed, limit); });
    if (answer.outcome == Outcome::Done) {
      claim = std::make_shared<RemoteClaim>(shared_from_this(), path);
      // It may have come between the miss and the claim.
      return find(name);
    }
    if (answer.outcome != Outcome::Taken)
      return {std::nullopt, "", wordsOf(answer)};
  } else if (!isClaimed()) {
    return {std::nullopt, "", "absent"};
  }
  // Waiting draws on the budget as requests do, so unsuccessful waits end with the credit.
  for (double pause = .005;; pause = std::min(2 * pause, .1)) {
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    budget.spend(now(), pause);
    RemoteFound result = find(name);
    if (result.bytes) {
      result.how = "hit after a wait";
      return result;
    }
    if (result.how != "absent")
      return result;
    if (now() - begin > settings.wait)
      return {std::nullopt, "", "waited in vain"};
    if (!isClaimed()) {
      result = find(name);
      return result.bytes ? result : RemoteFound{std::nullopt, "", "waited in vain"};
    }
  }
}

} // namespace cache
} // namespace fairlead
