/// Descriptions of arguments for `compile`: they hold no data.
#ifndef FAIRLEAD_DSL_FAKE_H_
#define FAIRLEAD_DSL_FAKE_H_

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/Signature.h"

namespace fairlead::dsl {

/// A symbolic extent. Copies are the same symbol: used in several places, it makes them equal.
class FAIRLEAD_API SymInt {
public:
  /// `width` is 32 or 64 bits; every value must be a multiple of `divisibility`.
  explicit SymInt(int64_t divisibility = 1, int width = 32);

private:
  friend class SignatureBuilder;
  std::shared_ptr<Symbol> symbol_;
};

/// An extent or stride of a fake tensor: a number (checked at the call) or a symbol.
using Dim = std::variant<int64_t, SymInt>;

/// Describes a tensor argument; holds no data.
struct FakeTensor {
  DType dtype;
  std::vector<Dim> shape;
  std::vector<Dim> strides; ///< empty: compact, the last mode fastest
  int64_t alignment = 1;    ///< bytes
};
/// Describes a scalar argument.
struct FakeScalar {
  DType dtype;
};
/// Describes a stream argument; of the environment: not passed, taken from the caller's TVM FFI
/// environment.
struct FakeStream {
  bool environment = false;
};
/// Describes the address of elements, which the body takes as a Pointer.
struct FakePointer {
  DType dtype;
  int64_t alignment = 1; ///< bytes; at least an element's
};
/// A SymInt describes an integer argument that is equal to the symbol's other places.
using Fake = std::variant<FakeTensor, FakeScalar, FakeStream, FakePointer, SymInt>;

/// A compact row-major tensor.
inline FakeTensor fakeTensor(DType dtype, std::vector<Dim> shape, int64_t alignment = 1) {
  return {dtype, std::move(shape), {}, alignment};
}

/// Makes a signature of argument descriptions; symbols are named n0, n1, ... by first appearance.
/// Throws fairlead::Error when the number of names differs from that of the arguments.
FAIRLEAD_API Signature makeSignature(const std::string &name,
                                     const std::vector<std::string> &parameters,
                                     const std::vector<Fake> &arguments);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_FAKE_H_
