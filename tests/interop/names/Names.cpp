/// The public macros and classes that the other programs do not use, printed. Compiled with either
/// project's headers and run with either library, it prints the same.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/tvm_ffi.h>

#include <iostream>
#include <string>
#include <unordered_map>
#include <unordered_set>

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

static_assert(TVM_FFI_VERSION_MAJOR == 0 && TVM_FFI_VERSION_MINOR == 1);
static_assert(TVM_FFI_VERSION_PATCH >= 16);
static_assert(TVM_FFI_LITTLE_ENDIAN == 1 && TVM_FFI_IO_NO_ENDIAN_SWAP == 1);
static_assert(TVM_FFI_IO_USE_LITTLE_ENDIAN == 1);
static_assert(is_valid_iterator<ObjectRef, Array<int> *>::value &&
              is_valid_iterator<Any, int *>::value && !is_valid_iterator<int, String *>::value);
static_assert(TypeToFieldStaticTypeIndex<int>::value == TypeIndex::kTVMFFIInt &&
              TypeToFieldStaticTypeIndex<Any>::value == TypeIndex::kTVMFFIAny);
static_assert(std::is_base_of_v<TypeTraitsIntBase<int>, TypeTraits<int>>);

namespace {

template <typename F> void show(const char *label, F f) {
  std::cout << label << ": ";
  try {
    f();
    std::cout << "\n";
  } catch (const Error &error) {
    std::cout << "!" << error.kind() << ": " << error.message() << "\n";
  }
}

TVM_FFI_INLINE int inlined(int x) { return x + 1; }
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE int cold(int x) { return x + 2; }
TVM_FFI_ATTRIBUTE_PURE int pure(int x) { return x + 3; }
int TVM_FFI_STR_CONCAT(joined, Name) = 4;

int chosen(int x) {
  TVM_FFI_UNSAFE_ASSUME(x > 0);
  if (TVM_FFI_PREDICT_FALSE(x > 100))
    return 100;
  if (TVM_FFI_PREDICT_TRUE(x > 0))
    return x;
  TVM_FFI_UNREACHABLE();
}

void checks(int x, int y, const int *pointer) {
  show("CHECK", [&] { TVM_FFI_CHECK(x == y, ValueError) << "text " << x; });
  show("CHECK_EQ", [&] { TVM_FFI_CHECK_EQ(x, y, ValueError) << "text"; });
  show("CHECK_NE", [&] { TVM_FFI_CHECK_NE(x, y, TypeError); });
  show("CHECK_LT", [&] { TVM_FFI_CHECK_LT(x, y, IndexError); });
  show("CHECK_LE", [&] { TVM_FFI_CHECK_LE(x, y, KeyError); });
  show("CHECK_GT", [&] { TVM_FFI_CHECK_GT(x, y, RuntimeError); });
  show("CHECK_GE", [&] { TVM_FFI_CHECK_GE(x, y, RuntimeError); });
  show("CHECK_NOTNULL", [&] { (void)TVM_FFI_CHECK_NOTNULL(pointer, ValueError); });
  show("ICHECK", [&] { TVM_FFI_ICHECK(x == y) << "text"; });
  show("ICHECK_EQ", [&] { TVM_FFI_ICHECK_EQ(x, y); });
  show("ICHECK_NE", [&] { TVM_FFI_ICHECK_NE(x, y); });
  show("ICHECK_LT", [&] { TVM_FFI_ICHECK_LT(x, y); });
  show("ICHECK_LE", [&] { TVM_FFI_ICHECK_LE(x, y); });
  show("ICHECK_GT", [&] { TVM_FFI_ICHECK_GT(x, y); });
  show("ICHECK_GE", [&] { TVM_FFI_ICHECK_GE(x, y); });
  show("ICHECK_NOTNULL", [&] { (void)TVM_FFI_ICHECK_NOTNULL(pointer); });
  show("DCHECK", [&] {
    TVM_FFI_DCHECK(x == x);
    TVM_FFI_DCHECK_EQ(x, x);
    TVM_FFI_DCHECK_NE(x, x + 1);
    TVM_FFI_DCHECK_LT(x, x + 1);
    TVM_FFI_DCHECK_LE(x, x);
    TVM_FFI_DCHECK_GT(x + 1, x);
    TVM_FFI_DCHECK_GE(x, x);
    TVM_FFI_DCHECK_NOTNULL(&x);
  });
}

Expected<int> returned(int which, int x, int y) {
  switch (which) {
  case 0:
    TVM_FFI_RET_CHECK_NE(x, y, ValueError) << "text";
    break;
  case 1:
    TVM_FFI_RET_CHECK_LT(x, y, ValueError);
    break;
  case 2:
    TVM_FFI_RET_CHECK_LE(x, y, ValueError);
    break;
  case 3:
    TVM_FFI_RET_CHECK_GT(x, y, ValueError);
    break;
  case 4:
    TVM_FFI_RET_CHECK_GE(x, y, ValueError);
    break;
  case 5:
    TVM_FFI_RET_ICHECK(x == y);
    break;
  case 6:
    TVM_FFI_RET_ICHECK_EQ(x, y);
    break;
  case 7:
    TVM_FFI_RET_ICHECK_NE(x, y);
    break;
  case 8:
    TVM_FFI_RET_ICHECK_GT(x, y);
    break;
  case 9:
    TVM_FFI_RET_ICHECK_LE(x, y);
    break;
  case 10:
    TVM_FFI_RET_ICHECK_GE(x, y);
    break;
  default:
    return Unexpected(Error("ValueError", "no such check", ""));
  }
  return x;
}

int safeCall(void *, const TVMFFIAny *args, int32_t numArgs, TVMFFIAny *result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  PackedArgs packed(reinterpret_cast<const AnyView *>(args), numArgs);
  int sum = 0;
  for (int i = 0; i < packed.size(); ++i)
    sum += packed[i].cast<int>();
  *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(sum));
  TVM_FFI_SAFE_CALL_END();
}

int logged() {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  return 5;
  TVM_FFI_LOG_EXCEPTION_CALL_END(logged);
}

class Copied {
public:
  Copied() = default;
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Copied);
  int value = 6;
};

class KeyedObj : public Object {
public:
  static constexpr const char *_type_key = "interop.Keyed";
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(KeyedObj, Object);
};

Expected<UnchangedOr<Any>> unchecked(Expected<UnchangedOr<Any>> given) {
  TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int>, number, std::move(given));
  return UnchangedOr<Any>(Any(std::move(number).ValueOrUnchanged(5) + 1));
}

/// A type of a third party: a length, from numbers and texts.
struct Length {
  int64_t value;
};

int64_t twice(const Any &value) { return value.cast<int64_t>() * 2; }

std::string nameOf(AnyView value) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  return value.GetTypeKey();
  TVM_FFI_LOG_EXCEPTION_CALL_END(nameOf);
}

} // namespace

template <> inline constexpr bool tvm::ffi::use_default_type_traits_v<Length> = false;
template <>
struct tvm::ffi::TypeTraits<Length> : public FallbackOnlyTraitsBase<Length, int64_t, String> {
  static std::string TypeStr() { return "Length"; }
  static Length ConvertFallbackValue(int64_t value) { return Length{value}; }
  static Length ConvertFallbackValue(const String &text) {
    return Length{static_cast<int64_t>(text.size())};
  }
};

namespace {
void classes() {
  show("lengths", [] {
    Function f = Function::FromTyped([](Length length) { return length.value; }, "length");
    std::cout << f(3).cast<int>() << f("four").cast<int>();
    f(1.5);
  });
  show("StrictBool", [] {
    Function f = Function::FromTyped([](StrictBool flag) { return static_cast<bool>(flag); }, "f");
    std::cout << f(true).cast<bool>();
    f(1);
  });
  show("RValueRef", [] {
    Function f = Function::FromTyped(
        [](RValueRef<Array<int>> moved) { return (*std::move(moved)).use_count(); }, "moved");
    Array<int> array{1, 2};
    std::cout << f(RValueRef(std::move(array))).cast<int>() << array.defined();
  });
  show("PackedArgs", [] {
    Function f = Function::FromPacked(
        [](PackedArgs args, Any *result) { *result = args.size() * 10 + args[1].cast<int>(); });
    std::cout << f(1, 2, 3).cast<int>();
  });
  show("FunctionObj", [] {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(nullptr, &safeCall, nullptr, &handle));
    TVMFFIAny raw{};
    raw.type_index = kTVMFFIFunction;
    raw.v_obj = static_cast<TVMFFIObject *>(handle);
    Any any = detail::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
    std::cout << any.cast<Function>()(1, 2, 3).cast<int>()
              << (any.as<FunctionObj>()->cpp_call == nullptr);
    any.cast<Function>()(1, "x");
  });
  show("ErrorObj", [] {
    Error error("ValueError", "text", "");
    const ErrorObj *object = error.as<ErrorObj>();
    std::cout << std::string(object->message.data, object->message.size) << sizeof(ErrorObj);
  });
  show("ShapeView", [] {
    Shape shape{1, 2, 3};
    ShapeView view = shape;
    std::cout << view.size() << view[2] << view.Product() << shape.as<ShapeObj>()->size;
  });
  show("hash of pointers", [] {
    String text("a text that is long");
    Array<int> a{1}, b{1};
    std::unordered_set<ObjectRef, ObjectPtrHash, ObjectPtrEqual> set{a, b, a};
    std::cout << set.size() << text.size();
  });
  show("type keys", [] {
    std::cout << StaticTypeKey::kTVMFFIInt << StaticTypeKey::kTVMFFIArray
              << TypeTraitsBase::storage_enabled << nameOf(1);
    std::cout << ObjectRefTypeTraitsBase<Array<int>>::storage_enabled
              << ObjectRefWithFallbackTraitsBase<Function, int>::storage_enabled;
  });
  show("layouts", [] {
    std::cout << sizeof(SeqBaseObj) << ' ' << sizeof(MapBaseObj) << ' ' << sizeof(ModuleObj) << ' '
              << sizeof(TVMFFISeqCell) << ' ' << sizeof(refl::AccessStepObj) << ' '
              << sizeof(refl::AccessPathObj) << ' ' << sizeof(EnumStateObj) << ' '
              << sizeof(IntEnumObj) << ' ' << sizeof(StrEnumObj) << ' ' << sizeof(StructuralKeyObj)
              << ' ' << sizeof(VisitInterruptObj) << ' ' << sizeof(VisitErrorContextObj) << ' '
              << sizeof(StructuralMutatorVTable) << ' ' << sizeof(StructuralMapEngineBase) << ' '
              << sizeof(Enum) << sizeof(StrEnum) << sizeof(StructuralVisitor)
              << sizeof(StructuralMutator);
  });
  show("structural", [] {
    Array<Any> a{1, "x"}, b{1, "x"}, c{2, "x"};
    std::cout << StructuralEqual()(a, b) << StructuralEqual()(a, c)
              << (StructuralHash()(a) == StructuralHash()(b));
    std::unordered_map<StructuralKey, int> map{{StructuralKey(a), 1}};
    std::cout << map.count(StructuralKey(b)) << map.count(StructuralKey(c));
  });
  show("access", [] {
    refl::AccessStep step = refl::AccessStep::ArrayItem(3);
    std::cout << static_cast<int>(step->kind) << (step->kind == refl::AccessKind::kArrayItem);
  });
  show("native functions", [] {
    using View = refl::NativeFunctionView<int64_t(const Any &)>;
    constexpr refl::AttrKey<View> key{"__any_hash__"};
    View view = View::FromNative<&twice>();
    refl::NativeFunction<int64_t(const Any &)> owned(view);
    std::cout << view(Any(4)) << owned(Any(5)) << key.name;
    view(Any("text"));
  });
  show("unchecked", [] {
    std::cout
        << unchecked(UnchangedOr<Any>(Any(2))).value().ValueOrUnchanged(Any()).cast<int>()
        << unchecked(UnchangedOr<Any>(Unchanged())).value().ValueOrUnchanged(Any()).cast<int>();
    unchecked(Expected<UnchangedOr<Any>>(Error("KeyError", "k", ""))).value();
  });
  show("keyed",
       [] { std::cout << ObjectRef(make_object<KeyedObj>()).GetTypeKey() << sizeof(IntEnum); });
  show("null object", [] { Array<int> array((ObjectPtr<Object>())); });
  show("TypeToRuntimeTypeIndex", [] {
    std::cout << TypeToRuntimeTypeIndex<int>::v() << " " << TypeToRuntimeTypeIndex<String>::v()
              << " " << TypeToRuntimeTypeIndex<Map<int, int>>::v();
  });
  show("UnsafeInit", [] { std::cout << Array<int>(UnsafeInit()).defined(); });
  show("dtype_trait", [] {
    DLDataType dtype = dtype_trait<float>::value;
    std::cout << dtype << dtype_trait<int16_t>::value;
  });
}
} // namespace

static int back(int x) { return x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(interop_names, back);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(interop_names, "Gives x back.");

int main() {
  std::cout << inlined(1) << cold(1) << pure(1) << joinedName << chosen(7) << logged()
            << Copied().value << "\n";
  int seven = 7;
  checks(1, 2, &seven);
  checks(2, 1, nullptr);
  checks(2, 2, &seven);
  for (int which = 0; which <= 11; ++which)
    for (int y = 1; y <= 3; ++y) {
      Expected<int> result = returned(which, 2, y);
      std::cout << which << y << " "
                << (result.is_ok() ? std::to_string(result.value()) : result.error().message())
                << "\n";
    }
  classes();
  for (auto function : {&__tvm_ffi__doc_interop_names, &__tvm_ffi__metadata_interop_names}) {
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(function(nullptr, nullptr, 0, reinterpret_cast<TVMFFIAny *>(&result)));
    std::cout << result.cast<String>() << "\n";
  }
  return 0;
}
