/// Files that are about to be handed to the dynamic linker: any bytes.
#include <cstring>

#include "runtime/ElfCheck.h"

namespace {

class Memory : public fairlead::runtime::ByteSource {
public:
  Memory(const uint8_t *data, size_t count) : data(data), count(count) {}
  uint64_t size() const override { return count; }
  bool read(uint64_t offset, void *out, size_t wanted) const override {
    if (offset > count || wanted > count - offset)
      return false;
    std::memcpy(out, data + offset, wanted);
    return true;
  }

private:
  const uint8_t *data;
  size_t count;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fairlead::runtime::checkElf(Memory(data, size));
  return 0;
}
