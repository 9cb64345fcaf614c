#include "runtime/cpu/SharedArena.h"

#include <cstdlib>

namespace fairlead::cpu {
namespace {

constexpr size_t kAlignment = 1024; // what kernels may count on

struct Arena {
  void *memory = nullptr;
  size_t capacity = 0;
  bool lent = false;
  ~Arena() { std::free(memory); }
};

thread_local Arena arena;

void *allocate(size_t bytes) {
  return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

} // namespace

void SharedArenaScope::acquire(size_t bytes) {
  if (arena.lent) {
    memory = allocate(bytes);
    isPrivate = true;
    return;
  }
  if (arena.capacity < bytes) {
    std::free(arena.memory);
    arena.memory = allocate(bytes);
    arena.capacity = arena.memory ? bytes : 0;
  }
  memory = arena.memory;
  arena.lent = memory != nullptr;
}

void SharedArenaScope::release() {
  if (isPrivate)
    std::free(memory);
  else
    arena.lent = false;
}

} // namespace fairlead::cpu
