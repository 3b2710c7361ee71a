// Owns: marking, for those who are not the server. See next_touch.hpp.
#include "mem/touch/next_touch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "base/annotations.hpp"
#include "base/spin_lock.hpp"
#include "mem/map/holds.hpp"
#include "mem/map/nodes.hpp"
#include "mem/touch/touch_server.hpp"
#include "os/clock.hpp"
#include "os/numa.hpp"
#include "os/user_faults.hpp"

namespace xylem::mem {

namespace {

// One request at a time; held while the marker waits for the server, which takes no lock.
constinit base::SpinLock markers_lock{markers_rank};
constinit std::atomic<bool> on_one_node_too{false};    // relaxed: set by tests before they mark
constinit std::atomic<int64_t> marking_ns{0};          // relaxed: a number
constinit std::atomic<const char*> obstacle{nullptr};  // relaxed: a literal; all find the same
constinit std::atomic<bool> tried{false};              // relaxed: whoever finds false tries again

struct Range {
  uintptr_t start = 0;
  uintptr_t end = 0;
  bool empty() const { return start >= end; }
};

bool is_range(const void* start, std::size_t bytes) {
  return reinterpret_cast<uintptr_t>(start) + bytes >= reinterpret_cast<uintptr_t>(start);
}

Range pages_inside(const void* start, std::size_t bytes) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(start);
  const uintptr_t last = first + bytes;
  return {(first + touch_page - 1) / touch_page * touch_page, last / touch_page * touch_page};
}

Range pages_met(const void* start, std::size_t bytes) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(start);
  if (bytes == 0) return {};
  return {first / touch_page * touch_page,
          (first + bytes + touch_page - 1) / touch_page * touch_page};
}

bool marks_matter() { return node_count() > 1 || on_one_node_too.load(std::memory_order_relaxed); }

// --- what can be marked --------------------------------------------------------------------------

// Mappings that follow each other without a gap.
struct Look {
  uintptr_t next = 0;
  bool markable = true;
};

bool look_at(const os::Mapping& mapping, void* context) {
  auto& look = *static_cast<Look*>(context);
  look.markable = mapping.start == look.next && mapping.markable;
  look.next = mapping.end;
  return look.markable;
}

int whole_range_markable(const Range& range) {
  Look look{range.start};
  const int error = os::visit_mappings(range.start, range.end, look_at, &look);
  if (error != 0) return error;
  return look.markable && look.next == range.end ? 0 : -EINVAL;
}

struct Parts {
  std::array<Range, 64> ranges;
  size_t count = 0;
};

bool record_part(const os::Mapping& mapping, void* context) {
  auto& parts = *static_cast<Parts*>(context);
  parts.ranges[parts.count++] = {mapping.start, mapping.end};
  return parts.count < parts.ranges.size();
}

// Marks mapping after mapping. `done`: up to where. -EFAULT: mappings became others meanwhile.
int arm_parts(const Range& range, uintptr_t& done) {
  while (done < range.end) {
    Parts parts;
    if (const int error = os::visit_mappings(done, range.end, record_part, &parts)) return error;
    if (parts.count == 0) return -EINVAL;
    for (size_t i = 0; i < parts.count; ++i) {
      const Range& part = parts.ranges[i];
      if (const long error = touch_server().ask(Ask::arm, part.start, part.end))
        return static_cast<int>(error);
      done = part.end;
    }
  }
  return 0;
}

// The server cuts and joins mappings when marks end, perhaps while we look at them.
int arm_whole(const Range& range) {
  constexpr int most_tries = 100;
  uintptr_t done = range.start;
  int error = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    error = arm_parts(range, done);
    if (error != -EFAULT) break;
  }
  if (error != 0) touch_server().ask(Ask::forget, range.start, range.end);
  return error == -EFAULT ? -EINVAL : error;
}

int mark(const Range& range) {
  const RangeHold hold(reinterpret_cast<void*>(range.start), range.end - range.start);
  base::Locked locked(markers_lock);
  if (const int error = touch_server().start()) return error;
  if (touch_server().lives_in(range.start, range.end)) return -EINVAL;
  if (const int error = whole_range_markable(range)) return error;
  if (const int error = arm_whole(range)) return error;
  // Where pages go is for those who touch them to say from now on, also of pages not there yet. A
  // refusal does no harm: the server then moves what came to another node.
  os::set_page_policy(reinterpret_cast<void*>(range.start), range.end - range.start,
                      os::PagePolicy::process, {});
  return 0;
}

const char* obstacle_of(int error) {
  switch (-error) {
    case 0:
      return nullptr;
    case ENOSYS:
      return "the kernel has no userfaultfd, or a filter of system calls hides it: use a kernel "
             "that "
             "is configured with it, and no such filter";
    case EPERM:
      return "the process may not use userfaultfd for touches inside system calls: set "
             "vm.unprivileged_userfaultfd to 1, or give it access to /dev/userfaultfd (Linux 6.1 "
             "and later) or the capability CAP_SYS_PTRACE";
    case EOPNOTSUPP:
      return "the kernel's userfaultfd does not tell of mappings that move: use Linux 5.7 or later";
    default:
      return "the process has no descriptor or memory left for userfaultfd: raise its limits";
  }
}

}  // namespace

int mark_next_touch(void* start, std::size_t bytes) {
  if (!start || !is_range(start, bytes)) return -EINVAL;
  const Range range = pages_inside(start, bytes);
  if (range.empty() || !marks_matter()) return 0;
  const int64_t begun = os::now_ns();
  const int error = mark(range);
  marking_ns.fetch_add(os::now_ns() - begun, std::memory_order_relaxed);
  if (error == -EPERM || error == -ENOSYS || error == -EOPNOTSUPP) {
    record_refusal("watch pages for their next touch", error);
    return error == -EOPNOTSUPP ? -ENOSYS : error;
  }
  return error;
}

int forget_next_touch(void* start, std::size_t bytes) {
  if (!start || !is_range(start, bytes)) return -EINVAL;
  const Range range = pages_met(start, bytes);
  const RangeHold hold(start, bytes);
  base::Locked locked(markers_lock);
  if (range.empty() || !touch_server().started()) return 0;
  return static_cast<int>(touch_server().ask(Ask::forget, range.start, range.end));
}

std::size_t marked_pages(const void* start, std::size_t bytes) {
  if (!is_range(start, bytes)) return 0;
  const Range range = pages_met(start, bytes);
  base::Locked locked(markers_lock);
  if (range.empty() || !touch_server().started()) return 0;
  return static_cast<std::size_t>(touch_server().ask(Ask::count, range.start, range.end));
}

int watch_touches(uintptr_t start, std::size_t bytes, const RangeHolder& holder) {
  const Range range = pages_inside(reinterpret_cast<void*>(start), bytes);
  if (range.empty()) return 0;
  const RangeHold hold(reinterpret_cast<void*>(range.start), range.end - range.start);
  base::Locked locked(markers_lock);
  if (const int error = touch_server().start()) return error;
  if (touch_server().lives_in(range.start, range.end)) return -EINVAL;
  if (holder.hold != nullptr && !holder.hold(holder.context)) return -EAGAIN;
  // Nobody reads all mappings of the process for one page: those watched are a mapping each.
  int error = touch_server().holds_private_pages(range.start, range.end) ? 0 : -EINVAL;
  if (error == 0) error = static_cast<int>(touch_server().ask(Ask::watch, range.start, range.end));
  if (holder.let_go != nullptr) holder.let_go();
  return error;
}

void unwatch_touches(uintptr_t start, std::size_t bytes) {
  const Range range = pages_met(reinterpret_cast<void*>(start), bytes);
  base::Locked locked(markers_lock);
  if (!range.empty() && touch_server().started())
    touch_server().ask(Ask::unwatch, range.start, range.end);
}

WatchedTouches& watched_touches() { return touch_server().watched; }

int64_t serving_cpu_ns() {
  const int thread = touch_server().kernel_thread();
  return thread != 0 ? std::max<int64_t>(os::thread_cpu_ns(thread), 0) : 0;
}

const char* next_touch_obstacle() {
  if (!tried.load(std::memory_order_relaxed)) {
    bool sees_forks = false;
    const int faults = os::open_user_faults(sees_forks);
    if (faults >= 0) os::close_descriptor(faults);
    obstacle.store(obstacle_of(faults < 0 ? faults : 0), std::memory_order_relaxed);
    tried.store(true, std::memory_order_relaxed);
  }
  return obstacle.load(std::memory_order_relaxed);
}

// The server gives a page before it books that: what it has yet to book of pages that were touched
// before is booked when it answers.
TouchStatistics touch_statistics() {
  base::Locked locked(markers_lock);
  TouchServer& server = touch_server();
  const int64_t marked = server.started() ? server.ask(Ask::count, 0, ~uintptr_t{0}) : 0;
  return {
      marked, server.moved.load(std::memory_order_relaxed),
      server.busy_ns.load(std::memory_order_relaxed) + marking_ns.load(std::memory_order_relaxed)};
}

void mark_on_one_node_too() { on_one_node_too.store(true, std::memory_order_relaxed); }

// Taken here, released in another function, so not for the analysis.
void before_fork_of_marks() XYLEM_NO_THREAD_ANALYSIS {
  markers_lock.lock();
  if (touch_server().started()) touch_server().ask(Ask::forget, 0, ~uintptr_t{0});
}

void after_fork_of_marks(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  if (in_child) touch_server().forget_in_child();
  markers_lock.unlock();
}

}  // namespace xylem::mem
