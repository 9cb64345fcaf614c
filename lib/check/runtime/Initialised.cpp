#include "check/runtime/Initialised.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fairlead::check {

Initialised::Page *Initialised::pageOf(uintptr_t number, bool make) {
  Recent &last = recent[number % std::size(recent)];
  if (last.number == number && (last.page || !make))
    return last.page;
  auto entry = pages.find(number);
  if (entry == pages.end() && make)
    entry = pages.emplace(number, std::make_unique<Page>()).first;
  last = {number, entry == pages.end() ? nullptr : entry->second.get()};
  return last.page;
}

Initialised::Region *Initialised::regionOf(const void *address) {
  for (Region &region : regions)
    if (region.contains(static_cast<const char *>(address)))
      return &region;
  return nullptr;
}

template <typename Visit>
void Initialised::each(const void *address, size_t bytes, bool make, Visit visit) {
  if (const Region *region = regionOf(address)) {
    const auto *from = static_cast<const char *>(address);
    const size_t left = region->bytes - static_cast<size_t>(from - region->begin);
    visit(region->bits(from), std::min(bytes, left));
    return;
  }
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
  beginShared(static_cast<const char *>(memory.first), memory.second);
}

void Initialised::joinBlock(const void *shared, size_t bytes) {
  settle();
  beginShared(static_cast<const char *>(shared), bytes);
}

void Initialised::beginShared(const char *shared, size_t bytes) {
  if (!shared || bytes == 0)
    return;
  Region *region = regionOf(shared);
  if (!region) {
    regions.push_back({shared, bytes, nullptr});
    region = &regions.back();
    region->pages = std::make_unique<Page[]>((bytes + kPage - 1) / kPage);
  }
  std::memset(region->pages[0].bits, 0xff, bytes);
}

unsigned char *Initialised::ofShared(const void *shared) {
  settle();
  Region *region = regionOf(shared);
  return region ? region->bits(static_cast<const char *>(shared)) : nullptr;
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
  if (const Region *region = regionOf(address)) {
    const auto *from = static_cast<const char *>(address);
    const size_t at = static_cast<size_t>(from - region->begin);
    return at + bytes <= region->bytes ? region->bits(from) : nullptr;
  }
  auto at = reinterpret_cast<uintptr_t>(address);
  if (at % kPage + bytes > kPage)
    return nullptr; // in two pages: taken to have values
  Page *page = pageOf(at / kPage, false);
  return page ? page->bits + at % kPage : nullptr;
}

} // namespace fairlead::check
