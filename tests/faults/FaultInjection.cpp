/// Makes the n-th allocation, file operation, driver call or thread start of Fairlead's code fail.
/// Preloaded (LD_PRELOAD) by tests/faults/run_faults.py; no part of what is shipped.
///
/// A call is a point if the nearest frame of the stack that belongs to neither the C nor the C++
/// library is Fairlead's, and none further up is LLVM's or MLIR's: these are built without
/// exceptions, and abort when memory is short. So does the dynamic linker. The objects' symbol
/// tables tell whose a frame is.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <unwind.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
}

namespace {

enum class Owner { Ours, Library, Llvm, Driver, Other };
enum class Mode : int { Count, Once, Always, Kill };

struct Point {
  const char *function;
  uint64_t place; ///< hash of the stack
  uintptr_t frame;
};

constexpr long kMostPoints = 1 << 20;
constexpr int kDeepest = 100;
constexpr int kKilled = 77;
constexpr uintptr_t kLengthOfRegistering = 512; ///< code bytes of __cxa_thread_atexit_impl, at most

std::atomic<bool> active{false};
std::atomic<long> count{0};
long failing = -1;
Mode mode = Mode::Count;
std::atomic<long> fired{0};
uintptr_t registering = 0; ///< address of __cxa_thread_atexit_impl
Point points[kMostPoints];
/// The thread is in this library's own code, or in a call that has been counted already.
thread_local int inside __attribute__((tls_model("initial-exec"))) = 0;

struct Inside {
  Inside() { ++inside; }
  ~Inside() { --inside; }
};

bool startsWith(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

Owner ownerOfSymbol(std::string_view name, bool ours) {
  if (startsWith(name,
                 {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_Zn", "_Zd", "__cxa", "_ZZNSt"}))
    return Owner::Library;
  if (ours || name.starts_with("fairlead") || name.starts_with("TVMFFI"))
    return Owner::Ours;
  if (startsWith(name, {"_ZN8fairlead", "_ZNK8fairlead", "_ZZN8fairlead", "_ZZNK8fairlead"}))
    return Owner::Ours;
  return Owner::Llvm;
}

struct Function {
  uintptr_t begin, end;
  Owner owner;
  std::string name;
};

/// A loaded object: whose its functions are.
struct Object {
  uintptr_t begin = 0, end = 0, base = 0;
  std::string path;
  Owner owner = Owner::Other; ///< of frames that no symbol tells about
  std::vector<Function> functions;

  Owner of(uintptr_t address, const std::string **name = nullptr) const {
    auto after = std::upper_bound(functions.begin(), functions.end(), address,
                                  [](uintptr_t a, const Function &f) { return a < f.begin; });
    Owner result = owner;
    bool known = false;
    // Functions with the same code may be one: LLVM's name counts.
    while (after != functions.begin() && (--after)->begin <= address) {
      if (address >= after->end)
        break;
      if (name)
        *name = &after->name;
      if (!known || after->owner == Owner::Llvm)
        result = after->owner;
      known = true;
    }
    return result;
  }

  void readSymbols(bool ours) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    if (bytes.size() < sizeof(Elf64_Ehdr))
      return;
    const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes.data());
    const auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes.data() + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_SYMTAB)
        continue;
      const char *texts = bytes.data() + sections[sections[i].sh_link].sh_offset;
      const auto *symbols =
          reinterpret_cast<const Elf64_Sym *>(bytes.data() + sections[i].sh_offset);
      for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
        const Elf64_Sym &symbol = symbols[k];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_shndx || !symbol.st_size)
          continue;
        std::string name = texts + symbol.st_name;
        const uintptr_t at = base + symbol.st_value;
        functions.push_back({at, at + symbol.st_size, ownerOfSymbol(name, ours), name});
      }
    }
    std::sort(functions.begin(), functions.end(),
              [](const Function &a, const Function &b) { return a.begin < b.begin; });
  }
};

std::mutex objectsMutex;
std::vector<Object> &objects() {
  static auto &all = *new std::vector<Object>;
  return all;
}

int addObject(dl_phdr_info *info, size_t, void *) {
  Object object;
  object.base = info->dlpi_addr;
  object.path = info->dlpi_name;
  object.begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      const uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      object.begin = std::min(object.begin, at);
      object.end = std::max(object.end, at + info->dlpi_phdr[i].p_memsz);
    }
  for (const Object &known : objects())
    if (known.begin == object.begin && known.path == object.path)
      return 0;
  const std::string file = object.path.substr(object.path.rfind('/') + 1);
  if (startsWith(file, {"libstdc++", "libgcc_s", "libc.so", "libm.so", "libfairlead_faults",
                        "libpthread", "linux-vdso"}))
    object.owner = Owner::Library;
  else if (startsWith(file,
                      {"libtvm_ffi", "libcuda_dialect_runtime", "libcute_dsl_runtime", "_core."})) {
    object.owner = Owner::Ours;
    object.readSymbols(true);
  } else if (file.starts_with("libfairlead_fake_cuda"))
    object.owner = Owner::Driver;
  else if (file.starts_with("libfairlead.so")) {
    object.owner = Owner::Llvm;
    object.readSymbols(false);
  }
  objects().push_back(std::move(object));
  return 0;
}

const Object *objectOf(uintptr_t address) {
  for (int turn = 0; turn < 2; ++turn) {
    for (const Object &object : objects())
      if (address >= object.begin && address < object.end)
        return &object;
    if (turn == 0 && address) {
      static size_t last = 0;
      // Code made at run time is in no object: look again only if there are more of them.
      size_t now = 0;
      dl_iterate_phdr(
          [](dl_phdr_info *, size_t, void *number) {
            ++*static_cast<size_t *>(number);
            return 0;
          },
          &now);
      if (now == last)
        return nullptr;
      last = now;
      dl_iterate_phdr(addObject, nullptr);
    }
  }
  return nullptr;
}

/// Whose code an address is in, and where its object lies in memory.
struct Place {
  uintptr_t address = 0;
  Owner owner = Owner::Library; ///< of code made at run time
  uintptr_t base = 0;
};

/// Most frames of a walk were in the walk before. The objects are locked.
Place placeOf(uintptr_t address) {
  constexpr size_t kPlaces = 1 << 14;
  static Place known[kPlaces];
  Place &place = known[(address ^ address >> 14) % kPlaces];
  if (place.address == address)
    return place;
  const Object *object = objectOf(address);
  if (!object)
    return {};
  return place = {address, object->of(address), object->base};
}

struct Walk {
  bool isOurs = false, isPoint = true;
  bool isDriverCall = false; ///< frames of the driver are skipped
  int depth = 0;
  uint64_t hash = 1469598103934665603u;
  uintptr_t frame = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context *context, void *data) {
  auto &walk = *static_cast<Walk *>(data);
  const uintptr_t address = _Unwind_GetIP(context) - 1;
  if (++walk.depth > kDeepest)
    return _URC_END_OF_STACK;
  const Place place = placeOf(address);
  const Owner owner = place.owner;
  if (owner == Owner::Driver && walk.isDriverCall && !walk.isOurs)
    return _URC_NO_REASON;
  if (owner == Owner::Llvm || owner == Owner::Driver || (owner == Owner::Other && !walk.isOurs)) {
    walk.isPoint = false;
    return _URC_END_OF_STACK;
  }
  if (owner == Owner::Other)
    return _URC_END_OF_STACK;
  if (owner == Owner::Ours) {
    if (!walk.isOurs)
      walk.frame = address;
    walk.isOurs = true;
    walk.hash = (walk.hash ^ (address - place.base)) * 1099511628211u;
  }
  return _URC_NO_REASON;
}

/// Prints the frame that fails, for `--point`.
_Unwind_Reason_Code show(_Unwind_Context *context, void *depth) {
  const uintptr_t address = _Unwind_GetIP(context) - 1;
  const Object *object = objectOf(address);
  const std::string *name = nullptr;
  if (object)
    object->of(address, &name);
  std::string line = "  " + (object ? object->path.substr(object->path.rfind('/') + 1) : "?") +
                     " " + (name ? *name : "") + "\n";
  if (::write(2, line.data(), line.size()) < 0 || ++*static_cast<int *>(depth) > 40)
    return _URC_END_OF_STACK;
  return _URC_NO_REASON;
}

/// Counts a call if it is a point. True if it must fail, as writes must before the process is
/// killed.
bool mustFail(const char *function, bool isDriverCall = false, bool isWrite = false) {
  if (!active.load(std::memory_order_relaxed) || inside)
    return false;
  const Inside guard;
  const int error = errno;
  Walk walk;
  walk.isDriverCall = isDriverCall;
  {
    std::lock_guard lock(objectsMutex);
    _Unwind_Backtrace(visit, &walk);
  }
  errno = error;
  if (!walk.isPoint || !walk.isOurs)
    return false;
  const long index = count++;
  if (index < kMostPoints)
    points[index] = {function, walk.hash ^ reinterpret_cast<uintptr_t>(function), walk.frame};
  const bool fails = mode == Mode::Always ? index >= failing && failing >= 0 : index == failing;
  if (!fails || mode == Mode::Count)
    return false;
  if (++fired == 1 && std::getenv("FAULTS_SHOW")) {
    int depth = 0;
    _Unwind_Backtrace(show, &depth);
  }
  if (mode == Mode::Kill && !isWrite)
    _exit(kKilled);
  return true;
}

template <typename Type> Type *next(Type *, const char *name) {
  const Inside guard;
  return reinterpret_cast<Type *>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) static const auto real = next(&::name, #name)

void *allocate(const char *function, size_t size, size_t alignment, bool throws) {
  if (mustFail(function)) {
    if (throws)
      throw std::bad_alloc();
    return nullptr;
  }
  void *memory =
      alignment ? __libc_memalign(alignment, size ? size : 1) : __libc_malloc(size ? size : 1);
  if (!memory && throws)
    throw std::bad_alloc();
  return memory;
}

} // namespace

EXPORTED void fairlead_faults_begin(long at, int how) {
  const Inside guard;
  {
    std::lock_guard lock(objectsMutex);
    dl_iterate_phdr(addObject, nullptr);
  }
  registering = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "__cxa_thread_atexit_impl"));
  count = 0;
  fired = 0;
  failing = at;
  mode = static_cast<Mode>(how);
  active = true;
}

EXPORTED long fairlead_faults_end() {
  active = false;
  return count;
}

EXPORTED long fairlead_faults_fired() { return fired; }

/// The function that was called at a point, the hash of its stack, and the name of the frame.
EXPORTED const char *fairlead_faults_point(long index, uint64_t *place, const char **frame) {
  const Inside guard;
  if (index < 0 || index >= std::min(count.load(), kMostPoints))
    return nullptr;
  *place = points[index].place;
  *frame = "?";
  const std::string *name = nullptr;
  const Object *object = objectOf(points[index].frame);
  if (object)
    object->of(points[index].frame, &name);
  if (name)
    *frame = name->c_str();
  return points[index].function;
}

/// For drivers that tests make: true if the call must fail.
EXPORTED int fairlead_faults_driver(const char *function) { return mustFail(function, true); }

// Memory.

EXPORTED void *malloc(size_t size) {
  if (mustFail("malloc")) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}
EXPORTED void *calloc(size_t number, size_t size) {
  // The C library aborts where it cannot register the destructor of a thread's variable.
  const auto caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  if (caller - registering > kLengthOfRegistering && mustFail("calloc")) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_calloc(number, size);
}
EXPORTED void *realloc(void *memory, size_t size) {
  if (mustFail("realloc")) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(memory, size);
}
EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
  if (mustFail("aligned_alloc")) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_memalign(alignment, size);
}
EXPORTED int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (mustFail("posix_memalign"))
    return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
void *operator new(size_t size) { return allocate("new", size, 0, true); }
void *operator new[](size_t size) { return allocate("new", size, 0, true); }
void *operator new(size_t size, std::align_val_t alignment) {
  return allocate("new", size, static_cast<size_t>(alignment), true);
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return allocate("new", size, static_cast<size_t>(alignment), true);
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return allocate("new (nothrow)", size, 0, false);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return allocate("new (nothrow)", size, 0, false);
}
// The C++ library's own operator delete calls free, which fits.

// Files, threads and processes.

#define CALL(result, name, parameters, arguments, error, failure)                                  \
  EXPORTED result name parameters {                                                                \
    REAL(name);                                                                                    \
    if (mustFail(#name)) {                                                                         \
      errno = error;                                                                               \
      return failure;                                                                              \
    }                                                                                              \
    return real arguments;                                                                         \
  }

#define OPEN(name, parameters, arguments)                                                          \
  EXPORTED int name parameters {                                                                   \
    REAL(name);                                                                                    \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    const mode_t access = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                \
    va_end(list);                                                                                  \
    if (mustFail(#name)) {                                                                         \
      errno = flags & O_CREAT ? ENOSPC : EMFILE;                                                   \
      return -1;                                                                                   \
    }                                                                                              \
    return real arguments;                                                                         \
  }
OPEN(open, (const char *path, int flags, ...), (path, flags, access))
OPEN(open64, (const char *path, int flags, ...), (path, flags, access))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, access))

/// The file is closed all the same.
EXPORTED int close(int file) {
  REAL(close);
  const bool fails = mustFail("close");
  const int result = real(file);
  if (!fails)
    return result;
  errno = EIO;
  return -1;
}

CALL(ssize_t, read, (int file, void *to, size_t size), (file, to, size), EIO, -1)
CALL(ssize_t, pread, (int file, void *to, size_t size, off_t at), (file, to, size, at), EIO, -1)
/// Half of the bytes are written before.
EXPORTED ssize_t write(int file, const void *from, size_t size) {
  REAL(write);
  if (!mustFail("write", false, true))
    return real(file, from, size);
  if (size > 1 && real(file, from, size / 2) < 0)
    return -1;
  if (mode == Mode::Kill)
    _exit(kKilled);
  errno = ENOSPC;
  return -1;
}
CALL(int, rename, (const char *from, const char *to), (from, to), ENOSPC, -1)
CALL(int, unlink, (const char *path), (path), EACCES, -1)
CALL(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), EACCES, -1)
CALL(int, mkdir, (const char *path, mode_t access), (path, access), ENOSPC, -1)
CALL(int, fsync, (int file), (file), EIO, -1)
CALL(int, futimens, (int file, const timespec *times), (file, times), EIO, -1)
CALL(int, fchmodat, (int folder, const char *path, mode_t access, int flags),
     (folder, path, access, flags), EPERM, -1)
CALL(int, ftruncate, (int file, off_t size), (file, size), ENOSPC, -1)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), EMFILE, -1)
CALL(void *, mmap, (void *at, size_t size, int access, int flags, int file, off_t offset),
     (at, size, access, flags, file, offset), ENOMEM, MAP_FAILED)
CALL(int, mprotect, (void *at, size_t size, int access), (at, size, access), ENOMEM, -1)
CALL(DIR *, opendir, (const char *path), (path), EMFILE, nullptr)
CALL(dirent *, readdir, (DIR * folder), (folder), EIO, nullptr)
CALL(ssize_t, readlink, (const char *path, char *to, size_t size), (path, to, size), EIO, -1)
CALL(char *, realpath, (const char *path, char *to), (path, to), EIO, nullptr)
CALL(int, statfs, (const char *path, struct statfs *to), (path, to), EIO, -1)
CALL(pid_t, fork, (), (), EAGAIN, -1)

// Functions of old versions of glibc have no declaration.
#define STATUS(name, first)                                                                        \
  EXPORTED int name(int version, first, struct stat *to) {                                         \
    static const auto real = next(&name, #name);                                                   \
    if (mustFail(#name)) {                                                                         \
      errno = EIO;                                                                                 \
      return -1;                                                                                   \
    }                                                                                              \
    return real(version, what, to);                                                                \
  }
STATUS(__xstat, const char *what)
STATUS(__lxstat, const char *what)
STATUS(__fxstat, int what)

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument) {
  REAL(pthread_create);
  if (mustFail("pthread_create"))
    return EAGAIN;
  return real(thread, attributes, start, argument);
}
EXPORTED int posix_spawn(pid_t *id, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const arguments[],
                         char *const variables[]) {
  REAL(posix_spawn);
  if (mustFail("posix_spawn"))
    return EAGAIN;
  return real(id, path, actions, attributes, arguments, variables);
}
