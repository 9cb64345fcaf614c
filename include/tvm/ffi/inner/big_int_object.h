/// The object behind a BigInt that does not fit int64_t, and access to its words.
#ifndef TVM_FFI_INNER_BIG_INT_OBJECT_H_
#define TVM_FFI_INNER_BIG_INT_OBJECT_H_

#include <tvm/ffi/big_int.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

/// Words of an integer right after the object, least significant first, in two's complement. Made
/// by make_inplace_array_object<BigIntObj, int64_t>(n, n), with words that are still to be written;
/// BigIntUnsafe::Normalize makes a value of it.
class BigIntObj : public Object {
public:
  explicit BigIntObj(size_t size) : size_(size) {}
  BigIntObj(const BigIntObj &) = delete;
  BigIntObj &operator=(const BigIntObj &) = delete;

  static constexpr int32_t _type_index = kTVMFFIBigInt;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIBigInt, BigIntObj, Object)

private:
  size_t size_;

  friend struct BigIntUnsafe;
};
static_assert(sizeof(BigIntObj) == 32, "layout of BigInt");

/// Access to the words, for code that keeps the form canonical itself.
struct BigIntUnsafe {
  static bool CheckInt64(const BigInt &value) { return !value.onHeap(); }
  static bool CheckInt64(const int64_t &) { return true; }
  /// Of a value for which CheckInt64 holds.
  static int64_t GetInt64(const BigInt &value) { return value.data_.v_int64; }
  static int64_t GetInt64(const int64_t &value) { return value; }

  static BigInt::ArrayView GetArrayView(const int64_t &value) {
    return BigInt::ArrayView(&value, 1);
  }
  static BigInt::ArrayView GetArrayView(const TVMFFIAny *value) {
    TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(value);
    return BigInt::ArrayView(reinterpret_cast<const int64_t *>(bytes.data),
                             bytes.size / sizeof(int64_t));
  }
  static BigInt::ArrayView GetArrayView(const BigInt &value) { return GetArrayView(&value.data_); }
  static BigInt::ArrayView GetArrayView(const BigIntObj *object) {
    return BigInt::ArrayView(reinterpret_cast<const int64_t *>(object + 1), object->size_);
  }
  static BigInt::ArrayView GetArrayView(const ObjectPtr<BigIntObj> &object) {
    return GetArrayView(object.get());
  }
  static int64_t *GetMutableData(const ObjectPtr<BigIntObj> &object) {
    return reinterpret_cast<int64_t *>(object.get() + 1);
  }
  /// Forgets the words from `size` on.
  static void ShrinkSize(const ObjectPtr<BigIntObj> &object, size_t size) { object->size_ = size; }
  /// The value of an object that nobody else has: in it, or outside where it fits int64_t.
  static BigInt Normalize(ObjectPtr<BigIntObj> object) {
    const int64_t *words = GetMutableData(object);
    size_t size = object->size_;
    while (size > 1 && words[size - 1] == (words[size - 2] < 0 ? -1 : 0))
      --size;
    if (size == 0)
      return BigInt();
    if (size == 1)
      return BigInt(words[0]);
    ShrinkSize(object, size);
    BigInt result;
    inner::setObject(ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(object)),
                     &result.data_);
    return result;
  }

  /// A value of words that are lent, of any form.
  static BigInt FromArrayView(BigInt::ArrayView words) {
    TVMFFIByteArray bytes{reinterpret_cast<const char *>(&words[0]),
                          words.size() * sizeof(int64_t)};
    BigInt result;
    TVMFFIAny raw;
    if (TVMFFIBigIntFromByteArray(&bytes, &raw) != 0)
      throw MoveFromSafeCallRaised();
    result.data_ = raw;
    return result;
  }
};

/// Arithmetic on words.
namespace int_ops {
inline bool IsNegative(BigInt::ArrayView words) { return words[words.size() - 1] < 0; }
inline bool IsNormalizedZero(BigInt::ArrayView words) { return words.size() == 1 && words[0] == 0; }
/// Quotient and remainder, both cut towards zero. ZeroDivisionError for a divisor of 0.
inline std::pair<BigInt, BigInt> DivRemFallback(BigInt::ArrayView a, BigInt::ArrayView b) {
  BigInt dividend = BigIntUnsafe::FromArrayView(a), divisor = BigIntUnsafe::FromArrayView(b);
  return {truncdiv(dividend, divisor), truncmod(dividend, divisor)};
}
inline std::pair<BigInt, BigInt> DivRemFallback(BigInt::ArrayView a, int64_t b) {
  return DivRemFallback(a, BigIntUnsafe::GetArrayView(b));
}
} // namespace int_ops
} // namespace detail
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_BIG_INT_OBJECT_H_
