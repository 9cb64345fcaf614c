/// Helpers of programs in the published C++ API: objects as their tests have them, and printing.
#ifndef FAIRLEAD_TESTS_INTEROP_PUBLISHED_H_
#define FAIRLEAD_TESTS_INTEROP_PUBLISHED_H_
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/tvm_ffi.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>
using namespace tvm::ffi; // NOLINT: as programs of the published API are written
namespace refl = tvm::ffi::reflection;
template <typename T> auto show1(std::ostream &o, const T &x, int) -> decltype(o << x, void()) {
  o << x;
}
template <typename T> void show1(std::ostream &o, const T &, long) { o << "<?>"; }
template <typename T> void S(const T &x) {
  std::ostringstream o;
  o << std::boolalpha;
  show1(o, x, 0);
  std::cout << o.str() << " ; ";
}
inline void S(const std::string &x) { std::cout << '"' << x << '"' << " ; "; }
inline void S(const char *x) { std::cout << '"' << (x ? x : "(null)") << '"' << " ; "; }
inline void S(bool x) { std::cout << (x ? "true" : "false") << " ; "; }
inline void S(const Any &x) { std::cout << "Any(" << x.GetTypeKey() << ") ; "; }
inline void S(const AnyView &x) { std::cout << "AnyView(" << x.GetTypeKey() << ") ; "; }
template <typename T> void S(const std::optional<T> &x) {
  if (x) {
    std::cout << "some ";
    S(*x);
  } else
    std::cout << "none ; ";
}

// A family of objects as tests have them.
class TNumberObj : public Object {
public:
  static constexpr uint32_t _type_child_slots = 2;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("test.published.Number", TNumberObj, Object);
};
class TNumber : public ObjectRef {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TNumber, ObjectRef, TNumberObj);
};
class TIntObj : public TNumberObj {
public:
  int64_t value;
  TIntObj(int64_t value) : value(value) {}
  explicit TIntObj(UnsafeInit) {}
  int64_t GetValue() const { return value; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.published.Int", TIntObj, TNumberObj);
};
class TInt : public TNumber {
public:
  explicit TInt(int64_t value) { data_ = make_object<TIntObj>(value); }
  static TInt StaticAdd(TInt a, TInt b);
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TInt, TNumber, TIntObj);
};
inline TInt TInt::StaticAdd(TInt a, TInt b) { return TInt(a->value + b->value); }
class TFloatObj : public TNumberObj {
public:
  double value = 10.0;
  TFloatObj() = default;
  TFloatObj(double value) : value(value) {}
  double Add(double other) const { return value + other; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.published.Float", TFloatObj, TNumberObj);
};
class TFloat : public TNumber {
public:
  explicit TFloat(double value) { data_ = make_object<TFloatObj>(value); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TFloat, TNumber, TFloatObj);
};
class TPrimExprObj : public Object {
public:
  std::string dtype;
  double value;
  TPrimExprObj(std::string dtype, double value) : dtype(dtype), value(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.published.PrimExpr", TPrimExprObj, Object);
};
class TPrimExpr : public ObjectRef {
public:
  explicit TPrimExpr(std::string dtype, double value) {
    data_ = make_object<TPrimExprObj>(dtype, value);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TPrimExpr, ObjectRef, TPrimExprObj);
};
class TVarObj : public Object {
public:
  std::string name;
  TVarObj(std::string name) : name(name) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.published.Var", TVarObj, Object);
};
class TVar : public ObjectRef {
public:
  explicit TVar(std::string name) { data_ = make_object<TVarObj>(name); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TVar, ObjectRef, TVarObj);
};
class TFuncObj : public Object {
public:
  Array<TVar> params;
  Array<ObjectRef> body;
  Optional<String> comment;
  TFuncObj() = default;
  TFuncObj(Array<TVar> params, Array<ObjectRef> body, Optional<String> comment)
      : params(params), body(body), comment(comment) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.published.Func", TFuncObj, Object);
};
class TFunc : public ObjectRef {
public:
  explicit TFunc(Array<TVar> params, Array<ObjectRef> body, Optional<String> comment) {
    data_ = make_object<TFuncObj>(params, body, comment);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TFunc, ObjectRef, TFuncObj);
};
namespace tvm {
namespace ffi {
template <> inline constexpr bool use_default_type_traits_v<TPrimExpr> = false;
template <>
struct TypeTraits<TPrimExpr>
    : public ObjectRefWithFallbackTraitsBase<TPrimExpr, StrictBool, int64_t, double, String> {
  static TPrimExpr ConvertFallbackValue(StrictBool value) {
    return TPrimExpr("bool", static_cast<double>(value));
  }
  static TPrimExpr ConvertFallbackValue(int64_t value) {
    return TPrimExpr("int64", static_cast<double>(value));
  }
  static TPrimExpr ConvertFallbackValue(double value) { return TPrimExpr("float32", value); }
  static TPrimExpr ConvertFallbackValue(String value) { return TPrimExpr(value, 0); }
};
} // namespace ffi
} // namespace tvm
TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<TIntObj>()
      .def_rw("value", &TIntObj::value, "value field", refl::DefaultValue(10))
      .def_static("static_add", &TInt::StaticAdd, "static add")
      .def("get_value", &TIntObj::GetValue);
  refl::ObjectDef<TFloatObj>()
      .def_ro("value", &TFloatObj::value, "float value field", refl::DefaultValue(10.0))
      .def(
          "sub", [](const TFloatObj *self, double other) -> double { return self->value - other; },
          "sub")
      .def("add", &TFloatObj::Add, "add");
  refl::ObjectDef<TVarObj>().def_ro("name", &TVarObj::name, refl::AttachFieldFlag::SEqHashIgnore());
  refl::ObjectDef<TFuncObj>()
      .def_ro("params", &TFuncObj::params, refl::AttachFieldFlag::SEqHashDefPattern())
      .def_ro("body", &TFuncObj::body)
      .def_ro("comment", &TFuncObj::comment, refl::AttachFieldFlag::SEqHashIgnore());
}
struct CPUNDAlloc {
  void AllocData(DLTensor *t) { t->data = malloc(GetDataSize(*t)); }
  void FreeData(DLTensor *t) { free(t->data); }
};
inline Tensor Empty(Shape shape, DLDataType dtype = DLDataType{kDLFloat, 32, 1},
                    DLDevice dev = DLDevice{kDLCPU, 0}) {
  return Tensor::FromNDAlloc(CPUNDAlloc(), shape, dtype, dev);
}
enum class En : int { A = 1, B = 2 };

/// The programs that this executable holds, by name.
inline std::map<std::string, void (*)()> &programs() {
  static std::map<std::string, void (*)()> all;
  return all;
}
/// Begins a program. The first argument of the executable chooses the one that runs.
#define PROGRAM(name)                                                                              \
  static void run##name();                                                                         \
  static const bool has##name = programs().emplace(#name, &run##name).second;                      \
  static void run##name()

/// Runs a part and prints its output, or the error that ends it.
template <typename F> void show(int line, F part) {
  std::cout << "[" << line << "] ";
  try {
    part();
  } catch (const Error &e) {
    std::cout << "!" << e.kind() << ": " << e.message();
  } catch (const std::exception &e) {
    std::cout << "!std " << e.what();
  }
  std::cout << std::endl;
}
#endif // FAIRLEAD_TESTS_INTEROP_PUBLISHED_H_
