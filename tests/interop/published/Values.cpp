/// Any, AnyView, objects and their pointers. As published programs use them; prints the same with
/// either headers and library.
#include "Published.h"

PROGRAM(Values) {
  show(0, [] {
    AnyView v;
    S(v == nullptr);
    S(v.type_index());
    S(v.as<int64_t>());
    S(v.CopyToTVMFFIAny().v_int64);
  });
  show(1, [] {
    AnyView v = 1;
    S(v.as<int>());
    S(v.cast<bool>());
    S(v.cast<double>());
    S(v.as<double>());
    S(v.try_cast<float>());
  });
  show(2, [] {
    AnyView v;
    v.cast<int>();
  });
  show(3, [] {
    AnyView v = 3.5;
    v.cast<int>();
  });
  show(4, [] {
    AnyView v = true;
    S(v.as<bool>());
    S(v.as<int>());
    S(v.cast<int>());
    S(v.try_cast<StrictBool>().has_value());
  });
  show(5, [] {
    AnyView v = 1;
    S(v.try_cast<StrictBool>().has_value());
    S(v.as<StrictBool>().has_value());
  });
  show(6, [] {
    AnyView v = 1.5f;
    S(v.as<float>());
    S(v.as<double>());
    v = 2;
    S(v.cast<float>());
    v = nullptr;
    S(v == nullptr);
  });
  show(7, [] {
    AnyView v = En::A;
    S(v.type_index());
    S(v.cast<int>());
    S(static_cast<int>(v.cast<En>()));
    S(v.as<En>().has_value());
  });
  show(8, [] {
    Any a = En::B;
    S(static_cast<int>(a.cast<En>()));
    S(a.as<En>().value() == En::B);
  });
  show(9, [] {
    void *p = reinterpret_cast<void *>(0x10);
    AnyView v = p;
    S(v.as<void *>().value() == p);
    v = nullptr;
    S(v.cast<void *>() == nullptr);
    v = 1;
    v.cast<void *>();
  });
  show(10, [] {
    DLDevice d{kDLCUDA, 1};
    AnyView v = d;
    S(v.as<DLDevice>()->device_id);
    Any a = v;
    S(a.cast<DLDevice>().device_type);
    a = 1;
    a.cast<DLDevice>();
  });
  show(11, [] {
    AnyView v = "cuda:3";
    S(v.cast<DLDevice>().device_id);
    v = "foo";
    v.cast<DLDevice>();
  });
  show(12, [] {
    DLDataType t{kDLInt, 32, 4};
    AnyView v = t;
    S(v.as<DLDataType>().value() == t);
    Any a = t;
    S(a.cast<DLDataType>());
    a = String("float16x4");
    S(a.cast<DLDataType>());
    a = String("junk");
    a.cast<DLDataType>();
  });
  show(13, [] {
    Any a;
    S(a == nullptr);
    a = 1;
    S(a != nullptr);
    a.reset();
    S(a.type_index());
  });
  show(14, [] {
    Any a = 1;
    Any b = std::move(a);
    S(a == nullptr);
    S(b.cast<int>());
    std::swap(a, b);
    S(a.cast<int>());
    a.swap(b);
    S(b.cast<int>());
  });
  show(15, [] {
    Any a = TInt(11);
    S(a.as<TInt>().value()->value);
    S(a.as<TIntObj>()->value);
    S(a.as<TFloat>().has_value());
    S(a.as<TFloatObj>() == nullptr);
    S(a.cast<TNumber>().use_count());
    a.cast<TFloat>();
  });
  show(16, [] {
    Any a = TInt(11);
    TInt x = a.cast<TInt>();
    S(x.use_count());
    TInt y = std::move(a).cast<TInt>();
    S(y.use_count());
    S(a == nullptr);
  });
  show(17, [] {
    Any a = TInt(11);
    auto o = std::move(a).as<TInt>();
    S(o.value().use_count());
    S(a == nullptr);
  });
  show(18, [] {
    Any a = 1;
    S(a.as_or_throw<int64_t>());
    a.as_or_throw<String>();
  });
  show(19, [] {
    AnyView v = 1;
    S(v.as_or_throw<int>());
    v.as_or_throw<bool>();
  });
  show(20, [] {
    Any a = ObjectRef(TInt(1));
    S(a.GetTypeKey());
    ObjectPtr<TIntObj> p = a.cast<ObjectPtr<TIntObj>>();
    S(p->value);
    ObjectPtr<TFloatObj> q = a.cast<ObjectPtr<TFloatObj>>();
  });
  show(21, [] {
    Any a = make_object<TIntObj>(4);
    S(a.cast<TInt>()->value);
    Any b = ObjectPtr<TIntObj>(nullptr);
    S(b == nullptr);
  });
  show(22, [] {
    Any a = TInt(1);
    const TIntObj *p = a.cast<const TIntObj *>();
    S(p->value);
    S(a.as<const TIntObj *>().value()->value);
    a = nullptr;
    a.cast<const TIntObj *>();
  });
  show(23, [] {
    Any a;
    S(a.as<ObjectRef>().has_value());
    S(a.cast<TInt>().defined());
    S(a.try_cast<TVar>().has_value());
    a.cast<TVar>();
  });
  show(24, [] {
    Any a = TInt(1), b = a;
    S(a.same_as(b));
    S(a.same_as(TInt(1)));
    S(Any(1).same_as(Any(1)));
    S(Any(1).same_as(Any(true)));
    S(a.same_as(a.cast<TInt>()));
    S(Any().same_as(ObjectRef(nullptr)));
  });
  show(25, [] {
    S(AnyEqual()(Any(1), Any(1)));
    S(AnyEqual()(Any(1), Any(1.0)));
    S(AnyEqual()(Any("hello"), Any(String("hello"))));
    S(AnyEqual()(Any("a long string here"), Any(std::string("a long string here"))));
    S(AnyEqual()(Any(String("ab")), Any(Bytes(std::string("ab")))));
  });
  show(26, [] {
    S(AnyHash()(Any(1)) == AnyHash()(Any(1)));
    S(AnyHash()(Any(1)));
    S(AnyHash()(Any(String("abc"))));
    S(AnyHash()(Any(String("abcdefghijkl"))));
    S(AnyHash()(Any(Bytes("abc", 3))));
    S(AnyHash()(Any(1.5)));
    S(AnyHash()(Any(true)));
    S(AnyHash()(Any()));
  });
  show(27, [] {
    Any a = TPrimExpr("int32", 3.5);
    S(a.cast<TPrimExpr>()->dtype);
    a = true;
    S(a.cast<TPrimExpr>()->dtype);
    a = 1;
    S(a.cast<TPrimExpr>()->dtype);
    a = 1.5;
    S(a.cast<TPrimExpr>()->value);
    a = "hello";
    S(a.cast<TPrimExpr>()->dtype);
    a = TInt(1);
    a.cast<TPrimExpr>();
  });
  show(28, [] {
    Any a = std::string("x");
    S(a.type_index());
    Any b = std::string("a long text that is heap");
    S(b.type_index());
    S(b.GetTypeKey());
  });
  show(29, [] {
    Any a = uint64_t(1) << 63;
    S(a.cast<int64_t>());
  });
  show(30, [] {
    Any a = int64_t(1) << 40;
    S(a.cast<int64_t>());
  });
  show(31, [] {
    AnyView v = std::optional<int>(3);
    S(v.cast<int>());
    v = std::optional<int>();
    S(v == nullptr);
  });
  show(32, [] {
    AnyView v(nullptr);
    S(v.type_index());
    Any a(nullptr);
    S(a.type_index());
  });
  show(33, [] {
    TVMFFIAny r = AnyView(5).CopyToTVMFFIAny();
    AnyView v = AnyView::CopyFromTVMFFIAny(r);
    S(v.cast<int>());
    S(v.same_as(AnyView(5)));
  });
  show(34, [] {
    Any a = TInt(3);
    S(tvm::ffi::detail::AnyUnsafe::RawObjectPtrFromAnyAfterCheck(a) != nullptr);
    S(tvm::ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(a)->type_index == a.type_index());
  });
  show(35, [] {
    std::unordered_map<Any, int, AnyHash, AnyEqual> m;
    m[1] = 2;
    m["a"] = 3;
    m[String("a")] += 1;
    S(m[String("a")]);
    S(m.size());
  });
  show(36, [] {
    S(TypeIndexToTypeKey(kTVMFFIInt));
    S(TypeIndexToTypeKey(kTVMFFISmallStr));
    S(TypeIndexToTypeKey(TInt(1).type_index()));
  });
  show(37, [] {
    S(TypeTraits<std::vector<int>>::TypeStr());
    S(TypeTraits<std::function<int(int)>>::TypeStr());
    S(TypeTraits<std::optional<int>>::TypeStr());
    S(TypeTraits<std::variant<int, String>>::TypeStr());
    S(TypeTraits<std::map<String, int>>::TypeStr());
    S(TypeTraits<std::unordered_map<String, int>>::TypeStr());
    S(TypeTraits<std::tuple<int, float>>::TypeStr());
    S(TypeTraits<std::array<int, 3>>::TypeStr());
  });
  show(38, [] {
    static_assert(TypeTraits<int>::convert_enabled);
    static_assert(!TypeTraits<TensorView>::storage_enabled);
    S(details::storage_enabled_v<int>);
    S(type_subsumes_v<TNumber, TInt>);
    S(TypeTraitsNoCR<const int &>::convert_enabled);
  });
  show(39, [] {
    static_assert(details::all_storage_enabled_v<int, float>);
    S(true);
  });
  show(40, [] {
    static_assert(std::is_same_v<decltype(std::declval<Any>().as<TIntObj>()), const TIntObj *>);
    S(true);
  });
  show(41, [] {
    TInt x(11);
    S(x->value);
    S(x.get()->value);
    S(x.use_count());
    S(x.unique());
    S(x.defined());
    TInt y = x;
    S(x.use_count());
    S(x.same_as(y));
    S(x == y);
    S(x != TInt(11));
    S(x < y);
  });
  show(42, [] {
    ObjectRef r = TInt(11);
    S(r.as<TIntObj>()->value);
    S(r.as<TFloatObj>() == nullptr);
    S(r.as<TInt>().value()->value);
    S(r.as<TFloat>().has_value());
    S(r.as<TNumber>().has_value());
    S(r->IsInstance<TNumberObj>());
    S(r->IsInstance<TFloatObj>());
    S(r.GetTypeKey());
    S(r->GetTypeKey());
  });
  show(43, [] {
    ObjectRef r = TInt(1);
    S(r.as_or_throw<TInt>()->value);
    r.as_or_throw<TFloat>();
  });
  show(44, [] {
    ObjectRef r(nullptr);
    S(r.defined());
    TInt t(nullptr);
    S(t.defined());
  });
  show(45, [] {
    ObjectPtr<TIntObj> p = make_object<TIntObj>(11);
    ObjectPtr<Object> q = p;
    S(p.use_count());
    S(p.unique());
    ObjectPtr<Object> z = std::move(p);
    S(p == nullptr);
    S(q.use_count());
    q.reset();
    S(z.use_count());
    S(z->IsInstance<TIntObj>());
    S(z != nullptr);
    S(static_cast<bool>(z));
    std::swap(q, z);
    S(q == z);
  });
  show(46, [] {
    ObjectPtr<TIntObj> p = make_object<TIntObj>(11);
    WeakObjectPtr<TIntObj> w = p;
    S(w.use_count());
    S(w.expired());
    S(w.lock()->value);
    S(p.unique());
    p.reset();
    S(w.expired());
    S(w.lock() == nullptr);
    w.reset();
  });
  show(47, [] {
    ObjectPtr<TIntObj> p = make_object<TIntObj>(11);
    WeakObjectPtr<Object> w(p);
    WeakObjectPtr<Object> w2 = w, w3 = std::move(w);
    S(w2.use_count());
    S(w3.lock() == p);
    w2.swap(w3);
    w2 = nullptr;
    S(w2.lock() == nullptr);
  });
  show(48, [] {
    WeakObjectPtr<TIntObj> w;
    {
      auto p = make_object<TIntObj>(1);
      w = p;
    }
    S(w.lock() == nullptr);
  });
  show(49, [] {
    auto a = make_arc<TIntObj>(5);
    S(a->value);
    S((*a).value);
    S(a.get()->value);
    S(a.use_count());
    Arc<TIntObj> b = a;
    S(b.use_count());
    ObjectPtr<TIntObj> p = a;
    S(p->value);
    S(a == b);
    Any any = a;
    S(any.cast<Arc<TIntObj>>()->value);
    Any none;
    none.cast<Arc<TIntObj>>();
  });
  show(50, [] {
    TInt x(11);
    S(GetRef<TInt>(x.get()).same_as(x));
    S(GetObjectPtr<TIntObj>(const_cast<TIntObj *>(x.get())).use_count());
    S(GetRef<TNumber>(x.get())->IsInstance<TIntObj>());
    S(GetRef<ObjectRef>(static_cast<const TIntObj *>(nullptr)).defined());
  });
  show(51, [] { S(GetRef<Optional<TInt>>(static_cast<const TIntObj *>(nullptr)).has_value()); });
  show(52, [] {
    S(ObjectPtrHash()(TInt(1)) != 0);
    TInt x(1);
    S(ObjectPtrEqual()(x, x));
    std::unordered_map<ObjectRef, int, ObjectPtrHash, ObjectPtrEqual> m;
    m[x] = 1;
    S(m.count(x));
    std::unordered_set<ObjectRef, ObjectPtrHash, ObjectPtrEqual> s{x};
    S(s.size());
  });
  show(53, [] {
    S(TIntObj::_type_key);
    S(TIntObj::_type_depth);
    S(TIntObj::RuntimeTypeIndex() == TInt(1)->type_index());
    S(Object::TypeIndex2Key(kTVMFFIArray));
    S(TIntObj::_type_final);
    S(TNumberObj::_type_child_slots);
    S(TIntObj::RuntimeTypeIndex() > TNumberObj::RuntimeTypeIndex());
    S(TIntObj::_type_index == TIntObj::RuntimeTypeIndex());
    S(TIntObj::_type_mutable);
  });
  show(54, [] {
    S(refl::AccessPathObj::RuntimeTypeIndex() >= 128);
    S(EnumObj::_type_key);
    S(IntEnumObj::_type_depth);
    int32_t i = EnumObj::_type_index;
    S(i >= 128);
  });
  show(55, [] {
    TInt x(1);
    tvm::ffi::details::ObjectUnsafe::IncRefObjectHandle(
        tvm::ffi::details::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(x));
    S(x.use_count());
    tvm::ffi::details::ObjectUnsafe::DecRefObjectHandle(
        tvm::ffi::details::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(x));
    S(x.use_count());
    TVMFFIObject *h = tvm::ffi::details::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(x));
    S(x.defined());
    ObjectRef b = tvm::ffi::details::ObjectUnsafe::ObjectRefFromObjectPtr<TInt>(
        tvm::ffi::details::ObjectUnsafe::ObjectPtrFromOwned<Object>(h));
    S(b.use_count());
  });
  show(56, [] {
    TInt x(1);
    ObjectPtr<TIntObj> p = tvm::ffi::details::ObjectUnsafe::ObjectPtrFromObjectRef<TIntObj>(x);
    S(p.use_count());
    S(tvm::ffi::details::ObjectUnsafe::GetHeader(p.get())->type_index == p->type_index());
    S(tvm::ffi::details::ObjectUnsafe::GetObjectOffsetToSubclass<TIntObj>());
    S(tvm::ffi::details::ObjectUnsafe::RawObjectPtrFromUnowned<TIntObj>(
          tvm::ffi::details::ObjectUnsafe::GetHeader(p.get()))
          ->value);
  });
  show(57, [] {
    S(details::IsObjectInstance<TNumberObj>(TIntObj::RuntimeTypeIndex()));
    S(details::IsObjectInstance<TIntObj>(TNumberObj::RuntimeTypeIndex()));
  });
  show(58, [] {
    auto f = Function::FromTyped([](RValueRef<TInt> x) {
      TInt v = *std::move(x);
      return v.use_count();
    });
    TInt a(1);
    S(f(RValueRef(std::move(a))).cast<int>());
    S(a.defined());
    TInt b(2);
    S(f(RValueRef(TInt(b))).cast<int>());
    f(b);
  });
  show(59, [] {
    auto f = Function::FromTyped([](TInt x) { return x.use_count(); });
    TInt a(1);
    S(f(RValueRef(std::move(a))).cast<int>());
    S(f(TInt(1)).cast<int>());
    TInt b(1);
    S(f(b).cast<int>());
  });
  show(60, [] {
    auto f = Function::FromTyped([](RValueRef<TInt> x) { return 1; });
    f(RValueRef(TFloat(1)));
  });
  show(61, [] {
    auto f = Function::FromTyped([](Array<int> x) {
      x.push_back(1);
      return x;
    });
    Array<int> a{1, 2};
    const Object *p = a.get();
    Array<int> b = f(RValueRef(std::move(a))).cast<Array<int>>();
    S(b.get() == p);
    S(b.size());
  });
}
