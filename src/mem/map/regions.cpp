// Owns: the interval map. See regions.hpp.
#include "mem/map/regions.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

namespace xylem::mem {

struct Regions::Tree {
  Region region;
  uint64_t priority = 0;  // not below that of any region under it
  Tree* left = nullptr;   // lower addresses
  Tree* right = nullptr;  // higher ones

  explicit Tree(const Region& of) : region(of), priority(of.start * 0x9e3779b97f4a7c15ull) {
    priority = (priority ^ (priority >> 32)) * 0xd6e8feb86659fd93ull;
  }
};

// All of `left` lies below all of `right`.
Regions::Tree* Regions::join(Tree* left, Tree* right) {
  if (!left || !right) return left ? left : right;
  if (left->priority >= right->priority) {
    left->right = join(left->right, right);
    return left;
  }
  right->left = join(left, right->left);
  return right;
}

// What begins below `at` goes left.
void Regions::cut(Tree* tree, uintptr_t at, Tree*& left, Tree*& right) {
  if (!tree) {
    left = right = nullptr;
  } else if (tree->region.start < at) {
    cut(tree->right, at, tree->right, right);
    left = tree;
  } else {
    cut(tree->left, at, left, tree->left);
    right = tree;
  }
}

Regions::Tree* Regions::exact(Tree* tree, uintptr_t start) {
  while (tree && tree->region.start != start)
    tree = start < tree->region.start ? tree->left : tree->right;
  return tree;
}

Regions::Tree* Regions::last_before(uintptr_t address) const {
  Tree* found = nullptr;
  for (Tree* tree = root_; tree;) {
    if (tree->region.start < address) {
      found = tree;
      tree = tree->right;
    } else {
      tree = tree->left;
    }
  }
  return found;
}

void Regions::insert(Tree* made) {
  Tree* left;
  Tree* right;
  cut(root_, made->region.start, left, right);
  root_ = join(join(left, made), right);
  ++count_;
}

bool Regions::is_free(uintptr_t start, uintptr_t end) const {
  const Tree* before = last_before(end);
  return !before || before->region.end() <= start;
}

void Regions::drop(Tree* part) {
  const uintptr_t at = part->region.start;
  Tree* left;
  Tree* right;
  cut(root_, at, left, right);
  cut(right, at + 1, part, right);
  root_ = join(left, right);
  --count_;
  delete part;
}

int Regions::add(const Region& region, bool in_place) {
  auto* made = new (std::nothrow) Tree(region);
  if (!made) return -ENOMEM;
  made->region.whole = region.start;
  {
    base::Locked locked(lock_);
    while (in_place && !is_free(region.start, region.end()))
      drop_whole(last_before(region.end())->region);
    if (is_free(region.start, region.end())) {
      insert(made);
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
  for (const Tree* part = exact(root_, start);
       part && part->region.whole == start && part->region.origin == origin;
       part = exact(root_, start + bytes))
    bytes += part->region.bytes;
  return bytes;
}

size_t Regions::whole_bytes(uintptr_t start, Origin origin) const {
  base::Locked locked(lock_);
  return measure(start, origin);
}

void Regions::drop_whole(Region of) {
  for (Tree* part = exact(root_, of.whole); part && part->region.whole == of.whole;) {
    const uintptr_t after = part->region.end();
    drop(part);
    part = exact(root_, after);
  }
}

bool Regions::take(uintptr_t start, Origin origin, Region& whole) {
  base::Locked locked(lock_);
  const size_t bytes = measure(start, origin);
  if (bytes == 0) return false;
  whole = exact(root_, start)->region;
  whole.bytes = bytes;
  drop_whole(whole);
  return true;
}

bool Regions::find(uintptr_t start, Region& region) const {
  base::Locked locked(lock_);
  const Tree* found = exact(root_, start);
  if (found) region = found->region;
  return found != nullptr;
}

bool Regions::holding(uintptr_t address, Region& region) const {
  base::Locked locked(lock_);
  const Tree* found = last_before(address + 1);
  if (!found || found->region.end() <= address) return false;
  region = found->region;
  return true;
}

// A list by `right`, the last part first; null without memory.
Regions::Tree* Regions::make_parts(int parts, const uintptr_t* starts) {
  Tree* made = nullptr;
  for (int i = 1; i < parts; ++i) {
    Region cut_off;
    cut_off.start = starts[i];
    auto* part = new (std::nothrow) Tree(cut_off);
    if (!part) return drop_parts(made), nullptr;
    part->right = made;
    made = part;
  }
  return made;
}

void Regions::drop_parts(Tree* parts) {
  while (parts) {
    Tree* next = parts->right;
    delete parts;
    parts = next;
  }
}

void Regions::cut_off(Region& whole, Tree* parts) {
  uintptr_t end = whole.end();
  while (Tree* part = parts) {
    parts = part->right;
    part->right = nullptr;
    const uintptr_t at = part->region.start;
    part->region = whole;
    part->region.start = at;
    part->region.bytes = end - at;
    whole.bytes = at - whole.start;
    end = at;
    insert(part);
  }
}

// Parts are made before the lock is taken: between the two the region may go, and then they go too.
int Regions::split(uintptr_t start, int parts, const uintptr_t* starts) {
  Tree* made = make_parts(parts, starts);
  if (!made && parts > 1) return -ENOMEM;
  {
    base::Locked locked(lock_);
    Tree* whole = exact(root_, start);
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
  Tree* found = exact(root_, start);
  if (found) found->region.owner = owner;
  return found != nullptr;
}

std::vector<Region> Regions::all() const {
  std::vector<Region> list;
  base::Locked locked(lock_);
  list.reserve(static_cast<size_t>(count_));
  for (const Tree* tree = last_before(UINTPTR_MAX); tree; tree = last_before(tree->region.start))
    list.push_back(tree->region);
  std::reverse(list.begin(), list.end());
  return list;
}

int64_t Regions::count() const {
  base::Locked locked(lock_);
  return count_;
}

const char* Regions::check() const {
  base::Locked locked(lock_);
  int64_t seen = 0;
  const Tree* after = nullptr;  // walks from the highest address down
  for (const Tree* tree = last_before(UINTPTR_MAX); tree; tree = last_before(tree->region.start)) {
    ++seen;
    if (tree->region.bytes == 0) return "an region is empty";
    if (after && after->region.start < tree->region.end()) return "regions overlap";
    const bool is_part = after && after->region.whole != after->region.start;
    if (is_part &&
        (tree->region.end() != after->region.start || tree->region.whole != after->region.whole))
      return "a part does not follow the part before it";
    for (const Tree* below : {tree->left, tree->right})
      if (below && below->priority > tree->priority) return "the tree is not in order";
    after = tree;
  }
  if (after && after->region.whole != after->region.start) return "a part has no beginning";
  return seen == count_ ? nullptr : "regions are lost";
}

namespace {
constinit Regions the_regions;
}
Regions& regions() { return the_regions; }

}  // namespace xylem::mem
