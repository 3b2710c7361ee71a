// Owns: the interval map. See regions.hpp.
#include "mem/map/regions.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace xylem::mem {

Regions::Set& Regions::set() const {
  if (!std::exchange(has_set_, true)) new (set_) Set;
  return *std::launder(reinterpret_cast<Set*>(set_));
}

Regions::Node* Regions::exact(uintptr_t start) const {
  const auto found = set().find(start);
  return found == set().end() ? nullptr : &*found;
}

Regions::Node* Regions::last_before(uintptr_t address) const {
  auto after = set().lower_bound(address);
  return after == set().begin() ? nullptr : &*--after;
}

bool Regions::is_free(uintptr_t start, uintptr_t end) const {
  const Node* before = last_before(end);
  return !before || before->region.end() <= start;
}

int Regions::add(const Region& region, bool in_place) {
  auto* made = new (std::nothrow) Node(region);
  if (!made) return -ENOMEM;
  made->region.whole = region.start;
  {
    base::Locked locked(lock_);
    while (in_place && !is_free(region.start, region.end()))
      drop_whole(last_before(region.end())->region);
    if (is_free(region.start, region.end())) {
      set().insert(*made);
      return 0;
    }
  }
  delete made;
  return -EEXIST;
}

int Regions::add(const Region& region) { return add(region, false); }
int Regions::add_in_place(const Region& region) { return add(region, true); }

size_t Regions::measure(uintptr_t start, Origin origin) const {
  size_t bytes = 0;
  for (auto part = set().find(start);
       part != set().end() && part->region.whole == start && part->region.origin == origin; ++part)
    bytes += part->region.bytes;
  return bytes;
}

size_t Regions::whole_bytes(uintptr_t start, Origin origin) const {
  base::Locked locked(lock_);
  return measure(start, origin);
}

void Regions::drop_whole(Region of) {
  const auto first = set().find(of.whole);
  auto last = first;
  while (last != set().end() && last->region.whole == of.whole) ++last;
  set().erase_and_dispose(first, last, [](Node* part) { delete part; });
}

bool Regions::take(uintptr_t start, Origin origin, Region& whole) {
  base::Locked locked(lock_);
  const size_t bytes = measure(start, origin);
  if (bytes == 0) return false;
  whole = exact(start)->region;
  whole.bytes = bytes;
  drop_whole(whole);
  return true;
}

bool Regions::find(uintptr_t start, Region& region) const {
  base::Locked locked(lock_);
  const Node* found = exact(start);
  if (found) region = found->region;
  return found != nullptr;
}

bool Regions::holding(uintptr_t address, Region& region) const {
  base::Locked locked(lock_);
  const Node* found = last_before(address + 1);
  if (!found || found->region.end() <= address) return false;
  region = found->region;
  return true;
}

// A list by `right`, the last part first; null without memory.
Regions::Node* Regions::make_parts(int parts, const uintptr_t* starts) {
  Node* made = nullptr;
  for (int i = 1; i < parts; ++i) {
    Region cut_off;
    cut_off.start = starts[i];
    auto* part = new (std::nothrow) Node(cut_off);
    if (!part) return drop_parts(made), nullptr;
    part->next = made;
    made = part;
  }
  return made;
}

void Regions::drop_parts(Node* parts) {
  while (parts) {
    Node* next = parts->next;
    delete parts;
    parts = next;
  }
}

void Regions::cut_off(Region& whole, Node* parts) {
  uintptr_t end = whole.end();
  while (Node* part = parts) {
    parts = part->next;
    part->next = nullptr;
    const uintptr_t at = part->region.start;
    part->region = whole;
    part->region.start = at;
    part->region.bytes = end - at;
    whole.bytes = at - whole.start;
    end = at;
    set().insert(*part);
  }
}

// Parts are made before the lock is taken: between the two the region may go, and then they go too.
int Regions::split(uintptr_t start, int parts, const uintptr_t* starts) {
  Node* made = make_parts(parts, starts);
  if (!made && parts > 1) return -ENOMEM;
  {
    base::Locked locked(lock_);
    Node* whole = exact(start);
    if (whole && (!made || made->region.start < whole->region.end())) {
      cut_off(whole->region, made);
      return 0;
    }
  }
  drop_parts(made);
  return -ENOENT;
}

bool Regions::set_owner(uintptr_t start, const Owner& owner) {
  base::Locked locked(lock_);
  Node* found = exact(start);
  if (found) found->region.owner = owner;
  return found != nullptr;
}

std::vector<Region> Regions::all() const {
  std::vector<Region> list;
  base::Locked locked(lock_);
  list.reserve(set().size());
  for (const Node& node : set()) list.push_back(node.region);
  return list;
}

int64_t Regions::count() const {
  base::Locked locked(lock_);
  return static_cast<int64_t>(set().size());
}

const char* Regions::check() const {
  base::Locked locked(lock_);
  const Region* before = nullptr;
  for (const Node& node : set()) {
    const Region& region = node.region;
    if (region.bytes == 0) return "a region is empty";
    if (before && region.start < before->end()) return "regions overlap";
    const bool is_part = region.whole != region.start;
    if (is_part && !before) return "a part has no beginning";
    if (is_part && (before->end() != region.start || before->whole != region.whole))
      return "a part does not follow the part before it";
    before = &region;
  }
  return nullptr;
}

namespace {
constinit Regions the_regions;
}
Regions& regions() { return the_regions; }

}  // namespace xylem::mem
