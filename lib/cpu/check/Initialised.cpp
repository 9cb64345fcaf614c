#include "cpu/check/Initialised.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fairlead::cpu::check {

Initialised::Page *Initialised::pageOf(uintptr_t number, bool make) {
  Recent &last = recent[number % std::size(recent)];
  if (last.number == number && (last.page || !make))
    return last.page;
  auto found = pages.find(number);
  if (found == pages.end() && make)
    found = pages.emplace(number, std::make_unique<Page>()).first;
  last = {number, found == pages.end() ? nullptr : found->second.get()};
  return last.page;
}

template <typename Visit>
void Initialised::each(const void *address, size_t bytes, bool make, Visit visit) {
  auto at = reinterpret_cast<uintptr_t>(address);
  while (bytes > 0) {
    size_t part = std::min(bytes, kPage - at % kPage);
    if (Page *page = pageOf(at / kPage, make))
      visit(page->bits + at % kPage, part);
    at += part;
    bytes -= part;
  }
}

void Initialised::settle() {
  if (!std::exchange(begins, false))
    return;
  for (auto [address, bytes] : owned)
    set(address, bytes);
  owned.clear();
  if (memory.first)
    own(memory.first, memory.second);
}

void Initialised::own(const void *address, size_t bytes) {
  settle();
  owned.emplace_back(address, bytes);
  each(address, bytes, true,
       [](unsigned char *bits, size_t number) { std::memset(bits, 0xff, number); });
}

void Initialised::set(const void *address, size_t bytes) {
  settle();
  each(address, bytes, false,
       [](unsigned char *bits, size_t number) { std::memset(bits, 0, number); });
}

void Initialised::unset(const void *address, size_t bytes) {
  settle();
  each(address, bytes, false,
       [](unsigned char *bits, size_t number) { std::memset(bits, 0xff, number); });
}

bool Initialised::lacks(const void *address, size_t bytes) {
  settle();
  bool some = false;
  each(address, bytes, false, [&](const unsigned char *bits, size_t number) {
    some = some || std::any_of(bits, bits + number, [](unsigned char each) { return each != 0; });
  });
  return some;
}

unsigned char *Initialised::bits(const void *address, size_t bytes) {
  settle();
  auto at = reinterpret_cast<uintptr_t>(address);
  if (at % kPage + bytes > kPage)
    return nullptr; // in two pages: taken to have values
  Page *page = pageOf(at / kPage, false);
  return page ? page->bits + at % kPage : nullptr;
}

} // namespace fairlead::cpu::check
