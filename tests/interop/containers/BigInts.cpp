/// Prints what BigInt computes, refuses and looks like. Compiled with either project's headers it
/// has to print the same.
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <sstream>

#include "tvm/ffi/big_int.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

template <typename T> void print(const T &value) {
  std::ostringstream os;
  os.precision(20);
  os << value;
  std::puts(os.str().c_str());
}
template <typename F> void attempt(F f) {
  try {
    print(f());
  } catch (const Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
}

void arithmetic() {
  std::mt19937_64 bits(11);
  auto number = [&] {
    BigInt value(static_cast<int64_t>(bits()));
    for (uint64_t count = bits() % 6; count > 0; --count)
      value = (value << 64) | BigInt(static_cast<uint64_t>(bits() % 3 ? bits() : 0));
    return value >> static_cast<int64_t>(bits() % 64);
  };
  for (int i = 0; i < 300; ++i) {
    BigInt a = number(), b = number(), shift(static_cast<int64_t>(bits() % 400));
    for (const BigInt &value : {a, b, a + b, a - b, a * b, a & b, a | b, a ^ b, ~a, -b, a << shift,
                                a >> shift, a * b + shift})
      print(value);
    attempt([&] { return a / b; });
    attempt([&] { return a % b; });
    attempt([&] { return floordiv(a, b); });
    attempt([&] { return floormod(a, b); });
    std::printf("%d%d%d%d\n", a < b, a <= b, a == b, a != b);
    print(static_cast<double>(a));
    print(std::hash<BigInt>()(a));
    print(AnyHash()(Any(b)));
    std::istringstream text("  -0" + std::to_string(bits()) + std::to_string(bits()) + "x");
    text >> a;
    print(a);
  }
}

void edges() {
  BigInt five(5), seven(-7), big(uint64_t(1) << 63), huge = BigInt(1) << 1024;
  attempt([&] { return static_cast<int64_t>(big); });
  attempt([&] { return static_cast<int64_t>(big - 1); });
  attempt([&] { return static_cast<double>(huge); });
  attempt([&] { return static_cast<double>(huge - (BigInt(1) << 970)); });
  attempt([&] { return static_cast<double>(huge - (BigInt(1) << 970) - 1); });
  attempt([&] { return static_cast<double>((BigInt(1) << 70) + (BigInt(1) << 17)); });
  attempt([&] { return static_cast<double>((BigInt(1) << 70) + (BigInt(1) << 17) + 1); });
  for (double value :
       {1e30, -1e30, -1.9, 0.5, 0x1p63, -0x1p63, 1e308, double(NAN), HUGE_VAL, -HUGE_VAL})
    attempt([&] { return BigInt(value); });
  for (int64_t zero : {0, 1, -1}) {
    attempt([&] { return BigInt(INT64_MIN) / zero; });
    attempt([&] { return BigInt(INT64_MIN) % zero; });
    attempt([&] { return floordiv(big, zero); });
    attempt([&] { return floormod(big, zero); });
    attempt([&] { return five << zero; });
    attempt([&] { return seven >> zero; });
  }
  attempt([&] { return seven >> big; });
  attempt([&] { return BigInt(0) << big; });
  attempt([&] { return five << (BigInt(1) << 64); });
  attempt([&] { return five << -big; });
  for (const char *text : {"123", "+5", "-", "", "abc", "0x10", "-0", "12x"}) {
    std::istringstream is(text);
    BigInt value(42);
    is >> value;
    std::printf("'%s' %d%d ", text, is.fail(), is.eof());
    print(value);
  }
  std::ostringstream wide;
  wide.width(30);
  wide.fill('*');
  wide << std::hex << std::showbase << std::showpos << big << "|" << seven;
  print(wide.str());
  BigInt moved(std::move(big));
  print(big); // NOLINT(bugprone-use-after-move)
  print(moved);
}

void abi() {
  BigInt big(uint64_t(1) << 63);
  print(sizeof(BigInt));
  print(TypeTraits<BigInt>::TypeStr());
  print(TypeTraits<BigInt>::TypeSchema());
  auto same = Function::FromTyped([](BigInt x) { return x; });
  for (const Any &value : {Any(1), Any(true), Any(1.5), Any(nullptr), Any("text"), Any(big)})
    attempt([&] { return same(value).type_index(); });
  auto narrow = Function::FromTyped([](int) { return 0; });
  attempt([&] { return narrow(big).cast<int>(); });
  auto array = Function::FromTyped([](Array<int>) { return 0; });
  attempt([&] { return array(Array<Any>{1, big}).cast<int>(); });
  attempt([&] { return Any(big).cast<double>(); });
  attempt([&] { return Any(big).cast<bool>(); });
  print(Any(true).as<BigInt>().has_value());
  print(Any(true).try_cast<BigInt>().has_value());
  print(Any(big).as<ObjectRef>().has_value());
  Map<BigInt, int> map;
  for (int i = 0; i < 40; ++i)
    map.Set((big << i) - i, i);
  for (const auto &entry : map)
    print(entry.first);
  print(map.at((big << 7) - 7));
}

} // namespace

int main() {
  arithmetic();
  edges();
  abi();
  return 0;
}
