/// The tensors of a checked call: the memory that its kernels may access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::check {

/// A tensor of the call: bytes [begin, end).
struct CallTensor {
  std::string name, type;
  char *data, *begin, *end;
  int bits; ///< of an element
  std::vector<int64_t> extents, strides;

  /// "a[3, 5]", or "a" for an address that is no element's.
  [[gnu::cold]] std::string element(const char *address) const;
  /// "a: Float32 (4, 8)"
  [[gnu::cold]] std::string str() const;
};

using CallTensors = std::vector<CallTensor>;

/// The tensors of the call that this thread makes.
CallTensors &callTensors();

/// Returns the tensor that contains the address, or null.
const CallTensor *tensorAt(const CallTensors &tensors, const void *address);

} // namespace fairlead::check
