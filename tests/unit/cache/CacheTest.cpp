#include "fairlead/Cache.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "base/Sha256.h"
#include "cache/CacheFiles.h"
#include "fairlead/Error.h"

namespace fairlead {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/fairlead-cache-XXXXXX";
    root = ::mkdtemp(pattern);
    ::setenv("FAIRLEAD_CACHE_DIR", root.c_str(), 1);
    for (const char *name : kOthers)
      ::unsetenv(name);
  }
  void TearDown() override {
    ::unsetenv("FAIRLEAD_CACHE_DIR");
    for (const char *name : kOthers)
      ::unsetenv(name);
    fs::remove_all(root);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
        found.push_back(entry.path());
    return found;
  }
  static constexpr const char *kOthers[] = {"CUTE_DSL_CACHE_DIR",     "FAIRLEAD_CACHE_SHARED",
                                            "FAIRLEAD_CACHE_SIZE",    "FAIRLEAD_NO_CACHE",
                                            "FAIRLEAD_NEVER_COMPILE", "FAIRLEAD_CACHE_TRUST",
                                            "FAIRLEAD_REMOTE_CACHE"};
  fs::path root;
  const std::string key = CacheKey().add("a key").digest();
};

/// From the entry up to the cache's folder.
std::vector<fs::path> placesOf(const fs::path &entry, const fs::path &root) {
  std::vector<fs::path> places;
  for (fs::path path = entry; path != root; path = path.parent_path())
    places.push_back(path);
  places.push_back(root);
  return places;
}

TEST_F(CacheTest, WhatOthersMayWriteIsNotLoaded) {
  Cache("programs").put(key, "code");
  for (const fs::path &place : placesOf(files().at(0), root)) {
    const fs::perms before = fs::status(place).permissions();
    for (fs::perms more :
         {fs::perms::others_write, fs::perms::sticky_bit | fs::perms::others_write}) {
      fs::permissions(place, more, fs::perm_options::add);
      testing::internal::CaptureStderr();
      EXPECT_EQ(Cache("programs").get(key), std::nullopt) << place;
      testing::internal::GetCapturedStderr(); // once for each folder
      fs::permissions(place, before);
    }
    EXPECT_EQ(Cache("programs").get(key), "code") << place;
  }
  fs::permissions(root, fs::perms::others_write, fs::perm_options::add);
  ::setenv("FAIRLEAD_CACHE_TRUST", ("/elsewhere:" + root.string() + "/").c_str(), 1);
  EXPECT_EQ(Cache("programs").get(key), "code");
  ::setenv("FAIRLEAD_CACHE_TRUST", (root.string() + "/programs").c_str(), 1);
  EXPECT_EQ(Cache("programs").get(key), std::nullopt);
}

TEST_F(CacheTest, NothingIsKeptWhereOthersMayWrite) {
  fs::permissions(root, fs::perms::others_write, fs::perm_options::add);
  Cache("programs").put(key, "code");
  EXPECT_TRUE(files().empty());
  ::setenv("FAIRLEAD_CACHE_TRUST", root.c_str(), 1);
  Cache("programs").put(key, "code");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CacheTest, WhatIsKeptMayNotBeWrittenByOthers) {
  const mode_t before = ::umask(0);
  Cache("programs").put(key, "code");
  ::umask(before);
  EXPECT_EQ(Cache("programs").get(key), "code");
}

TEST_F(CacheTest, EntriesOfAnotherUserAreNotLoaded) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  constexpr uid_t kNobody = 65534;
  if (::chown(root.c_str(), kNobody, 0) != 0 && errno == EINVAL)
    GTEST_SKIP() << "this user namespace has one user";
  ASSERT_EQ(::chown(root.c_str(), 0, 0), 0);
  Cache("programs").put(key, "code");
  for (const fs::path &place : placesOf(files().at(0), root)) {
    ASSERT_EQ(::chown(place.c_str(), kNobody, 0), 0);
    EXPECT_EQ(Cache("programs").get(key), std::nullopt) << place;
    ASSERT_EQ(::chown(place.c_str(), 0, 0), 0);
    EXPECT_EQ(Cache("programs").get(key), "code") << place;
  }
  // A link in the place of the kind's folder.
  fs::rename(root / "programs", root / "moved");
  fs::create_symlink(root / "moved", root / "programs");
  EXPECT_EQ(Cache("programs").get(key), "code");
  ASSERT_EQ(::lchown((root / "programs").c_str(), kNobody, 0), 0);
  EXPECT_EQ(Cache("programs").get(key), std::nullopt);
  Cache("programs").put(CacheKey().add("other").digest(), "other");
  EXPECT_EQ(files().size(), 1u);
  ::setenv("FAIRLEAD_CACHE_TRUST", root.c_str(), 1);
  EXPECT_EQ(Cache("programs").get(key), "code");
}

TEST_F(CacheTest, SharedFoldersAreTrustedByTheSameRule) {
  Cache("programs").put(key, "code");
  fs::path shared = root.string() + "-shared";
  fs::rename(root, shared);
  fs::create_directory(root);
  ::setenv("FAIRLEAD_CACHE_SHARED", shared.c_str(), 1);
  EXPECT_EQ(Cache("programs").get(key), "code");
  fs::permissions(shared, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(Cache("programs").get(key), std::nullopt);
  ::setenv("FAIRLEAD_CACHE_TRUST", shared.c_str(), 1);
  EXPECT_EQ(Cache("programs").get(key), "code");
  fs::remove_all(shared);
}

TEST_F(CacheTest, RelativeFoldersAreRefused) {
  auto problem = [] {
    try {
      Cache cache("programs");
      return "none, in " + cache.folder();
    } catch (const Error &error) {
      return std::string(error.what());
    }
  };
  const std::string expected = ", expected a folder by its absolute path, but got `";
  ::setenv("FAIRLEAD_CACHE_DIR", "cache", 1);
  EXPECT_NE(problem().find("FAIRLEAD_CACHE_DIR" + expected + "cache`"), std::string::npos);
  ::setenv("FAIRLEAD_CACHE_DIR", root.c_str(), 1);
  ::setenv("FAIRLEAD_CACHE_SHARED", "/whole:part", 1);
  EXPECT_NE(problem().find("FAIRLEAD_CACHE_SHARED" + expected + "part`"), std::string::npos);
  ::unsetenv("FAIRLEAD_CACHE_SHARED");
  ::unsetenv("FAIRLEAD_CACHE_DIR");
  ::setenv("CUTE_DSL_CACHE_DIR", "./cache", 1);
  EXPECT_NE(problem().find("CUTE_DSL_CACHE_DIR" + expected + "./cache`"), std::string::npos);
  ::unsetenv("CUTE_DSL_CACHE_DIR");
}

/// Lines of the file of events.
std::vector<std::string> eventsIn(const fs::path &path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

TEST_F(CacheTest, WhatWasAskedIsWrittenDown) {
  fs::remove_all(root);
  Cache cache("programs");
  EXPECT_FALSE(cache.get(key)); // the folder is not there yet
  cache.put(key, "code");
  EXPECT_TRUE(cache.get(key));
  std::vector<std::string> lines = eventsIn(root / ".events");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].ends_with(" get local: absent")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(" get local: hit")) << lines[1];
  EXPECT_NE(lines[1].find(" programs "), std::string::npos);
  std::ofstream(files()[0], std::ios::app) << "x";
  EXPECT_FALSE(cache.get(key));
  EXPECT_TRUE(eventsIn(root / ".events").back().ends_with(" get local: damaged"));
}

TEST_F(CacheTest, EventsTakeLittleRoomAndFollowNoLink) {
  for (int i = 0; i < 3; ++i) {
    std::ofstream(root / ".events") << std::string((1 << 20) + 1, '\n');
    cache::note(root, "programs", "get\nlocal: " + std::string(1000, 'x'), 0);
  }
  ASSERT_EQ(eventsIn(root / ".events").size(), 1u);
  EXPECT_LT(eventsIn(root / ".events")[0].size(), 200u);
  EXPECT_TRUE(fs::exists(root / ".events.1"));
  fs::remove(root / ".events");
  fs::create_symlink(root / "elsewhere", root / ".events");
  cache::note(root, "programs", "get local: hit", 0);
  EXPECT_FALSE(fs::exists(root / "elsewhere"));
  fs::remove(root / ".events");
  ASSERT_EQ(::mkfifo((root / ".events").c_str(), 0600), 0);
  cache::note(root, "programs", "get local: hit", 0); // does not wait for a reader
}

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(toHex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(toHex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(toHex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // However it is cut.
  std::string text(300, 'x');
  for (size_t cut = 0; cut <= text.size(); cut += 7) {
    Sha256 hash;
    hash.add(std::string_view(text).substr(0, cut));
    hash.add(std::string_view(text).substr(cut));
    EXPECT_EQ(hash.finish(), sha256(text)) << cut;
  }
}

TEST(CacheKey, FieldsKeepTheirBounds) {
  EXPECT_NE(CacheKey().add("ab").add("c").digest(), CacheKey().add("a").add("bc").digest());
  EXPECT_NE(CacheKey().add(std::vector<std::string>{"a"}).add("b").digest(),
            CacheKey().add(std::vector<std::string>{"a", "b"}).digest());
  EXPECT_EQ(CacheKey().add("a").digest(), CacheKey().add("a").digest());
}

TEST_F(CacheTest, ReturnsWhatWasStored) {
  Cache cache("kind");
  EXPECT_FALSE(cache.get(key));
  std::string bytes("a\0b", 3);
  cache.put(key, bytes);
  EXPECT_EQ(cache.get(key), bytes);
  EXPECT_FALSE(Cache("other").get(key));
  cache.put(key, "");
  EXPECT_EQ(cache.get(key), "");
  EXPECT_EQ(files().size(), 1u) << "no temporary file is left";
}

TEST_F(CacheTest, DamagedEntriesAreRemoved) {
  Cache cache("kind");
  for (int what = 0; what < 4; ++what) {
    cache.put(key, "some bytes to be damaged");
    fs::path file = files().at(0);
    if (what == 0)
      fs::resize_file(file, fs::file_size(file) - 1);
    else if (what == 1)
      fs::resize_file(file, 0);
    else if (what == 2)
      std::ofstream(file, std::ios::app) << "x";
    else {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(-3, std::ios::end);
      stream << '#';
    }
    EXPECT_FALSE(cache.get(key)) << what;
    EXPECT_TRUE(files().empty()) << what;
  }
}

TEST_F(CacheTest, ThreadsShareAFolder) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  std::string large(100000, 'z');
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      Cache cache("kind");
      for (int round = 0; round < 50; ++round) {
        cache.put(key, large);
        auto found = cache.get(key);
        wrong += !found || *found != large;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CacheTest, SaysThatAChosenFolderCannotBeWritten) {
  // A file where the folder should be: not even root can write into it.
  fs::path file = root / "file";
  std::ofstream(file) << "text";
  ::setenv("FAIRLEAD_CACHE_DIR", file.c_str(), 1);
  try {
    Cache("kind").put(key, "bytes");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.what(), "cannot write to the cache folder `" + file.string() +
                                "`, which the environment variable FAIRLEAD_CACHE_DIR names: Not a "
                                "directory");
  }
}

TEST_F(CacheTest, AnEntryUnderAnotherNameIsDamaged) {
  Cache cache("kind");
  cache.put(key, "bytes");
  std::string other = CacheKey().add("another").digest();
  fs::path path = root / "kind" / other.substr(0, 2) / other.substr(2);
  fs::create_directories(path.parent_path());
  fs::copy_file(files().at(0), path);
  EXPECT_FALSE(cache.get(other));
  fs::path elsewhere = root / "other" / key.substr(0, 2);
  fs::create_directories(elsewhere);
  fs::copy_file(files().at(0), elsewhere / key.substr(2));
  EXPECT_FALSE(Cache("other").get(key));
  EXPECT_EQ(cache.get(key), "bytes");
}

TEST_F(CacheTest, SharedFoldersAreOnlyRead) {
  Cache("kind").put(key, "bytes", "a label");
  fs::path shared = root.string() + "-shared";
  fs::rename(root, shared);
  ::setenv("FAIRLEAD_CACHE_SHARED", (":/nowhere::" + shared.string()).c_str(), 1);
  EXPECT_EQ(Cache("kind").get(key), "bytes");
  EXPECT_EQ(Cache("kind").places(),
            root.string() + "/kind, /nowhere/kind, " + shared.string() + "/kind");
  EXPECT_FALSE(fs::exists(root));
  fs::path entry = shared / "kind" / key.substr(0, 2) / key.substr(2);
  fs::resize_file(entry, fs::file_size(entry) - 1);
  EXPECT_FALSE(Cache("kind").get(key));
  EXPECT_TRUE(fs::exists(entry));
  fs::remove_all(shared);
}

TEST_F(CacheTest, TurnedOff) {
  ::setenv("FAIRLEAD_NO_CACHE", "1", 1);
  Cache("kind").put(key, "bytes");
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(Cache("kind").places(), "turned off");
  ::setenv("FAIRLEAD_NO_CACHE", "0", 1);
  Cache("kind").put(key, "bytes");
  EXPECT_EQ(Cache("kind").get(key), "bytes");
  EXPECT_FALSE(Cache::neverCompile());
  ::setenv("FAIRLEAD_NEVER_COMPILE", "1", 1);
  EXPECT_TRUE(Cache::neverCompile());
}

TEST_F(CacheTest, TheLimitIsKept) {
  ::setenv("FAIRLEAD_CACHE_SIZE", "1M", 1);
  Cache cache("kind");
  std::string large(100000, 'x');
  std::string digest;
  for (int i = 0; i < 40; ++i) {
    digest = CacheKey().add(std::to_string(i)).digest();
    cache.put(digest, large);
    uintmax_t total = 0;
    for (const fs::path &file : files())
      total += fs::file_size(file);
    EXPECT_LE(total, 1u << 20) << i;
    EXPECT_EQ(cache.get(digest), large) << "the newest stays";
  }
  EXPECT_GE(files().size(), 8u) << "no more goes than must";
  fs::path stranger = root / "kind" / "notes.txt";
  std::ofstream(stranger) << std::string(2000000, 'n');
  cache.put(key, large);
  EXPECT_TRUE(fs::exists(stranger)) << "only entries are removed";
}

TEST_F(CacheTest, SaysThatALimitIsNoSize) {
  for (const char *text : {"much", "4X", "-1", "4GB", " 4", "99999999999999T"}) {
    ::setenv("FAIRLEAD_CACHE_SIZE", text, 1);
    EXPECT_THROW(Cache("kind"), Error) << text;
  }
}

TEST(CacheSize, Units) {
  EXPECT_EQ(cache::parseSize("0"), 0u);
  EXPECT_EQ(cache::parseSize("123"), 123u);
  EXPECT_EQ(cache::parseSize("2k"), 2048u);
  EXPECT_EQ(cache::parseSize("500M"), 500u << 20);
  EXPECT_EQ(cache::parseSize("4G"), uint64_t{4} << 30);
  EXPECT_EQ(cache::parseSize("1T"), uint64_t{1} << 40);
}

TEST_F(CacheTest, DefaultFolders) {
  ::unsetenv("FAIRLEAD_CACHE_DIR");
  std::string home = ::getenv("HOME") ? ::getenv("HOME") : "";
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(Cache("kind").folder(), "/somewhere/fairlead/kind");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/of", 1);
  EXPECT_EQ(Cache("kind").folder(), "/home/of/.cache/fairlead/kind");
  ::unsetenv("HOME");
  EXPECT_EQ(Cache("kind").folder(), "");
  EXPECT_FALSE(Cache("kind").get(key));
  Cache("kind").put(key, "bytes"); // nowhere, and no error
  ::setenv("HOME", home.c_str(), 1);
}

TEST(Fields, PackAndUnpack) {
  std::vector<std::string> fields = {"", "a", std::string("\0b", 2), std::string(1000, 'c')};
  EXPECT_EQ(unpackFields(packFields(fields)), fields);
  EXPECT_EQ(unpackFields(""), std::vector<std::string>());
  std::string packed = packFields(fields);
  for (size_t cut : {1u, 7u, 12u})
    EXPECT_FALSE(unpackFields(packed.substr(0, packed.size() - cut)));
  EXPECT_FALSE(unpackFields(std::string(8, '\xff')));
}

} // namespace
} // namespace fairlead
