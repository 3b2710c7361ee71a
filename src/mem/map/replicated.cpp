// Owns: making, reading and refreshing copies. See replicated.hpp.
#include "mem/map/replicated.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "mem/map/memory.hpp"
#include "mem/map/nodes.hpp"

namespace xylem::mem {

namespace {

bool has_processors(int node) {
  for (int pu = 0; pu < machine().pu_count(); ++pu)
    if (node_of_pu(pu) == node) return true;
  return false;
}

// Where the copies go: each node with processors has one on itself or, if it has no memory, on the
// nearest that has. homes[node]: the node of the copy that is read there; -1: no processor would.
std::vector<int> homes_of_copies() {
  std::vector<int> homes(static_cast<std::size_t>(node_count()), -1);
  for (int node = 0; node < node_count(); ++node)
    if (has_processors(node)) homes[static_cast<std::size_t>(node)] = nearest_with_memory(node);
  return homes;
}

}  // namespace

std::unique_ptr<Replicated> Replicated::make(const void* source, std::size_t bytes) {
  std::unique_ptr<Replicated> made(new (std::nothrow) Replicated);
  if (!made) return nullptr;
  made->bytes_ = bytes;
  const std::vector<int> homes = homes_of_copies();
  std::vector<char*> by_home(homes.size(), nullptr);
  for (const int home : homes) {
    if (home < 0 || by_home[static_cast<std::size_t>(home)] != nullptr) continue;
    if (!made->add_copy(home)) return nullptr;
    by_home[static_cast<std::size_t>(home)] = made->copies_.back();
  }
  if (made->copies_.empty() && !made->add_copy(0)) return nullptr;
  for (const int home : homes)
    made->nearest_.push_back(home >= 0 ? by_home[static_cast<std::size_t>(home)]
                                       : made->copies_[0]);
  if (source != nullptr) std::memcpy(made->master(), source, bytes);
  made->refresh(0, bytes);  // also where it is zeros: pages that are there are read faster
  return made;
}

bool Replicated::add_copy(int node) {
  How how;
  how.placement = Placement::node;
  how.node = node;
  void* copy = map_placed(std::max<std::size_t>(bytes_, 1), how);
  if (copy != nullptr) copies_.push_back(static_cast<char*>(copy));
  return copy != nullptr;
}

Replicated::~Replicated() {
  for (char* copy : copies_) release_pages(copy);
}

const void* Replicated::local() const {
  const int node = current_node();
  const bool known = node >= 0 && static_cast<std::size_t>(node) < nearest_.size();
  return known ? nearest_[static_cast<std::size_t>(node)] : copies_[0];
}

int Replicated::refresh(std::size_t offset, std::size_t bytes) {
  if (offset > bytes_ || bytes > bytes_ - offset) return -EINVAL;
  for (std::size_t i = 1; i < copies_.size(); ++i)
    std::memcpy(copies_[i] + offset, copies_[0] + offset, bytes);
  return 0;
}

}  // namespace xylem::mem
