// Owns: the table of addresses. See addresses.hpp.
#include "hetero/tasks/addresses.hpp"

#include <boost/intrusive/set.hpp>
#include <new>

#include "base/spin_lock.hpp"
#include "hetero/tasks/handle.hpp"

namespace xylem::hetero {

namespace {

struct AddressOf {
  using type = const void*;
  const void* operator()(const Handle& handle) const { return handle.piece.address(); }
};

// Those of one address in the order of their making.
using Handles = boost::intrusive::multiset<
    Handle, boost::intrusive::member_hook<Handle, AddressHook, &Handle::by_address>,
    boost::intrusive::key_of_value<AddressOf>>;

struct Addresses {
  base::SpinLock lock{{49, "Addresses::lock"}};
  Handles handles XYLEM_GUARDED_BY(lock);
};
// Never destroyed: the crew may end data while the process ends. Made anew in a child.
constinit Addresses* all = nullptr;
// Of which process data is, by the forks that made it: a child's has one more than its parent's.
constinit int forks = 0;

}  // namespace

constinit std::atomic<int> addresses{0};

void start_addresses() { all = new Addresses; }

void record_address(Handle& handle) {
  base::Locked locked(all->lock);
  all->handles.insert(handle);
  handle.forks = forks;
  addresses.fetch_add(1, std::memory_order_relaxed);
}

void forget_address(Handle& handle) {
  if (handle.forks != forks) return;
  base::Locked locked(all->lock);
  all->handles.erase(all->handles.iterator_to(handle));
  addresses.fetch_sub(1, std::memory_order_relaxed);
}

Handle* find_named(const void* address, bool (*fits)(const Handle& handle)) {
  base::Locked locked(all->lock);
  const auto [first, last] = all->handles.equal_range(address);
  for (auto at = last; at != first;) {
    --at;
    if (fits(*at)) return &*at;
  }
  return nullptr;
}

// In place, as nothing may be allocated or freed (base/fork_table.hpp).
void forget_addresses_in_child() {
  if (!all) return;
  new (all) Addresses;
  addresses.store(0, std::memory_order_relaxed);
  ++forks;
}

}  // namespace xylem::hetero
