/// Memory for a few things on the stack, and for more on the heap.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_ROOM_H_
#define FAIRLEAD_LIB_FRAMEWORKS_ROOM_H_

#include <cstddef>
#include <vector>

namespace fairlead::frameworks {

template <typename T, size_t kCount> class Room {
public:
  /// Uninitialised on the stack. To be called once.
  T *take(size_t count) {
    if (count <= kCount)
      return inPlace;
    beyond.resize(count);
    return beyond.data();
  }

private:
  T inPlace[kCount];
  std::vector<T> beyond;
};

} // namespace fairlead::frameworks
#endif // FAIRLEAD_LIB_FRAMEWORKS_ROOM_H_
