/// Uses that programs outside of tests make of the published API: in templates, namespaces and
/// containers of their own.
#include "Published.h"
#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <memory>
#include <numeric>
#include <string_view>
#include <thread>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/endian.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/rvalue_ref.h>
namespace other {
namespace ffi = tvm::ffi;
struct Counted {
  int n = 0;
  void AllocData(DLTensor *t, int fill) {
    ++n;
    t->data = malloc(ffi::GetDataSize(*t));
    memset(t->data, fill, ffi::GetDataSize(*t));
  }
  void FreeData(DLTensor *t) {
    free(t->data);
    std::cout << "freed ; ";
  }
};
// A class template over an object type.
template <typename T> class BoxObj : public ffi::Object {
public:
  T value;
  BoxObj(T v) : value(std::move(v)) {}
  static constexpr bool _type_mutable = true;
  static const char *Key() { return "x"; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("other.Box", BoxObj, ffi::Object);
};
class Box : public ffi::ObjectRef {
public:
  explicit Box(int64_t v) : ffi::ObjectRef(ffi::make_object<BoxObj<int64_t>>(v)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Box, ffi::ObjectRef, BoxObj<int64_t>);
};
template <typename... Args> ffi::Array<ffi::Any> pack(Args &&...args) {
  return ffi::Array<ffi::Any>{ffi::Any(std::forward<Args>(args))...};
}
template <typename K, typename V, template <class...> class M> size_t count(const M<K, V> &m) {
  return m.size();
}
int32_t forward(ffi::PackedArgs args, ffi::Any *rv) {
  *rv = args.size();
  return 0;
}
struct Pet : public ffi::Object {
  std::string log;
  void Set(int x) { log += "i" + std::to_string(x); }
  void Set(const std::string &s) { log += "s" + s; }
  int Get(int x) { return x; }
  int Get(int x) const { return -x; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("other.Pet", Pet, ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  namespace r = ffi::reflection;
  r::ObjectDef<BoxObj<int64_t>>(r::init(false))
      .def_rw("value", &BoxObj<int64_t>::value, "v", r::default_value(3));
  r::OverloadObjectDef<Pet>(r::init(false))
      .def("set", r::overload_cast<int>(&Pet::Set))
      .def("set", [](Pet *p, double d) { p->log += "d"; });
  r::GlobalDef()
      .def("other.add", [](int a, int b) { return a + b; })
      .def_packed("other.pack", [](ffi::PackedArgs a, ffi::Any *r) { *r = a.size(); });
}
} // namespace other

using namespace other;
PROGRAM(Everyday) {
  show(0, [] {
    Tensor t = Tensor::FromNDAlloc(Counted(), Shape({2, 3}), DLDataType{kDLUInt, 8, 1},
                                   DLDevice{kDLCPU, 0}, 7);
    S((int)static_cast<uint8_t *>(t.data_ptr())[5]);
    S(t.IsContiguous());
    S(t.numel());
    S(t.ndim());
    S(t.size(-1));
    S(t.stride(0));
    S(t.shape());
    S(t.strides());
    for (auto d : t.shape())
      S(d);
    TensorView v = t;
    S(v.size(1));
    S(v.dtype().bits);
    S(v.device().device_type);
    S(v.byte_offset());
    S(t.use_count());
    Tensor w = t.as_strided({3, 2}, {1, 3}, 1);
    S(w.size(0));
    S(w.IsContiguous());
    S(w.byte_offset());
  });
  show(1, [] {
    auto a = pack(1, "two", 3.0, nullptr, true, String("s"), Box(4));
    S(a.size());
    for (const Any &x : a)
      S(x);
    for (auto it = a.rbegin(); it != a.rend(); ++it)
      S(*it);
    S(std::distance(a.begin(), a.end()));
    auto f =
        std::find_if(a.begin(), a.end(), [](const Any &x) { return x.as<double>().has_value(); });
    S(f - a.begin());
    S(a.front());
    S(a.back());
  });
  show(2, [] {
    Array<int> a{3, 1, 2};
    std::vector<int> v(a.begin(), a.end());
    std::sort(v.begin(), v.end());
    Array<int> b(v.begin(), v.end());
    S(b[0]);
    S(std::accumulate(b.begin(), b.end(), 0));
    a.Set(0, 9);
    S(a[0]);
    a.insert(a.begin() + 1, 7);
    S(a[1]);
    a.erase(a.begin());
    S(a.size());
    a.resize(5);
    S(a[4]);
    a.clear();
    S(a.empty());
    auto c = b.Map([](int x) { return String(std::to_string(x)); });
    S(c[2]);
    static_assert(std::is_same_v<decltype(c), Array<String>>);
    b.MutateByApply([](int x) { return x * 2; });
    S(b[2]);
    S(Concat(b, b).size());
    Array<int> d(size_t(4), 1);
    S(d.size());
    S(d.capacity() >= 4);
    b.reserve(10);
    S(b.capacity() >= 10);
    b.pop_back();
    S(b.size());
  });
  show(3, [] {
    Map<String, Array<int>> m{{"a", {1, 2}}, {"b", {}}};
    S(m.size());
    S(m.at("a").size());
    S(m["b"].empty());
    S(m.count("c"));
    for (auto [k, v] : m) {
      S(k);
      S(v.size());
    }
    for (const auto &kv : m)
      S(kv.first);
    m.Set("c", {3});
    S(m.Get("c").value()[0]);
    S(m.Get("zz").has_value());
    m.erase("a");
    S(m.find("a") == m.end());
    S((*m.find("c")).second[0]);
    S(count(m));
    m.clear();
    S(m.empty());
    m.at("x");
  });
  show(4, [] {
    Dict<int, Any> d{{1, "x"}};
    d.Set(2, 3.5);
    d.Set(1, Array<int>{1});
    S(d.size());
    S(d[1]);
    for (auto &&[k, v] : d) {
      S(k);
      S(v);
    }
    Dict<int, Any> e = d;
    e.erase(1);
    S(d.size());
    std::map<std::string, int> sm{{"q", 1}};
    Map<String, int> fm(sm.begin(), sm.end());
    S(fm["q"]);
    std::unordered_map<String, int> um;
    um["a"] = 2;
    S(um.at(String("a")));
  });
  show(5, [] {
    std::unordered_map<ObjectRef, int, ObjectPtrHash, ObjectPtrEqual> byPtr;
    Box b(1);
    byPtr[b] = 2;
    S(byPtr.at(b));
    std::unordered_set<Any, AnyHash, AnyEqual> set;
    set.insert(1);
    set.insert(1);
    set.insert("a");
    set.insert(String("a"));
    S(set.size());
    std::set<String> ss{"b", "a"};
    S(*ss.begin());
    std::unordered_map<Any, int, StructuralHash, StructuralEqual> st;
    st[Array<int>{1}] = 1;
    S(st.count(Array<int>{1}));
  });
  show(6, [] {
    String s = "abc";
    s = s + "d" + std::string("e") + String("f");
    S(s);
    S(s.size());
    S(s.length());
    S(s.at(1));
    S(s == "abcdef");
    S("abcdef" == s);
    S(s < "b");
    S(s.compare("abc"));
    S(s.empty());
    S(std::string(s));
    S(s.find("cd"));
    S(s.find("zz") == String::npos);
    S(s.substr(1, 2));
    S(s.starts_with("ab"));
    S(s.ends_with("f"));
    S(std::hash<String>()(s) == std::hash<String>()(String("abcdef")));
    S(String("a\0b", 3).size());
    S(s.c_str());
    S(s.data());
    std::ostringstream o;
    o << s << Bytes("xy") << AnyView(3) << make_object<TIntObj>(3) << Any("t") << TInt(4)
      << Array<int>{1};
    S(o.str());
  });
  show(7, [] {
    Function f = Function::GetGlobalRequired("other.add");
    S(f(1, 2).cast<int>());
    int r = f(3, 4).cast<int>();
    S(r);
    std::optional<Function> g = Function::GetGlobal("nothing.here");
    S(g.has_value());
    TypedFunction<int(int, int)> t = f;
    S(t(5, 6));
    auto e = f.CallExpected<int>(1, "x");
    S(e.is_err());
    S(e.error().message());
    S(f.CallExpected<int>(1, 1).value());
    S(Function::GetGlobal("other.pack").value()(1, 2, 3).cast<int>());
    f(1);
  });
  show(8, [] {
    Function f = Function::FromPacked([](const AnyView *args, int32_t n, Any *rv) { *rv = n; });
    S(f(1, 2).cast<int>());
    Function g = Function::FromPacked(
        [](PackedArgs a, Any *rv) { *rv = a[0].cast<int>() + a.Slice(1).size(); });
    S(g(1, 2, 3).cast<int>());
    AnyView av[2] = {1, 2};
    Any out;
    g.CallPacked(av, 2, &out);
    S(out.cast<int>());
    g.CallPacked(PackedArgs(av, 2), &out);
    S(out.cast<int>());
    auto lambda = [x = std::make_shared<int>(1)](int y) { return *x += y; };
    Function h = Function::FromTyped(lambda, "counter");
    h(2);
    S(h(3).cast<int>());
    h("bad");
  });
  show(9, [] {
    auto divide = [](int a, int b) -> Expected<int> {
      if (b == 0)
        return Error("ValueError", "Division by zero", "");
      return a / b;
    };
    Expected<int> r = divide(10, 2);
    S(r.is_ok());
    S(r.value());
    Expected<int> q = divide(1, 0);
    S(q.is_err());
    S(q.error().kind());
    S(q.value_or(9));
    Expected<String> s = String("x");
    S(std::move(s).value());
    Expected<int> u = Unexpected(Error("KeyError", "k", ""));
    S(u.error().kind());
    Function f = Function::FromTyped(divide);
    S(f(8, 2).cast<int>());
    f(1, 0);
  });
  show(10, [] {
    Any a = 1;
    S(a.as<int>().value());
    a = "text";
    S(a.as<String>().value());
    S(a.cast<std::string>());
    S(a == nullptr);
    S(a != nullptr);
    a.reset();
    S(a == nullptr);
    Any b = Box(2);
    S(b.as<BoxObj<int64_t>>()->value);
    S(b.cast<Box>()->value);
    S(b.try_cast<TInt>().has_value());
    Any c = std::move(b);
    S(b == nullptr);
    S(c.cast<ObjectRef>().use_count());
    AnyView v = c;
    S(v.type_index() == c.type_index());
    S(v.GetTypeKey());
    ObjectRef o = c.cast<Box>();
    S(o.as<Box>().has_value());
    S(o.as<BoxObj<int64_t>>()->value);
    S(o->IsInstance<Object>());
    S(o->GetTypeKey());
    S(o.defined());
    S(o.same_as(c.cast<ObjectRef>()));
    c.cast<int>();
  });
  show(11, [] {
    Variant<int, String, Array<int>> v = 1;
    S(v.get<int>());
    v = String("s");
    S(v.get<String>());
    S(v.as<int>().has_value());
    v = Array<int>{1};
    S(v.as<Array<int>>().value().size());
    Any a = v;
    S(a.cast<Variant<int, String, Array<int>>>().GetTypeKey());
    Tuple<int, String, double> t(1, "b", 2.5);
    S(t.get<0>());
    t.Set<0>(5);
    S(t.get<0>());
    Any ta = t;
    S(ta.cast<Tuple<double, String, double>>().get<0>());
    ta.cast<Tuple<int, int, double>>();
  });
  show(12, [] {
    ObjectPtr<TIntObj> p = make_object<TIntObj>(4);
    S(p->value);
    S(p.use_count());
    S(p.unique());
    ObjectPtr<Object> q = p;
    S(q.use_count());
    WeakObjectPtr<TIntObj> w = p;
    S(w.lock()->value);
    S(w.expired());
    p.reset();
    q = nullptr;
    S(w.expired());
    S(w.lock() == nullptr);
    auto a = make_object<TIntObj>(6);
    S(a->value);
    ObjectRef r = GetRef<ObjectRef>(a.get());
    S(r.use_count());
    TInt t = GetRef<TInt>(a.get());
    S(t->value);
    S(ObjectPtr<TIntObj>(GetObjectPtr<TIntObj>(a.get())).use_count());
  });
  show(13, [] {
    try {
      TVM_FFI_THROW(IndexError) << "i=" << 3 << " s=" << String("s");
    } catch (const Error &e) {
      S(e.kind());
      S(e.message());
      S(std::string(e.what()).find("IndexError: i=3") != std::string::npos);
      S(e.backtrace().size() > 0);
      S(e.TracebackMostRecentCallLast().size() > 0);
    }
    try {
      TVM_FFI_CHECK_EQ(1, 2, ValueError) << "ne";
    } catch (Error &e) {
      S(e.message());
    }
    try {
      TVM_FFI_ICHECK_LT(3, 2) << "x";
    } catch (Error &e) {
      S(e.kind());
      S(e.message());
    }
    TVM_FFI_CHECK(false, TypeError) << "last";
  });
  show(14, [] {
    auto append = Function::FromTyped([](RValueRef<Array<int>> ref, int val) -> Array<int> {
      Array<int> arr = *std::move(ref);
      S(arr.unique());
      arr.push_back(val);
      return arr;
    });
    Array<int> a{1, 2};
    a = append(RValueRef(std::move(a)), 3).cast<Array<int>>();
    S(a.size());
    append(a, 3);
  });
  show(15, [] {
    Function f = Function::FromTyped(
        [](Optional<String> s, Variant<int, Array<int>> v, Map<String, int> m, Tuple<int, int> t,
           TensorView x, DLDevice d, DLDataType ty, void *p, bool b, const std::vector<int> &vec) {
          return String(s.value_or("none")) + std::to_string(m.size()) + std::to_string(vec.size());
        });
    Tensor x = Empty({1});
    S(f(nullptr, 1, Map<String, int>{}, Tuple<int, int>(1, 2), x, DLDevice{kDLCPU, 0}, "float16",
        nullptr, 1, Array<int>{1, 2})
          .cast<String>());
    f(nullptr, 1.5, 1, 1, 1, 1, 1, 1, 1, 1);
  });
  show(16, [] {
    auto j = json::Parse(R"({"a": [1, 2.5, null, true, "x\u00e9"], "b": {}})");
    S(json::Stringify(j));
    S(json::Stringify(j, 2));
    String err;
    S(json::Parse("[1,", &err) == nullptr);
    S(err);
    S(ToJSONGraph(Array<int>{1}) != nullptr);
    S(json::Stringify(ToJSONGraph(Map<String, int>{{"a", 1}})));
    S(FromJSONGraph(ToJSONGraph(Array<int>{4})).cast<Array<int>>()[0]);
    S(Base64Encode(Bytes("abc")));
    S(Base64Decode(Base64Encode(Bytes("abc"))));
    json::Parse("{");
  });
  show(17, [] {
    S(StructuralEqual()(Array<int>{1, 2}, Array<int>{1, 2}));
    S(StructuralHash()(Array<int>{1}) == StructuralHash()(Array<int>{1}));
    S(StructuralEqual::GetFirstMismatch(Array<int>{1, 2}, Array<int>{1, 3}).has_value());
    S(StructuralEqual::Equal(1, 1, true));
    S(AnyEqual()(1, 1.0));
    S(AnyHash()("a") == AnyHash()(String("a")));
    S(AnyEqual()(Any(String("long long long string")), Any("long long long string")));
    S(AnyHash()(1) == AnyHash()(1));
    StructuralKey k(Array<int>{1});
    S(StructuralKey(Array<int>{1}) == k);
    S(k->key);
  });
  show(18, [] {
    S(StringToDLDataType("float8_e4m3fn").code == kDLFloat8_e4m3fn);
    S(DLDataTypeToString(DLDataType{kDLBfloat, 16, 4}));
    S(DLDataType{kDLInt, 8, 1} == DLDataType{kDLInt, 8, 1});
    std::ostringstream o;
    o << DLDataType{kDLInt, 8, 1} << DLDevice{kDLCUDA, 1};
    S(o.str());
    S(GetDataSize(3, DLDataType{kDLInt, 4, 1}));
    StringToDLDataType("float99x");
  });
  show(19, [] {
    S(refl::GetFieldInfo("test.published.Int", "value")->size);
    S(TypeIndexToTypeKey(TIntObj::RuntimeTypeIndex()));
    S(TypeKeyToIndex("test.published.Int") == TIntObj::RuntimeTypeIndex());
    refl::FieldGetter g("test.published.Int", "value");
    S(g(TInt(7)).cast<int>());
    refl::FieldSetter st("test.published.Int", "value");
    TInt t(1);
    st(t, 9);
    S(t->value);
    S(refl::GetMethod("test.published.Int", "get_value")(t).cast<int>());
    refl::ObjectCreator c("test.published.Int");
    S(c(Map<String, Any>{{"value", 3}}).cast<TInt>()->value);
    refl::ForEachFieldInfo(
        TVMFFIGetTypeInfo(TIntObj::RuntimeTypeIndex()),
        [](const TVMFFIFieldInfo *i) { S(std::string(i->name.data, i->name.size)); });
    c(Map<String, Any>{{"vlue", 3}});
  });
  show(20, [] {
    BigInt a = BigInt(int64_t(1) << 62) * BigInt(12345678);
    S(a);
    BigInt b(5);
    S(a * b);
    S((a + b) % BigInt(7));
    S(-a < b);
    S(a == a);
    Any x = a;
    S(x.cast<BigInt>() == a);
    Any y = BigInt(7);
    S(y.type_index());
    S(y.cast<int>());
    x.cast<int64_t>();
  });
  show(21, [] {
    std::vector<std::thread> ts;
    std::array<int, 4> r{};
    Function f = Function::GetGlobalRequired("other.add");
    for (int i = 0; i < 4; ++i)
      ts.emplace_back([&, i] {
        try {
          f("x", i);
        } catch (const Error &e) {
          r[i] = e.message().size() > 0;
        }
      });
    for (auto &t : ts)
      t.join();
    S(std::accumulate(r.begin(), r.end(), 0));
  });
  show(22, [] {
    List<int> a{1, 2};
    List<int> b = a;
    b.push_back(3);
    S(a.size());
    a.Set(0, 5);
    S(b[0]);
    for (int x : a)
      S(x);
    a.insert(a.begin(), 8);
    S(a[1]);
    a.erase(a.begin(), a.begin() + 1);
    S(a.size());
    a.pop_back();
    S(b.size());
    Any x = a;
    S(x.cast<List<int>>().same_as(a));
    S(x.as<List<String>>().has_value());
    S(x.try_cast<Array<int>>().has_value());
    a[10];
  });
  show(23, [] {
    Pet p;
    auto set = refl::overload_cast<const std::string &>(&Pet::Set);
    (p.*set)("q");
    S(p.log);
    auto get = refl::overload_cast<int>(&Pet::Get, refl::const_);
    const Pet &c = p;
    S((c.*get)(3));
    ObjectPtr<Pet> pp = make_object<Pet>();
    Function m = refl::GetMethod("other.Pet", "set");
    m(pp, 1);
    m(pp, 1.5);
    S(pp->log);
    m(pp, "zzz");
  });
  show(24, [] {
    Bytes bytes;
    bytes = "text";
    S(bytes);
    bytes = std::string("more");
    S(bytes.size());
    bytes = String("string");
    S(bytes.size());
  });
}
