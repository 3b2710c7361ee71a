// Owns: finding and moving pages. See moves.hpp.
#include "mem/map/moves.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "base/check.hpp"
#include "mem/map/synthetic_pages.hpp"
#include "os/clock.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

namespace {

// Sums. relaxed: they guard no data.
constinit std::atomic<int64_t> all_moved{0};
constinit std::atomic<int64_t> all_ns{0};

// --- finding -------------------------------------------------------------------------------------

void find_synthetic(const Pages& pages, int* nodes) {
  std::array<uint8_t, pages_a_batch> present;
  os::pages_present(pages.address(), {present.data(), pages.count});
  for (size_t i = 0; i < pages.count; ++i) {
    const int home = present[i] ? synthetic_pages().home(pages.first + i) : SyntheticPages::no_home;
    nodes[i] = home == SyntheticPages::no_home ? -ENOENT : home;
  }
}

// Where there is one node and the kernel does not say, what is there is on it.
int find_on_one_node(const Pages& pages, int* nodes) {
  std::array<uint8_t, pages_a_batch> present;
  os::pages_present(pages.address(), {present.data(), pages.count});
  for (size_t i = 0; i < pages.count; ++i) nodes[i] = present[i] ? 0 : -ENOENT;
  return 0;
}

// Kernels before 6.2 say -EFAULT of pages that nobody touched, all say it of pages that were only
// read, and of what is not mapped. A page on a node that the machine in force does not have (a
// cpuset was changed) is on none.
int our_number(int kernel_says) {
  if (kernel_says < 0) return kernel_says == -EFAULT ? -ENOENT : kernel_says;
  const int node = node_of_kernel(kernel_says);
  return node >= 0 ? node : -ENXIO;
}

int ask_kernel(const Pages& pages, int* nodes) {
  std::array<void*, pages_a_batch> addresses;
  for (size_t i = 0; i < pages.count; ++i) addresses[i] = pages.address(i);
  const long answer = os::move_pages(pages.count, addresses.data(), nullptr, nodes);
  if (answer < 0) return static_cast<int>(answer);
  for (size_t i = 0; i < pages.count; ++i) nodes[i] = our_number(nodes[i]);
  return 0;
}

}  // namespace

int find_pages(const Pages& pages, int* nodes) {
  XYLEM_ASSERT(pages.count <= pages_a_batch, "a batch has too many pages");
  if (pages.count == 0) return 0;
  if (nodes_are_synthetic()) return find_synthetic(pages, nodes), 0;
  const int error = ask_kernel(pages, nodes);
  if (!error) return 0;
  if (node_count() == 1) return find_on_one_node(pages, nodes);
  record_refusal("tell where pages are", error);
  std::fill_n(nodes, pages.count, error);
  return error;
}

// --- moving --------------------------------------------------------------------------------------

namespace {

void move_synthetic(const Pages& pages, const int* wanted, Moved& counts) {
  std::array<uint8_t, pages_a_batch> present;
  os::pages_present(pages.address(), {present.data(), pages.count});
  for (size_t i = 0; i < pages.count; ++i) {
    if (wanted[i] < 0) continue;
    const int before = synthetic_pages().set_home(pages.first + i, wanted[i]);
    counts.moved += present[i] && before != SyntheticPages::no_home && before != wanted[i];
  }
}

// The pages of a batch that are to move: by their index in it.
struct Movers {
  std::array<uint16_t, pages_a_batch> index;
  size_t count = 0;
};

// One call. The kernel stops at the first group of pages for one node of which some stay, and says
// nothing of those behind: what it did is read back by the caller.
int move_once(const Pages& pages, const int* wanted, const Movers& movers) {
  std::array<void*, pages_a_batch> addresses;
  std::array<int, pages_a_batch> nodes, status;
  for (size_t i = 0; i < movers.count; ++i) {
    addresses[i] = pages.address(movers.index[i]);
    nodes[i] = kernel_node(wanted[movers.index[i]]);
  }
  const long answer = os::move_pages(movers.count, addresses.data(), nodes.data(), status.data());
  if (answer == -EACCES) return -EPERM;   // a node outside the process's cpuset
  if (answer == -ENODEV) return -ENOMEM;  // a node that has no memory any more
  return answer < 0 ? static_cast<int>(answer) : 0;
}

template <typename Goes>
size_t remove_if(Movers& movers, Goes goes) {
  auto* end = movers.index.data() + movers.count;
  const auto left =
      static_cast<size_t>(std::remove_if(movers.index.data(), end, goes) - movers.index.data());
  return std::exchange(movers.count, left) - left;
}

// Groups that stay are left aside, so that those behind them get their turn.
int move_in_kernel(const Pages& pages, const int* wanted, Moved& counts) {
  std::array<int, pages_a_batch> now;
  if (const int error = find_pages(pages, now.data())) return error;
  Movers movers;
  for (size_t i = 0; i < pages.count; ++i)
    if (wanted[i] >= 0 && (now[i] >= 0 || now[i] == -ENXIO) && now[i] != wanted[i])
      movers.index[movers.count++] = static_cast<uint16_t>(i);
  while (movers.count > 0) {
    const int error = move_once(pages, wanted, movers);
    if (const int lost = find_pages(pages, now.data())) return lost;
    const size_t came = remove_if(movers, [&](size_t i) { return now[i] == wanted[i]; });
    counts.moved += came;
    if (error && came == 0) {
      counts.stuck += movers.count;
      record_refusal("move pages between nodes", error);
      return error;
    }
    if (came > 0 || movers.count == 0) continue;
    const int node = wanted[movers.index[0]];
    counts.stuck += remove_if(movers, [&](size_t i) { return wanted[i] == node; });
  }
  return 0;
}

}  // namespace

int move_pages(const Pages& pages, const int* wanted, Moved& counts) {
  XYLEM_ASSERT(pages.count <= pages_a_batch, "a batch has too many pages");
  const int64_t began = os::now_ns();
  const size_t moved_before = counts.moved;
  int error = 0;
  if (nodes_are_synthetic())
    move_synthetic(pages, wanted, counts);
  else if (kernel_places_pages())
    error = move_in_kernel(pages, wanted, counts);
  all_moved.fetch_add(static_cast<int64_t>(counts.moved - moved_before), std::memory_order_relaxed);
  all_ns.fetch_add(os::now_ns() - began, std::memory_order_relaxed);
  return error;
}

Statistics move_statistics() {
  Statistics sums;
  sums.moved_pages = all_moved.load(std::memory_order_relaxed);
  sums.moving_ns = all_ns.load(std::memory_order_relaxed);
  return sums;
}

}  // namespace xylem::mem
