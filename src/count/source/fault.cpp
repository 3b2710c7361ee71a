// Owns: the thread that watches pages. See fault.hpp.
#include "count/source/fault.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "count/source/program_arrays.hpp"
#include "count/source/thread_numbers.hpp"
#include "mem/touch/next_touch.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/memory.hpp"
#include "os/thread.hpp"

namespace xylem::count {

namespace {

constexpr int64_t second_ns = 1'000'000'000, tick_ns = 5'000'000, look_ns = 100'000'000;
constexpr int64_t patience_ns = 2 * second_ns;
constexpr std::size_t most_watched = 512;  // at a time: each is a mapping in the kernel's books

// Numbers for those who ask; written by the source's thread (`told`: by the engines'), relaxed.
constinit std::atomic<int64_t> watched_pages{0}, told_touches{0}, spent_ns{0}, page_ns{0};

// From the source's thread to the engines'.
constinit mem::WatchedTouches seen_touches;

// The pages of all arrays, in an order in which every stretch of the order is spread evenly over
// them: multiples of the golden ratio.
class PageOrder {
 public:
  void set_arrays(std::vector<ProgramArray> arrays) {
    arrays_ = std::move(arrays);
    pages_ = 0;
    for (const ProgramArray& array : arrays_) pages_ += whole_pages(array).count;
  }
  struct Page {
    uintptr_t address = 0;                // 0: there are no arrays
    const ProgramArray* array = nullptr;  // until others are set
  };
  Page next() {
    if (pages_ == 0) return {};
    turn_ += 0x9e3779b97f4a7c15ull;
    auto page = static_cast<uint64_t>(static_cast<unsigned __int128>(turn_) * pages_ >> 64);
    for (const ProgramArray& array : arrays_) {
      const Whole whole = whole_pages(array);
      if (page < whole.count) return {whole.start + page * os::page_size(), &array};
      page -= whole.count;
    }
    return {};
  }

 private:
  struct Whole {
    uintptr_t start;
    uint64_t count;
  };
  static Whole whole_pages(const ProgramArray& array) {
    const std::size_t page = os::page_size();
    const uintptr_t start = (array.start + page - 1) / page * page;
    const uintptr_t end = (array.start + array.bytes) / page * page;
    return {start, end > start ? (end - start) / page : 0};
  }

  std::vector<ProgramArray> arrays_;
  uint64_t pages_ = 0;
  uint64_t turn_ = 0;
};

constexpr auto hold = [](const void* array) {
  return hold_array(*static_cast<const ProgramArray*>(array));
};

bool is_present(uintptr_t page) {
  std::array<uint8_t, 1> present{};
  os::pages_present(reinterpret_cast<const void*>(page), present);
  return present[0] != 0;
}

class Sampler {
 public:
  explicit Sampler(const FaultSettings& settings) : settings_(settings) {}

  // Ends with the program's first thread: nobody else is to keep the process alive.
  void run() {
    int64_t before = os::now_ns(), looked = before - look_ns;
    while (!os::first_thread_ended()) {
      sleep();
      const int64_t now = os::now_ns();
      if (now - looked >= look_ns) {
        order_.set_arrays(program_arrays());
        looked = now;
        spend(os::now_ns() - now);
      }
      earn(now - before);
      before = now;
      hand_on();
      end_old(now);
      while (pages_due_ >= 1 && credit_ns_ >= cost_ns() && watch_one()) {
      }
    }
  }

 private:
  void sleep() {
    static constinit std::atomic<uint32_t> never{0};  // nobody wakes
    os::futex_wait(&never, 0, tick_ns);
  }

  // No more than a second's worth is kept for later.
  void earn(int64_t passed_ns) {
    const double share = settings_.most_cost;
    const auto ns = static_cast<double>(passed_ns);
    credit_ns_ = std::min(credit_ns_ + ns * share, share * static_cast<double>(second_ns));
    pages_due_ = std::min(pages_due_ + ns * settings_.pages_a_second / second_ns,
                          static_cast<double>(most_watched));
  }
  void spend(int64_t ns) {
    credit_ns_ -= static_cast<double>(ns);
    spent_ns.fetch_add(ns, std::memory_order_relaxed);
  }
  static double cost_ns() { return static_cast<double>(page_ns.load(std::memory_order_relaxed)); }

  // False: no more now.
  bool watch_one() {
    const auto [page, array] = order_.next();
    if (page == 0 || count_ == most_watched) return false;
    pages_due_ -= 1;
    const int64_t begun = os::now_ns();
    const bool done = is_present(page) && mem::watch_touches(page, os::page_size(),
                                                             {hold, let_go_of_array, array}) == 0;
    if (!done) {
      spend(os::now_ns() - begun);
      return true;
    }
    spend(static_cast<int64_t>(cost_ns()));
    watched_pages.fetch_add(1, std::memory_order_relaxed);
    watched_[count_++] = {page, begun};
    return true;
  }

  // What was touched goes to the engines.
  void hand_on() {
    mem::WatchedTouch touch;
    while (mem::watched_touches().take(touch)) {
      const auto end = watched_.begin() + static_cast<std::ptrdiff_t>(count_);
      const auto found = std::ranges::find(watched_.begin(), end, touch.page, &Watched::page);
      if (found == end) continue;
      *found = watched_[--count_];
      seen_touches.put(touch);
    }
  }

  void end_old(int64_t now) {
    for (std::size_t i = count_; i-- > 0;) {
      if (now - watched_[i].since <= patience_ns) continue;
      mem::unwatch_touches(watched_[i].page, os::page_size());
      watched_[i] = watched_[--count_];
    }
  }

  struct Watched {
    uintptr_t page;
    int64_t since;
  };
  const FaultSettings settings_;
  PageOrder order_;
  double credit_ns_ = 0;
  double pages_due_ = 0;
  std::array<Watched, most_watched> watched_{};  // the first count_ of them
  std::size_t count_ = 0;
};

void run_sampler(void* sampler) { static_cast<Sampler*>(sampler)->run(); }

// Of what the engines' thread takes.
void take_touches(os::AccessSink sink, void* to) {
  mem::WatchedTouch touch;
  while (seen_touches.take(touch)) {
    told_touches.fetch_add(1, std::memory_order_relaxed);
    sink(to, touch.page / os::page_size(), touch.number, 1, 0);
  }
}

}  // namespace

int64_t measure_fault_ns() {
  constexpr std::size_t pages = 32;
  const std::size_t page = os::page_size();
  char* start = os::map_memory(pages * page);
  if (start == nullptr) return 0;
  std::fill(start, start + pages * page, char{1});
  std::array<int64_t, pages> times{};
  for (std::size_t i = 0; i < pages; ++i) {
    const int64_t begun = os::now_ns();
    if (mem::watch_touches(reinterpret_cast<uintptr_t>(start + i * page), page) != 0) break;
    *static_cast<volatile char*>(start + i * page);
    times[i] = os::now_ns() - begun;
  }
  os::unmap_pages(start, pages * page);
  mem::WatchedTouch own;
  while (mem::watched_touches().take(own)) {
  }
  std::ranges::nth_element(times, times.begin() + pages / 2);
  return times[pages / 2];
}

bool start_fault_source(const FaultSettings& settings, const char*& obstacle) {
  obstacle = mem::next_touch_obstacle();
  if (obstacle != nullptr) return false;
  mem::watched_touches().set_numbers(thread_number_of);
  find_holding_functions();
  program_arrays();  // so that its thread need not ask the loader what has a lock that forks keep
  const int64_t cost = measure_fault_ns();
  page_ns.store(cost, std::memory_order_relaxed);
  auto* sampler = new Sampler(settings);  // lives as long as the process
  if (cost > 0 && os::start_thread(run_sampler, sampler, os::all_signals) == 0) return true;
  delete sampler;
  obstacle = "a kernel thread, or memory for it, cannot be had";
  return false;
}

Source fault_source() {
  return {.name = "fault",
          .take = take_touches,
          .sees = Sees::touches,
          .member_begins = say_thread_number};
}

FaultStatistics fault_statistics() {
  return {watched_pages.load(std::memory_order_relaxed),
          told_touches.load(std::memory_order_relaxed), spent_ns.load(std::memory_order_relaxed),
          page_ns.load(std::memory_order_relaxed)};
}

}  // namespace xylem::count
