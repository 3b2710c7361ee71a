// Owns: bringing pieces to nodes and away. See piece.hpp.
#include "hetero/data/piece.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/check.hpp"
#include "base/report.hpp"
#include "hetero/tracing.hpp"

namespace xylem::hetero {

namespace {

// Memory that nobody has touched yet is asked for again, so often: a call of the kernel each time.
constexpr uint8_t most_asked = 4;

}  // namespace

Piece::Piece(Memories& memories, const Shape& shape, const Layout& home)
    : memories_(memories),
      shape_(shape),
      bytes_(dense_bytes(shape)),
      has_home_(true),
      fits_kernels_(hetero::fits_kernels(shape, home)),
      copies_(static_cast<size_t>(memories.count())) {
  copy(main_memory).layout = home;
  state_.record_written(main_memory);
}

Piece::Piece(Memories& memories, const Shape& shape)
    : memories_(memories),
      shape_(shape),
      bytes_(dense_bytes(shape)),
      has_home_(false),
      fits_kernels_(true),
      copies_(static_cast<size_t>(memories.count())) {}

Piece::~Piece() {
  Sleeping locked(lock_);
  for (int node = 0; node < memories_.count(); ++node) {
    XYLEM_ASSERT(copy(node).users == 0, "a piece that is used ends");
    if (!copy(node).memory) continue;
    Sleeping at_node(memories_.node(node).lock);
    give_memory_back(node);
  }
}

const void* Piece::address() const {
  const Location& at = copy(main_memory).layout.arrays[0];
  return has_home_ ? static_cast<const std::byte*>(at.memory) + at.offset : nullptr;
}

bool Piece::has_memory(int node) const {
  return copy(node).memory != nullptr || (node == main_memory && has_home_);
}

// --- accesses ------------------------------------------------------------------------------------

int Piece::node_for(int executor_node) const {
  const bool in_place = fits_kernels_ && memories_.node(executor_node).shares_main;
  return in_place ? main_memory : executor_node;
}

int Piece::acquire(int node, Access access) {
  Sleeping locked(lock_);
  return begin_use(node, access);
}

int Piece::begin_use(int node, Access access) {
  if (memories_.gone(node)) return ENODEV;
  const int error = reads(access) ? fetch(node) : make_room(node);
  if (error != 0) return error;
  ++copy(node).users;
  copy(node).used_at = memories_.next_use();
  return 0;
}

void Piece::end_use(int node) {
  XYLEM_ASSERT(copy(node).users > 0, "a piece is released that nobody uses");
  --copy(node).users;
}

void Piece::release(int node, Access access) {
  Sleeping locked(lock_);
  end_use(node);
  if (!writes(access)) return;
  state_.record_written(node);
  lost_ = false;
}

void Piece::give_up(int node) { release(node, Access::read); }

void Piece::spoil(int node) {
  Sleeping locked(lock_);
  end_use(node);
  if (!state_.drop(node)) state_.forget();
}

void Piece::lose_in_place(int device) {
  Sleeping locked(lock_);
  end_use(main_memory);
  if (!state_.drop(main_memory)) lose_with(device);
}

int Piece::prefetch(int node) {
  if (memories_.addressable(node) && !may_be_near()) node = main_memory;
  node = node_for(node);
  Sleeping locked(lock_);
  const int error = fetch(node);
  if (error == 0) copy(node).used_at = memories_.next_use();
  return error;
}

void Piece::invalidate() {
  Sleeping locked(lock_);
  state_.forget();
  lost_ = false;
}

void Piece::lose() {
  Sleeping locked(lock_);
  state_.forget();
  lost_ = true;
}

int Piece::evict(int node) {
  Sleeping locked(lock_);
  if (node == main_memory || !copy(node).memory) return 0;
  if (copy(node).users > 0) return EBUSY;
  if (const int error = write_back(node)) return error;
  Sleeping at_node(memories_.node(node).lock);
  give_memory_back(node);
  return 0;
}

bool Piece::valid_on(int node) {
  Sleeping locked(lock_);
  drop_gone();
  return state_.valid_on(node);
}

bool Piece::has_value() {
  Sleeping locked(lock_);
  drop_gone();
  return state_.has_value();
}

double Piece::fetch_cost(int node) {
  if (!lock_.try_lock()) return 0;  // its bytes are on their way
  drop_gone();
  node = node_for(node);
  double cost = route_to(state_, node, memories_.links(), bytes_).cost_ns;
  if (node != main_memory && memories_.addressable(node)) {
    const InPlace there = in_place(node, Access::read);
    if (there.node >= 0) cost = std::min(cost, there.away_ns);
  }
  lock_.unlock();
  return cost;
}

const char* Piece::check() {
  Sleeping locked(lock_);
  if (const char* problem = state_.check()) return problem;
  for (int node = 0; node < memories_.count(); ++node) {
    if (state_.valid_on(node) && !has_memory(node)) return "a valid copy has no memory";
    if (copy(node).users < 0) return "a copy has fewer users than none";
    if (copy(node).users > 0 && !has_memory(node)) return "a copy in use has no memory";
  }
  return nullptr;
}

// --- near nodes ----------------------------------------------------------------------------------

// What the program made may have addresses of itself inside.
bool Piece::may_be_near() const {
  return memories_.has_near() && bytes_ >= NearAccess::least_bytes && shape_.kind != Kind::user;
}

int Piece::acquire_near(Access access, int& node) {
  node = main_memory;
  if (!may_be_near()) return acquire(node, access);
  Sleeping locked(lock_);
  const int near = memories_.near_access().here();  // who has slept may have moved
  if (near == main_memory) return begin_use(node, access);
  drop_gone();
  const InPlace there = in_place(near, access);
  node = choose_node(near, there, access);
  int error = begin_use(node, access);
  const bool full = error == ENOMEM && node == near;
  if (full) {
    node = there.node >= 0 ? there.node : main_memory;
    error = begin_use(node, access);
  }
  if (error == 0) record_away(near, node == near || full ? 0 : there.away_ns, access);
  return error;
}

// After a copy, or where there is no room for one, counting begins anew.
void Piece::record_away(int near, double away_ns, Access access) {
  double& counted = copy(near).away_ns;
  counted = away_ns > 0 ? counted + away_ns : 0;
  if (!writes(access)) return;
  for (int other = 0; other < memories_.count(); ++other)
    if (other != near) copy(other).away_ns = 0;
}

Piece::InPlace Piece::in_place(int near, Access access) {
  const NearAccess& costs = memories_.near_access();
  InPlace best;
  for (int node = 0; node < memories_.count(); ++node) {
    if (!memories_.addressable(node)) continue;
    if (!(reads(access) ? state_.valid_on(node) : has_memory(node))) continue;
    const double away_ns = costs.away_ns(memories_.node(near).numa, numa_of(node), bytes_);
    if (best.node < 0 || away_ns < best.away_ns) best = {node, away_ns};
  }
  return best;
}

// Where there is nothing to use in place the program's own memory is as good, if it is near.
int Piece::choose_node(int near, const InPlace& there, Access access) {
  const NearAccess& costs = memories_.near_access();
  const int numa = memories_.node(near).numa;
  if (there.node < 0) {
    const bool home_is_near = has_home_ && costs.away_ns(numa, numa_of(main_memory), bytes_) == 0;
    return home_is_near ? main_memory : near;
  }
  const int from = reads(access) ? numa_of(there.node) : numa;
  const double copy_ns = costs.copy_ns(numa, from, bytes_, !copy(near).memory);
  return copy(near).away_ns + there.away_ns > copy_ns ? near : there.node;
}

int Piece::numa_of(int node) {
  if (node != main_memory) return memories_.node(node).numa;
  if (main_numa_ == unknown_node && asked_ < most_asked) locate_main();
  return main_numa_;
}

void Piece::locate_main() {
  const Location& at = copy(main_memory).layout.arrays[0];
  if (!at.memory) return;
  ++asked_;
  main_numa_ = memories_.near_access().locate(static_cast<const std::byte*>(at.memory) + at.offset,
                                              reach_of(shape_, copy(main_memory).layout));
}

// --- fetching ------------------------------------------------------------------------------------

int Piece::fetch(int node) {
  for (;;) {
    drop_gone();
    const int error = fetch_once(node);
    // What went away may have been the source: another one may be left.
    if (error != ENODEV || memories_.gone(node) || !source_is_gone()) return error;
  }
}

int Piece::fetch_once(int node) {
  const Route route = route_to(state_, node, memories_.links(), bytes_);
  if (!route.possible) return lost_ ? EIO : ENODATA;
  for (int i = 0; i < route.steps; ++i)
    if (const int error = make_step(route.step[static_cast<size_t>(i)])) return error;
  return 0;
}

bool Piece::source_is_gone() const {
  for (int node = 0; node < memories_.count(); ++node)
    if (state_.valid_on(node) && memories_.gone(node)) return true;
  return false;
}

void Piece::drop_gone() {
  for (int node = 1; node < memories_.count(); ++node) {
    if (!memories_.gone(node) || !state_.valid_on(node)) continue;
    if (!state_.drop(node)) lose_with(node);
  }
}

// The value, of which the only copy was the device's.
void Piece::lose_with(int node) {
  state_.forget();
  lost_ = true;
  const Extents& extents = shape_.extents;
  base::warn(
      "lost with device %d (%s): the only copy of data at %p: %zu x %zu x %zu elements of %zu "
      "bytes",
      node, memories_.node(node).name, address(), extents.x, extents.y, extents.z,
      shape_.element_bytes);
}

// Between two devices the copy goes through main memory, where there is no direct link.
int Piece::make_step(Route::Step step) {
  // The source must not leave its node while room is made on the target.
  ++copy(step.from).users;
  int error = make_room(step.to);
  if (error == 0)
    error =
        memories_.copy(shape_, step.from, copy(step.from).layout, step.to, copy(step.to).layout);
  --copy(step.from).users;
  if (error == 0) state_.record_copied(step.to);
  return error;
}

// Who uses main memory while it has no valid copy writes all of the piece there: the old value is
// of no more use, and must not come over what is written.
int Piece::write_back(int node) {
  drop_gone();
  if (state_.valid_on(node) && state_.valid_count() == 1) {
    if (copy(main_memory).users > 0) return state_.forget(), 0;
    if (const int error = make_step({node, main_memory})) return error;
  }
  state_.drop(node);
  return 0;
}

// --- room ----------------------------------------------------------------------------------------

int Piece::make_room(int node) {
  if (has_memory(node)) return 0;
  if (node != main_memory) return make_room_on_device(node);
  const size_t blocks = (bytes_ + kernel_alignment - 1) / kernel_alignment;
  void* memory =
      std::aligned_alloc(kernel_alignment, std::max<size_t>(blocks, 1) * kernel_alignment);
  if (!memory) return ENOMEM;
  Sleeping at_node(memories_.node(node).lock);
  take_memory(node, memory);
  return 0;
}

// Others leave the node, the cheapest first, until there is room for this one.
int Piece::make_room_on_device(int node) {
  MemoryNode& at = memories_.node(node);
  if (memories_.gone(node)) return ENODEV;
  Sleeping at_node(at.lock);
  if (bytes_ > std::min(at.capacity, at.largest)) return ENOMEM;
  for (;;) {
    const size_t free = at.capacity - at.used;
    if (free >= bytes_) {
      if (void* memory = at.driver.allocate(at.driver.device, bytes_)) {
        take_memory(node, memory);
        return 0;
      }
    }
    std::vector<Piece*> pieces;
    std::vector<Held> held;
    for (Piece* piece = at.first; piece; piece = piece->copy(node).next) {
      pieces.push_back(piece);
      held.push_back(piece == this ? Held{.pinned = true} : piece->as_held(node));
    }
    // At least one leaves where the driver has less room than it was said to have.
    const size_t missing = free < bytes_ ? bytes_ - free : 1;
    bool left = false;
    for (const size_t victim : choose_victims(held, missing))
      left |= pieces[victim]->leave_to_others(node);
    if (!left) return ENOMEM;
  }
}

// Whose lock is taken is in use: its copy stays.
Held Piece::as_held(int node) {
  if (!lock_.try_lock()) return {.pinned = true};
  Held held{.bytes = bytes_, .used_at = copy(node).used_at, .pinned = copy(node).users > 0};
  if (state_.valid_on(node))
    held.leaving = state_.valid_count() > 1 ? Leaving::clean : Leaving::dirty;
  lock_.unlock();
  return held;
}

bool Piece::leave_to_others(int node) {
  if (!lock_.try_lock()) return false;
  const bool leaves = copy(node).users == 0 && write_back(node) == 0;
  if (leaves) give_memory_back(node);
  lock_.unlock();
  return leaves;
}

namespace {

// After what the node's data takes has changed.
void record_used(MemoryNode& at, int node) XYLEM_NO_THREAD_ANALYSIS {  // the node's is held
  at.sums.used.store(at.used, std::memory_order_relaxed);
  if (node != main_memory && at.numa == unknown_node)
    trace::emit<traced::device_memory>(node, at.name, at.level, at.used, at.capacity);
}

}  // namespace

void Piece::take_memory(int node, void* memory) XYLEM_NO_THREAD_ANALYSIS {  // the node's is held
  Copy& mine = copy(node);
  mine.memory = memory;
  mine.layout = dense_layout(shape_, memory);
  MemoryNode& at = memories_.node(node);
  at.used += bytes_;
  mine.previous = nullptr;
  mine.next = at.first;
  if (at.first) at.first->copy(node).previous = this;
  at.first = this;
  record_used(at, node);
}

void Piece::give_memory_back(int node) XYLEM_NO_THREAD_ANALYSIS {  // the node's is held
  Copy& mine = copy(node);
  MemoryNode& at = memories_.node(node);
  (mine.previous ? mine.previous->copy(node).next : at.first) = mine.next;
  if (mine.next) mine.next->copy(node).previous = mine.previous;
  at.used -= bytes_;
  if (node == main_memory)
    std::free(mine.memory);
  else
    at.driver.release(at.driver.device, mine.memory);
  if (node == main_memory) main_numa_ = unknown_node;
  mine = {};
  record_used(at, node);
}

}  // namespace xylem::hetero
