/// The storage that String and Bytes share: a TVMFFIAny that holds either small content or an
/// object.
#ifndef TVM_FFI_INNER_BYTES_CELL_H_
#define TVM_FFI_INNER_BYTES_CELL_H_

#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <cstring>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi {

/// Bytes on the heap: header, {data, size}, then usually the content itself and a NUL.
class BytesObj : public Object, public TVMFFIByteArray {
public:
  static constexpr int32_t _type_index = kTVMFFIBytes;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIBytes, BytesObj, Object)
};

/// Text on the heap, laid out like BytesObj.
class StringObj : public Object, public TVMFFIByteArray {
public:
  static constexpr int32_t _type_index = kTVMFFIStr;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIStr, StringObj, Object)
};
static_assert(sizeof(BytesObj) == 40 && sizeof(StringObj) == 40, "layout of heap strings");

namespace inner {
/// The longest content that fits into the 8 payload bytes with its NUL.
constexpr size_t kMaxSmallBytes = 7;

/// A heap object that took a std::string over.
template <typename ObjectType> class AdoptedBytesObj : public ObjectType {
public:
  explicit AdoptedBytesObj(std::string text) : text(std::move(text)) {
    this->data = this->text.data();
    this->size = this->text.size();
  }

private:
  std::string text;
};

/// A heap object with a copy of `text`.
template <typename ObjectType> ObjectPtr<ObjectType> makeHeapBytes(std::string_view text) {
  ObjectPtr<ObjectType> object = make_inplace_array_object<ObjectType, char>(text.size() + 1);
  char *content = reinterpret_cast<char *>(object.get() + 1);
  if (!text.empty())
    std::memcpy(content, text.data(), text.size());
  content[text.size()] = '\0';
  object->data = content;
  object->size = text.size();
  return object;
}

template <int32_t SmallIndex, typename ObjectType> class BytesCell {
public:
  using ContainerType = ObjectType;

  BytesCell() noexcept { setSmall({}); }
  BytesCell(const BytesCell &other) noexcept : data_(other.data_) { retain(); }
  BytesCell(BytesCell &&other) noexcept : data_(other.release()) {}
  BytesCell &operator=(const BytesCell &other) noexcept {
    BytesCell(other).swap(*this);
    return *this;
  }
  BytesCell &operator=(BytesCell &&other) noexcept {
    BytesCell(std::move(other)).swap(*this);
    return *this;
  }
  ~BytesCell() {
    if (onHeap())
      decRef(data_.v_obj);
  }

  const char *data() const noexcept { return onHeap() ? heap()->data : data_.v_bytes; }
  size_t size() const noexcept { return onHeap() ? heap()->size : data_.small_str_len; }
  size_t length() const noexcept { return size(); }
  bool empty() const noexcept { return size() == 0; }
  void swap(BytesCell &other) noexcept { std::swap(data_, other.data_); }

protected:
  explicit BytesCell(std::string_view text) {
    if (text.size() <= kMaxSmallBytes)
      setSmall(text);
    else
      setHeap(makeHeapBytes<ObjectType>(text));
  }
  explicit BytesCell(const std::string &text) : BytesCell(std::string_view(text)) {}
  explicit BytesCell(std::string &&text) {
    setHeap(make_object<AdoptedBytesObj<ObjectType>>(std::move(text)));
  }

  std::string_view view() const noexcept { return std::string_view(data(), size()); }
  bool onHeap() const noexcept { return data_.type_index >= kTVMFFIStaticObjectBegin; }

  /// Moves the value out; the empty one stays.
  TVMFFIAny release() noexcept {
    TVMFFIAny result = data_;
    setSmall({});
    return result;
  }
  /// Copies a value of the same kind. This cell is small before.
  void assignFrom(const TVMFFIAny &value) noexcept {
    data_ = value;
    retain();
  }
  /// Moves a value of the same kind out of its owner. This cell is small before.
  void takeFrom(TVMFFIAny *value) noexcept {
    data_ = *value;
    value->type_index = kTVMFFINone;
    value->zero_padding = 0;
    value->v_int64 = 0;
  }

  TVMFFIAny data_;

private:
  const TVMFFIByteArray *heap() const noexcept { return TVMFFIBytesGetByteArrayPtr(data_.v_obj); }
  void retain() noexcept {
    if (onHeap())
      incRef(data_.v_obj);
  }
  void setSmall(std::string_view text) noexcept {
    data_.type_index = SmallIndex;
    data_.small_str_len = static_cast<uint32_t>(text.size());
    data_.v_int64 = 0;
    for (size_t i = 0; i < text.size() && i < kMaxSmallBytes; ++i)
      data_.v_bytes[i] = text[i];
  }
  template <typename T> void setHeap(ObjectPtr<T> object) noexcept {
    data_.type_index = ObjectType::RuntimeTypeIndex();
    data_.zero_padding = 0;
    data_.v_int64 = 0;
    data_.v_obj = detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(object));
  }

  template <typename, int32_t, int32_t, int32_t> friend struct BytesTraits;
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_BYTES_CELL_H_
