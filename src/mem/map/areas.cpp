// Owns: the interval map. See areas.hpp.
#include "mem/map/areas.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

namespace xylem::mem {

struct Areas::Tree {
  Area area;
  uint64_t priority = 0;  // not below that of any area under it
  Tree* left = nullptr;   // lower addresses
  Tree* right = nullptr;  // higher ones

  explicit Tree(const Area& of) : area(of), priority(of.start * 0x9e3779b97f4a7c15ull) {
    priority = (priority ^ (priority >> 32)) * 0xd6e8feb86659fd93ull;
  }
};

// All of `left` lies below all of `right`.
Areas::Tree* Areas::join(Tree* left, Tree* right) {
  if (!left || !right) return left ? left : right;
  if (left->priority >= right->priority) {
    left->right = join(left->right, right);
    return left;
  }
  right->left = join(left, right->left);
  return right;
}

// What begins below `at` goes left.
void Areas::cut(Tree* tree, uintptr_t at, Tree*& left, Tree*& right) {
  if (!tree) {
    left = right = nullptr;
  } else if (tree->area.start < at) {
    cut(tree->right, at, tree->right, right);
    left = tree;
  } else {
    cut(tree->left, at, left, tree->left);
    right = tree;
  }
}

Areas::Tree* Areas::exact(Tree* tree, uintptr_t start) {
  while (tree && tree->area.start != start)
    tree = start < tree->area.start ? tree->left : tree->right;
  return tree;
}

Areas::Tree* Areas::last_before(uintptr_t address) const {
  Tree* found = nullptr;
  for (Tree* tree = root_; tree;) {
    if (tree->area.start < address) {
      found = tree;
      tree = tree->right;
    } else {
      tree = tree->left;
    }
  }
  return found;
}

void Areas::insert(Tree* made) {
  Tree* left;
  Tree* right;
  cut(root_, made->area.start, left, right);
  root_ = join(join(left, made), right);
  ++count_;
}

bool Areas::is_free(uintptr_t start, uintptr_t end) const {
  const Tree* before = last_before(end);
  return !before || before->area.end() <= start;
}

void Areas::drop(Tree* part) {
  const uintptr_t at = part->area.start;
  Tree* left;
  Tree* right;
  cut(root_, at, left, right);
  cut(right, at + 1, part, right);
  root_ = join(left, right);
  --count_;
  delete part;
}

int Areas::add(const Area& area, bool in_place) {
  auto* made = new (std::nothrow) Tree(area);
  if (!made) return -ENOMEM;
  made->area.whole = area.start;
  {
    base::Locked locked(lock_);
    while (in_place && !is_free(area.start, area.end())) drop_whole(last_before(area.end())->area);
    if (is_free(area.start, area.end())) {
      insert(made);
      return 0;
    }
  }
  delete made;
  return -EEXIST;
}

int Areas::add(const Area& area) { return add(area, false); }
int Areas::add_in_place(const Area& area) { return add(area, true); }

size_t Areas::measure(uintptr_t start, Origin origin) const {
  size_t bytes = 0;
  for (const Tree* part = exact(root_, start);
       part && part->area.whole == start && part->area.origin == origin;
       part = exact(root_, start + bytes))
    bytes += part->area.bytes;
  return bytes;
}

size_t Areas::whole_bytes(uintptr_t start, Origin origin) const {
  base::Locked locked(lock_);
  return measure(start, origin);
}

void Areas::drop_whole(Area of) {
  for (Tree* part = exact(root_, of.whole); part && part->area.whole == of.whole;) {
    const uintptr_t after = part->area.end();
    drop(part);
    part = exact(root_, after);
  }
}

bool Areas::take(uintptr_t start, Origin origin, Area& whole) {
  base::Locked locked(lock_);
  const size_t bytes = measure(start, origin);
  if (bytes == 0) return false;
  whole = exact(root_, start)->area;
  whole.bytes = bytes;
  drop_whole(whole);
  return true;
}

bool Areas::find(uintptr_t start, Area& area) const {
  base::Locked locked(lock_);
  const Tree* found = exact(root_, start);
  if (found) area = found->area;
  return found != nullptr;
}

bool Areas::holding(uintptr_t address, Area& area) const {
  base::Locked locked(lock_);
  const Tree* found = last_before(address + 1);
  if (!found || found->area.end() <= address) return false;
  area = found->area;
  return true;
}

// A list by `right`, the last part first; null without memory.
Areas::Tree* Areas::make_parts(int parts, const uintptr_t* starts) {
  Tree* made = nullptr;
  for (int i = 1; i < parts; ++i) {
    Area cut_off;
    cut_off.start = starts[i];
    auto* part = new (std::nothrow) Tree(cut_off);
    if (!part) return drop_parts(made), nullptr;
    part->right = made;
    made = part;
  }
  return made;
}

void Areas::drop_parts(Tree* parts) {
  while (parts) {
    Tree* next = parts->right;
    delete parts;
    parts = next;
  }
}

void Areas::cut_off(Area& whole, Tree* parts) {
  uintptr_t end = whole.end();
  while (Tree* part = parts) {
    parts = part->right;
    part->right = nullptr;
    const uintptr_t at = part->area.start;
    part->area = whole;
    part->area.start = at;
    part->area.bytes = end - at;
    whole.bytes = at - whole.start;
    end = at;
    insert(part);
  }
}

// Parts are made before the lock is taken: between the two the area may go, and then they go too.
int Areas::split(uintptr_t start, int parts, const uintptr_t* starts) {
  Tree* made = make_parts(parts, starts);
  if (!made && parts > 1) return -ENOMEM;
  {
    base::Locked locked(lock_);
    Tree* whole = exact(root_, start);
    if (whole && (!made || made->area.start < whole->area.end())) {
      cut_off(whole->area, made);
      return 0;
    }
  }
  drop_parts(made);
  return -ENOENT;
}

bool Areas::set_owner(uintptr_t start, const Owner& owner) {
  base::Locked locked(lock_);
  Tree* found = exact(root_, start);
  if (found) found->area.owner = owner;
  return found != nullptr;
}

std::vector<Area> Areas::all() const {
  std::vector<Area> list;
  base::Locked locked(lock_);
  list.reserve(static_cast<size_t>(count_));
  for (const Tree* tree = last_before(UINTPTR_MAX); tree; tree = last_before(tree->area.start))
    list.push_back(tree->area);
  std::reverse(list.begin(), list.end());
  return list;
}

int64_t Areas::count() const {
  base::Locked locked(lock_);
  return count_;
}

const char* Areas::check() const {
  base::Locked locked(lock_);
  int64_t seen = 0;
  const Tree* after = nullptr;  // walks from the highest address down
  for (const Tree* tree = last_before(UINTPTR_MAX); tree; tree = last_before(tree->area.start)) {
    ++seen;
    if (tree->area.bytes == 0) return "an area is empty";
    if (after && after->area.start < tree->area.end()) return "areas overlap";
    const bool is_part = after && after->area.whole != after->area.start;
    if (is_part && (tree->area.end() != after->area.start || tree->area.whole != after->area.whole))
      return "a part does not follow the part before it";
    for (const Tree* below : {tree->left, tree->right})
      if (below && below->priority > tree->priority) return "the tree is not in order";
    after = tree;
  }
  if (after && after->area.whole != after->area.start) return "a part has no beginning";
  return seen == count_ ? nullptr : "areas are lost";
}

namespace {
constinit Areas the_areas;
}
Areas& areas() { return the_areas; }

}  // namespace xylem::mem
