#include "fairlead/RemoteCache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "cache/Remote.h"
#include "fairlead/Cache.h"
#include "fairlead/Error.h"
#include "fairlead/Keys.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;
using Outcome = RemoteStore::Outcome;

/// State that the stores of a test share: the content, and the fate of each call.
struct World {
  std::mutex mutex;
  std::map<std::string, std::string> content;
  std::function<Outcome(const char *call)> befall = [](const char *) { return Outcome::Done; };
  int calls = 0;
};

class TestStore final : public RemoteStore {
public:
  explicit TestStore(World &world) : world(world) {}
  Answer get(const std::string &name, double) override {
    return guarded("get", [&]() -> Answer {
      auto found = world.content.find(name);
      if (found == world.content.end())
        return {Outcome::Absent, "", ""};
      return {Outcome::Done, found->second, ""};
    });
  }
  Answer put(const std::string &name, const std::string &bytes, double) override {
    return guarded("put", [&]() -> Answer {
      world.content[name] = bytes;
      return {Outcome::Done, "", ""};
    });
  }
  Answer claim(const std::string &name, double, double) override {
    return guarded("claim", [&]() -> Answer {
      const bool isOurs = world.content.emplace(name + ".claim", "").second;
      return {isOurs ? Outcome::Done : Outcome::Taken, "", ""};
    });
  }
  Answer isClaimed(const std::string &name, double) override {
    return guarded("isClaimed", [&]() -> Answer {
      return {world.content.count(name + ".claim") ? Outcome::Done : Outcome::Absent, "", ""};
    });
  }
  Answer release(const std::string &name, double) override {
    return guarded("release", [&]() -> Answer {
      world.content.erase(name + ".claim");
      return {Outcome::Done, "", ""};
    });
  }

private:
  template <typename Work> Answer guarded(const char *call, Work work) {
    const Outcome outcome = world.befall(call);
    std::lock_guard lock(world.mutex);
    ++world.calls;
    return outcome == Outcome::Done ? work() : Answer{outcome, "", "befallen"};
  }
  World &world;
};

class RemoteTest : public testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/fairlead-remote-XXXXXX";
    root = ::mkdtemp(pattern);
    for (const char *name : kVariables)
      ::unsetenv(name);
    for (const char *name : {"writer", "other"}) {
      const KeyPair pair = newKeyPair();
      std::ofstream(root / (std::string(name) + ".key")) << pair.secretText << "\n";
      std::ofstream(root / (std::string(name) + ".pub")) << pair.publicText << "\n";
    }
    setRemoteStores([this](const std::string &) { return std::make_unique<TestStore>(world); });
    // A new name each time: the process keeps the store of the last one.
    static int number = 0;
    url = "redis://test" + std::to_string(++number);
    ::setenv("FAIRLEAD_REMOTE_CACHE", url.c_str(), 1);
  }
  void TearDown() override {
    for (const char *name : kVariables)
      ::unsetenv(name);
    setRemoteStores(nullptr);
    fs::remove_all(root);
  }

  /// The cache of a machine with a folder of its own.
  Cache machine(const std::string &folder, bool writes = false,
                const std::string &signer = "writer") {
    ::setenv("FAIRLEAD_CACHE_DIR", (root / folder).c_str(), 1);
    ::setenv("FAIRLEAD_REMOTE_CACHE_KEYS", (root / "writer.pub").c_str(), 1);
    if (writes)
      ::setenv("FAIRLEAD_REMOTE_CACHE_SIGN", (root / (signer + ".key")).c_str(), 1);
    else
      ::unsetenv("FAIRLEAD_REMOTE_CACHE_SIGN");
    return Cache("programs");
  }
  std::string how(const std::string &folder) {
    std::string told;
    machine(folder).get(key, &told);
    return told;
  }

  static constexpr const char *kVariables[] = {
      "FAIRLEAD_CACHE_DIR",         "FAIRLEAD_CACHE_SHARED",         "FAIRLEAD_CACHE_SIZE",
      "FAIRLEAD_NO_CACHE",          "FAIRLEAD_REMOTE_CACHE",         "FAIRLEAD_REMOTE_CACHE_KEYS",
      "FAIRLEAD_REMOTE_CACHE_SIGN", "FAIRLEAD_REMOTE_CACHE_TIMEOUT", "FAIRLEAD_REMOTE_CACHE_WAIT"};
  fs::path root;
  std::string url;
  World world;
  const std::string key = CacheKey().add("a key").digest();
  const std::string name = "programs/" + key.substr(0, 2) + "/" + key.substr(2);
};

TEST_F(RemoteTest, WhatOneMachineMakesAnotherLoads) {
  machine("first", true).put(key, "code", "a label");
  ASSERT_EQ(world.content.count(name), 1u);
  std::string told;
  EXPECT_EQ(machine("second").get(key, &told), "code");
  EXPECT_EQ(told, "remote: hit");
  const int calls = world.calls;
  EXPECT_EQ(machine("second").get(key, &told), "code");
  EXPECT_EQ(told, "local: hit");
  EXPECT_EQ(world.calls, calls);
}

TEST_F(RemoteTest, WithoutASigningKeyNothingIsWritten) {
  machine("first").put(key, "code");
  machine("first").awaitOther(key);
  EXPECT_TRUE(world.content.empty());
  EXPECT_EQ(machine("first").publish(key), "read only");
}

TEST_F(RemoteTest, AnEntryOfBeforeIsPublished) {
  machine("first").put(key, "code", "a label");
  EXPECT_EQ(machine("first", true).publish(key), "stored");
  EXPECT_EQ(machine("first", true).publish(std::string(64, 'a')), "not in the folder");
  EXPECT_EQ(machine("second").get(key), "code");
}

TEST_F(RemoteTest, EveryChangedByteIsAMiss) {
  machine("first", true).put(key, "code", "a label");
  const std::string whole = world.content[name];
  for (size_t i = 0; i < whole.size(); ++i) {
    world.content[name] = whole;
    world.content[name][i] ^= 1;
    const std::string told = how("second");
    EXPECT_TRUE(told == "remote: not signed" || told == "remote: signed by another key" ||
                told == "remote: wrong signature")
        << i << ": " << told;
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    world.content[name] = whole.substr(0, size);
    ASSERT_FALSE(how("second").ends_with("hit")) << size;
  }
  world.content[name] = whole + "x";
  EXPECT_EQ(how("second"), "remote: wrong signature");
  world.content[name] = whole;
  EXPECT_EQ(how("second"), "remote: hit");
}

TEST_F(RemoteTest, EntriesOfOthersAndUnderOtherNamesAreMisses) {
  machine("other", true, "other").put(key, "code");
  EXPECT_EQ(how("second"), "remote: signed by another key");
  const std::string second = CacheKey().add("another").digest();
  machine("first", true).put(second, "other code");
  world.content[name] = world.content["programs/" + second.substr(0, 2) + "/" + second.substr(2)];
  EXPECT_EQ(how("second"), "remote: wrong signature");
  Cache cubins("cubins");
  cubins.put(key, "machine code");
  EXPECT_EQ(how("second"), "remote: wrong signature");
}

TEST_F(RemoteTest, AStoreThatFailsIsLeftAlone) {
  world.befall = [](const char *) { return Outcome::Failed; };
  EXPECT_EQ(how("first"), "remote: unreachable: befallen");
  const int calls = world.calls;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(how("first"), "remote: unreachable: left alone for a while, after failures");
  EXPECT_EQ(world.calls, calls);
}

TEST_F(RemoteTest, OneThatDoesNotAnswerIsLeftAloneByAllProcesses) {
  world.befall = [](const char *) { return Outcome::TimedOut; };
  machine("first", true).put(key, "code");
  const int calls = world.calls;
  machine("another folder, which makes this process forget");
  EXPECT_EQ(how("first").find("remote: "), std::string::npos); // it is in the folder
  std::string told;
  machine("first").get(CacheKey().add("another").digest(), &told);
  EXPECT_EQ(told, "remote: unreachable: left alone for a while, after failures");
  EXPECT_EQ(world.calls, calls);
  for (const auto &entry : fs::directory_iterator(root / "first"))
    if (entry.path().filename().string().starts_with(".remote-"))
      fs::remove(entry.path());
  machine("another folder, which makes this process forget");
  machine("first").get(CacheKey().add("another").digest(), &told);
  EXPECT_EQ(told, "remote: timed out");
  EXPECT_EQ(world.calls, calls + 1);
}

TEST_F(RemoteTest, AStoreWithoutAClientIsAMiss) {
  setRemoteStores(nullptr);
  EXPECT_EQ(how("first"), "remote: unreachable: no client for " + url + " in this program");
}

TEST_F(RemoteTest, AFullStoreRefuses) {
  world.befall = [](const char *call) {
    return std::string(call) == "put" ? Outcome::Full : Outcome::Done;
  };
  Cache first = machine("first", true);
  first.put(key, "code");
  EXPECT_EQ(first.publish(key), "refused: befallen");
  EXPECT_EQ(how("second"), "remote: absent");
  EXPECT_EQ(machine("first").get(key), "code");
}

TEST_F(RemoteTest, OneMakesAndTheOthersWait) {
  Cache first = machine("first", true), second = machine("second", true), third = machine("third");
  EXPECT_EQ(first.awaitOther(key), std::nullopt);
  std::optional<std::string> ofSecond, ofThird;
  std::thread waiting([&] { ofSecond = second.awaitOther(key); });
  std::thread reading([&] { ofThird = third.awaitOther(key); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  first.put(key, "code");
  waiting.join();
  reading.join();
  EXPECT_EQ(ofSecond, "code");
  EXPECT_EQ(ofThird, "code");
}

TEST_F(RemoteTest, WhoeverFailsLetsTheNextDoIt) {
  auto first = std::make_unique<Cache>(machine("first", true));
  EXPECT_EQ(first->awaitOther(key), std::nullopt);
  ::setenv("FAIRLEAD_REMOTE_CACHE_WAIT", "100000", 1); // nobody waits to the end
  Cache second = machine("second", true);
  std::thread waiting([&] { EXPECT_EQ(second.awaitOther(key), std::nullopt); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  first.reset();
  waiting.join();
}

TEST_F(RemoteTest, WaitingEnds) {
  ::setenv("FAIRLEAD_REMOTE_CACHE_WAIT", "0.2", 1);
  world.content[name + ".claim"] = "of a machine that is gone";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(machine("first", true).awaitOther(key), std::nullopt);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took.count(), .2);
  ::setenv("FAIRLEAD_REMOTE_CACHE_WAIT", "0", 1);
  const int calls = world.calls;
  EXPECT_EQ(machine("first", true).awaitOther(key), std::nullopt);
  EXPECT_EQ(world.calls, calls);
}

TEST_F(RemoteTest, AFolderIsAStore) {
  const fs::path store = root / "store";
  for (const std::string &named : {store.string(), "file://" + store.string()}) {
    fs::create_directory(store);
    ::setenv("FAIRLEAD_REMOTE_CACHE", named.c_str(), 1);
    Cache first = machine("first", true);
    EXPECT_EQ(first.awaitOther(key), std::nullopt);
    EXPECT_TRUE(fs::exists(store / (name + ".claim")));
    first.put(key, "code");
    first = machine("none");
    EXPECT_FALSE(fs::exists(store / (name + ".claim")));
    EXPECT_EQ(how("second"), "remote: hit");
    std::ofstream(store / name, std::ios::app) << "x";
    EXPECT_EQ(how("third"), "remote: wrong signature");
    fs::remove_all(store);
    fs::remove_all(root / "second");
    EXPECT_EQ(how("third"), "remote: absent");
  }
}

/// A file system that hangs, here: a name that is a pipe would, and is passed over.
TEST_F(RemoteTest, AFolderThatHoldsSomethingElse) {
  const fs::path store = root / "store";
  fs::create_directories(store / fs::path(name).parent_path());
  ::setenv("FAIRLEAD_REMOTE_CACHE", store.c_str(), 1);
  ASSERT_EQ(::mkfifo((store / name).c_str(), 0600), 0);
  EXPECT_TRUE(how("first").starts_with("remote: unreachable: what lies at")) << how("first");
}

TEST_F(RemoteTest, SettingsThatCannotBeUnderstood) {
  auto fails = [&](const char *variable, const std::string &value, const std::string &part) {
    machine("first");
    ::setenv(variable, value.c_str(), 1);
    try {
      Cache cache("programs");
      ADD_FAILURE() << variable << "=" << value;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
    ::unsetenv(variable);
    ::setenv("FAIRLEAD_REMOTE_CACHE", url.c_str(), 1);
  };
  fails("FAIRLEAD_REMOTE_CACHE", "cache", "name a store: redis://");
  fails("FAIRLEAD_REMOTE_CACHE", "ftp://me:secret@host/x", "`ftp://...@host/x`");
  fails("FAIRLEAD_REMOTE_CACHE_KEYS", "", "FAIRLEAD_REMOTE_CACHE_KEYS to name a list");
  fails("FAIRLEAD_REMOTE_CACHE_KEYS", "/nowhere", "No such file");
  fails("FAIRLEAD_REMOTE_CACHE_SIGN", (root / "writer.pub").string(), "to be a signing key");
  fails("FAIRLEAD_REMOTE_CACHE_TIMEOUT", "soon", "be a number of seconds");
  fails("FAIRLEAD_REMOTE_CACHE_WAIT", "-1", "be a number of seconds");
  fails("FAIRLEAD_REMOTE_CACHE_WAIT", "nan", "be a number of seconds");
}

TEST(RemoteBudget, NeverCostsMuchMoreThanItSaves) {
  // A store that always answers slowly and has nothing.
  cache::RemoteBudget budget;
  double now = 0, lost = 0;
  for (int compile = 0; compile < 10000; ++compile, now += .1)
    if (double limit = budget.allowance(now, .5); limit > 0) {
      const double took = std::min(limit, .2);
      lost += took;
      now += took;
      budget.spend(now, took);
    }
  EXPECT_LE(lost, cache::RemoteBudget::kAdvance + .2 + now / 60 * .4);
  EXPECT_GT(lost, cache::RemoteBudget::kAdvance - .5);
}

TEST(RemoteBudget, ADeadStoreCostsLessAndLess) {
  cache::RemoteBudget budget;
  int calls = 0;
  for (double now = 0; now < 600; now += .01)
    if (budget.allowance(now, .5) > 0) {
      ++calls;
      budget.fail(now, .001);
    }
  EXPECT_LE(calls, 16); // after 1, 2, 4, ... 60 s
}

TEST(RemoteBudget, WhatIsSavedMayBeSpent) {
  cache::RemoteBudget budget;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_GT(budget.allowance(i, .5), 0) << i;
    budget.spend(i, .1);
    budget.save(.15);
  }
}

} // namespace
} // namespace fairlead
