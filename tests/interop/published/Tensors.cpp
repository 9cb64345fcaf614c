/// String, dtypes, devices, shapes and tensors. As published programs use them; prints the same
/// with either headers and library.
#include "Published.h"

PROGRAM(Tensors) {
  show(0, [] {
    String s;
    S(s.size());
    S(s.empty());
    s = "hello";
    S(s);
    S(s.size());
    S(s.length());
    S(s.c_str());
    S(s.data());
    S(s.at(1));
    S(s == "hello");
    S(s != "world");
    S("hello" == s);
    S(s < "world");
    S(s > "abc");
    S(s >= s);
    S(s <= std::string("z"));
    S(std::string("hello") == s);
    S(s.compare("hello"));
    S(s.compare(String("a")) > 0);
    S(s.compare(std::string("z")) < 0);
  });
  show(1, [] {
    String s = "a,b,,c";
    auto v = s.Split(',');
    S(v.size());
    S(std::string(v[1]));
    S(String("").Split(',').size());
    S(String(",").Split(',').size());
  });
  show(2, [] {
    std::unordered_map<String, int> m;
    m["a"] = 1;
    m[String("abcdefghijklmn")] = 2;
    S(m["abcdefghijklmn"]);
    S(std::hash<String>()("abc") == std::hash<String>()(String(std::string("abc"))));
    S(std::hash<Bytes>()(Bytes("abc", 3)) != 0);
    std::map<String, int> o;
    o["z"] = 1;
    o["a"] = 2;
    S(o.begin()->first);
  });
  show(3, [] {
    String s(nullptr == nullptr ? "x" : "y");
    S(s);
    std::ostringstream os;
    os << s << String("longer than seven");
    S(os.str());
    S(ToStringView(TVMFFIByteArray{"abc", 3}) == "abc");
  });
  show(4, [] {
    String s("with\0nul", 8);
    S(s.size());
    S(s == "with");
    S(String("a") == String("a"));
    S(String("a").compare("b"));
    S(String("é").size());
  });
  show(5, [] {
    Any a = String("abc");
    S(a.type_index());
    Any b = String("abcdefgh");
    S(b.type_index());
    Any c = String("abcdefg");
    S(c.type_index());
    Any d = Bytes("abcdefgh", 8);
    S(d.type_index());
    Any e = Bytes("abc", 3);
    S(e.type_index());
    e.cast<String>();
  });
  show(6, [] {
    S(DTypeIsFloat({kDLFloat, 16, 1}));
    S(DTypeIsFloat({kDLBfloat, 16, 1}));
    S(DTypeIsFloat({kDLFloat8_e5m2, 8, 1}));
    S(DTypeIsFloat({kDLInt, 8, 1}));
    S(DTypeIsInt({kDLUInt, 8, 1}));
    S(DTypeIsInt({kDLInt, 8, 1}));
    S(DTypeIsBool({kDLBool, 8, 1}));
    S(DTypeIsBool({kDLUInt, 1, 1}));
    S(DTypeIsFloat({kDLComplex, 64, 1}));
  });
  show(7, [] {
    DLDataType a{kDLFloat, 32, 1};
    S(a == a);
    S(a != DLDataType{kDLFloat, 16, 1});
    std::ostringstream o;
    o << a;
    S(o.str());
    DLDataTypeToString(DLDataType{99, 8, 1});
  });
  show(8, [] {
    for (const char *t : {"cpu",
                          "cuda:1",
                          "cuda:0 extra",
                          "rocm:2",
                          "metal",
                          "mps:1",
                          "wgpu",
                          "webgpu:3",
                          "vulkan",
                          "opencl:0",
                          "hexagon",
                          "ext_dev",
                          "trn",
                          "maia",
                          "vpi",
                          "cpu:",
                          "cuda:x",
                          "cuda:-1",
                          "cuda:1:2",
                          "",
                          "gpu",
                          "cuda:99999999999",
                          "cuda_host",
                          "oneapi",
                          "cuda:2147483647",
                          "cuda:2147483648"}) {
      auto d = AnyView(t).try_cast<DLDevice>();
      S(t);
      S(d.has_value());
      if (d) {
        S(int(d->device_type));
        S(d->device_id);
      }
    }
  });
  show(9, [] {
    Shape s{1, 2, 3};
    S(s.size());
    S(s[1]);
    S(s.at(2));
    S(s.front());
    S(s.back());
    S(s.Product());
    S(s.empty());
    for (int64_t x : s)
      S(x);
    S(s);
    ShapeView v = s;
    S(v.size());
    S(v.Product());
    S(v[0]);
    S(v.at(1));
    Shape e;
    S(e.size());
    S(e.Product());
    s.at(7);
  });
  show(10, [] {
    Shape s(std::vector<int64_t>{4, 5});
    S(s);
    Shape t(Array<int64_t>{1, 2});
    S(t);
    Any a = Array<int64_t>{7, 8};
    S(a.cast<Shape>());
    S(a.as<Shape>().has_value());
    S(Shape::StridesFromShape(s));
    Any b = s;
    S(b.cast<Shape>().size());
    S(b.GetTypeKey());
    S(Shape::StridesFromShape({2, 3, 4}));
    std::vector<int64_t> w{1};
    Shape u(w.begin(), w.end());
    S(u.size());
    b = 1;
    b.cast<Shape>();
  });
  show(11, [] {
    Shape s{1, 2};
    Shape t = s;
    S(t.same_as(s));
    S(t.data() == s.data());
    S(s.use_count());
    S(s->size);
    S(s->data[1]);
    ShapeView v({1, 2, 3});
    S(ShapeView().empty());
    S(ShapeView().size());
    ShapeView z(s.data(), 1);
    S(z.back());
    S(v.size());
    Array<int64_t> q{1};
    Any x = Array<Any>{1, "a"};
    x.cast<Shape>();
  });
  show(12, [] {
    ShapeView v;
    v.front();
  });
  show(13, [] {
    Tensor t = Empty({2, 3});
    t.stride(-3);
  });
  show(14, [] {
    Tensor t = Tensor::FromNDAllocStrided(CPUNDAlloc(), {2, 3}, {1, 2}, DLDataType{kDLFloat, 32, 1},
                                          DLDevice{kDLCPU, 0});
    S(t.stride(0));
    S(t.IsContiguous());
    Tensor::FromNDAllocStrided(CPUNDAlloc(), {2, 3}, {1}, DLDataType{kDLFloat, 32, 1},
                               DLDevice{kDLCPU, 0});
  });
  show(15, [] {
    Tensor t = Empty({2, 3});
    DLManagedTensor *m = t.ToDLPack();
    S(m->dl_tensor.ndim);
    S(t.use_count());
    Tensor u = Tensor::FromDLPack(m);
    S(u.data_ptr() == t.data_ptr());
    S(u.numel());
    u = Tensor();
    S(t.use_count());
    DLManagedTensorVersioned *v = t.ToDLPackVersioned();
    S(v->version.major);
    S(v->flags);
    Tensor w = Tensor::FromDLPackVersioned(v, 4, true);
    S(w.size(1));
    w = Tensor(nullptr);
    S(t.use_count());
  });
  show(16, [] {
    Tensor t = Empty({2, 3}).as_strided({3, 2}, {1, 3});
    DLManagedTensor *m = t.ToDLPack();
    Tensor::FromDLPack(m, 0, true);
  });
  show(17, [] {
    Tensor t = Empty({2, 3});
    TensorView v = t;
    S(v.ndim());
    S(v.size(-1));
    S(v.numel());
    S(v.IsContiguous());
    S(v.dtype());
    S(v.data_ptr() == t.data_ptr());
    TensorView w = v.as_strided({6}, {1});
    S(w.numel());
    S(GetDataSize(v));
    S(v.shape());
    S(v.byte_offset());
    AnyView a = v;
    S(a.type_index());
    S(a.cast<TensorView>().ndim());
    S(a.cast<DLTensor *>()->ndim);
    a.cast<Tensor>();
  });
  show(18, [] {
    Tensor t;
    TensorView v(t);
  });
  show(19, [] {
    Tensor t;
    S(t.defined());
    Any a = t;
    S(a == nullptr);
    S(a.cast<Tensor>().defined());
    a.cast<TensorView>();
  });
  show(20, [] {
    Any a = Empty({1});
    S(a.GetTypeKey());
    S(a.cast<DLTensor *>()->ndim);
    S(a.cast<TensorView>().size(0));
    S(a.as<Tensor>().has_value());
    S(a.as<TensorView>().has_value());
    S(a.as<DLTensor *>().has_value());
  });
  show(21, [] {
    S(IsDirectAddressDevice({kDLCUDA, 0}));
    S(IsDirectAddressDevice({kDLOpenCL, 0}));
    S(IsDirectAddressDevice({kDLROCM, 0}));
    S(GetDataSize(10, DLDataType{kDLFloat4_e2m1fn, 4, 1}));
    S(GetDataSize(3, DLDataType{kDLUInt, 1, 1}));
    DLTensor d = *Empty({2}).GetDLTensorPtr();
    S(IsContiguous(d));
    S(IsAligned(d, 1));
    int64_t z[] = {0, 3}, st[] = {7, 9};
    d.ndim = 2;
    d.shape = z;
    d.strides = st;
    S(IsContiguous(d));
    d.strides = nullptr;
    S(IsContiguous(d));
  });
  show(22, [] {
    Tensor s = Empty({});
    S(s.ndim());
    S(s.numel());
    S(s.shape().size());
    S(s.strides().size());
    S(s.IsContiguous());
    Tensor z = Empty({0, 2});
    S(z.numel());
    S(z.IsContiguous());
  });
  show(23, [] {
    Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {1}, DLDataType{kDLFloat, 32, 1},
                         DLDevice{kDLCPU, 0});
  });
  show(24, [] {
    auto d = Empty({2}).device();
    S(d.device_type == kDLCPU);
    S(d.device_id);
  });
  show(25, [] {
    Tensor t = Tensor::FromEnvAlloc(
        [](DLTensor *p, TVMFFIObjectHandle *out) -> int {
          Tensor x =
              Tensor::FromNDAlloc(CPUNDAlloc(), ShapeView(p->shape, p->ndim), p->dtype, p->device);
          *out = details::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(x));
          return 0;
        },
        {2, 3}, DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
    S(t.shape());
  });
  show(26, [] {
    Tensor t = Tensor::FromEnvAlloc(
        [](DLTensor *p, TVMFFIObjectHandle *out) -> int {
          TVMFFIErrorSetRaisedFromCStr("RuntimeError", "no mem");
          return -1;
        },
        {2, 3}, DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
  });
  show(27, [] {
    struct A {
      void AllocData(DLTensor *t, int x, const std::string &s) {
        t->data = malloc(GetDataSize(*t));
        S(x);
        S(s);
      }
      void FreeData(DLTensor *t) { free(t->data); }
    };
    Tensor t = Tensor::FromNDAlloc(A(), {2}, DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0}, 7,
                                   std::string("extra"));
    S(t.numel());
  });
  show(28, [] {
    Tensor t = Empty({1, 2, 3});
    auto s = t.shape();
    S(s[0]);
    S(s.size());
    Shape sh = t.shape();
    S(sh);
    Shape st = t.strides();
    S(st);
    int64_t p = 1;
    for (auto d : t.shape())
      p *= d;
    S(p);
    S(t.GetDLTensorPtr()->byte_offset);
    auto dl = t.ToDLPack();
    dl->deleter(dl);
    auto dv = t.ToDLPackVersioned();
    dv->deleter(dv);
    S(t.use_count());
  });
  show(29, [] {
    std::vector<Tensor> v{Empty({1}), Empty({2})};
    Array<Tensor> a(v.begin(), v.end());
    S(a[1].numel());
    Map<String, Tensor> m{{"x", a[0]}};
    S(m["x"].size(0));
  });
  show(30, [] {
    auto f =
        Function::FromTyped([](Array<Tensor> a, Map<String, Tensor> m, Optional<Array<int64_t>> s) {
          return static_cast<int64_t>(a.size() + m.size());
        });
    S(f(Array<Tensor>{Empty({1})}, Map<String, Tensor>(), nullptr).cast<int64_t>());
    f(Array<Any>{1}, Map<String, Tensor>(), nullptr);
  });
  show(31, [] {
    auto f = Function::FromTyped(
        [](DLDataType d, DLDevice v, Shape s) { return DLDataTypeToString(d); }, "k");
    S(f("float16", "cuda:1", Array<int64_t>{1, 2}).cast<String>());
    S(f(DLDataType{kDLInt, 8, 1}, DLDevice{kDLCPU, 0}, Shape{1}).cast<String>());
    f("float16", "foo:1", Shape{1});
  });
}
