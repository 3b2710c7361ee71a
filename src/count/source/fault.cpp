// Owns: the thread that watches pages. See fault.hpp.
#include "count/source/fault.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>
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

constexpr int64_t second_ns = 1'000'000'000;
// Earned from one look to the next, so that some pages come at once: to wake up costs as much as a
// page.
constexpr double earned_a_scan_ns = 1'000'000;
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

// What may be spent, and what was. A page is charged what pages cost on average when it is watched;
// what it did cost is settled afterwards, with what the threads of the source did besides.
class Budget {
 public:
  Budget(double share, const FaultCost& measured)
      : share_(share),
        page_ns_(static_cast<double>(measured.page_ns)),
        touch_ns_(measured.touch_ns) {}

  // The calling thread's processor time, and the server's, count from now on.
  void begin() { used_ns_ = used_now(); }

  // No more than a second's worth is kept for later.
  void earn(int64_t passed_ns) {
    credit_ns_ = std::min(credit_ns_ + share_ * static_cast<double>(passed_ns),
                          share_ * static_cast<double>(second_ns));
  }
  void settle(int touches) {
    const int64_t used = used_now();
    const int64_t spent = used - std::exchange(used_ns_, used) + touches * touch_ns_;
    credit_ns_ += std::exchange(charged_ns_, 0) - static_cast<double>(spent);
    spent_ns.fetch_add(spent, std::memory_order_relaxed);
    if (watched_ >= enough) page_ns_ = all_spent() / static_cast<double>(watched_);
    page_ns.store(static_cast<int64_t>(page_ns_), std::memory_order_relaxed);
  }

  bool pays_a_page() const { return credit_ns_ >= page_ns_; }
  void charge_a_page() {
    credit_ns_ -= page_ns_;
    charged_ns_ += page_ns_;
    ++watched_;
  }

 private:
  static constexpr int64_t enough = 32;  // pages, from which on their own cost counts

  static int64_t used_now() {
    return std::max<int64_t>(os::thread_cpu_ns(os::thread_id()), 0) + mem::serving_cpu_ns();
  }
  static double all_spent() {
    return static_cast<double>(spent_ns.load(std::memory_order_relaxed));
  }

  const double share_;
  double page_ns_;  // on average
  const int64_t touch_ns_;
  double credit_ns_ = 0;   // earned, and neither spent nor charged
  double charged_ns_ = 0;  // since it was settled last
  int64_t used_ns_ = 0;    // processor time when it was settled last
  int64_t watched_ = 0;
};

class Sampler {
 public:
  Sampler(const FaultSettings& settings, const FaultCost& measured)
      : settings_(settings), budget_(settings.most_cost, measured) {}

  // Ends with the program's first thread: nobody else is to keep the process alive.
  void run() {
    int64_t before = os::now_ns();
    budget_.begin();
    while (!os::first_thread_ended()) {
      sleep();
      const int64_t now = os::now_ns();
      earn(now - std::exchange(before, now));
      budget_.settle(hand_on());
      end_old(now);
      if (may_watch()) order_.set_arrays(program_arrays());
      while (may_watch() && watch_one()) {
      }
    }
  }

 private:
  void sleep() const {
    static constinit std::atomic<uint32_t> never{0};  // nobody wakes
    os::futex_wait(&never, 0, static_cast<int64_t>(earned_a_scan_ns / settings_.most_cost));
  }

  void earn(int64_t passed_ns) {
    budget_.earn(passed_ns);
    const double pages = static_cast<double>(passed_ns) * settings_.pages_a_second / second_ns;
    pages_due_ = std::min(pages_due_ + pages, static_cast<double>(most_watched));
  }
  bool may_watch() const {
    return pages_due_ >= 1 && budget_.pays_a_page() && count_ < most_watched;
  }

  // False: there are no arrays.
  bool watch_one() {
    const auto [page, array] = order_.next();
    if (page == 0) return false;
    pages_due_ -= 1;
    if (mem::watch_touches(page, os::page_size(), {hold, let_go_of_array, array}) != 0) return true;
    budget_.charge_a_page();
    watched_pages.fetch_add(1, std::memory_order_relaxed);
    watched_[count_++] = {page, os::now_ns()};
    return true;
  }

  // What was touched goes to the engines. Returns how many touches there were.
  int hand_on() {
    mem::WatchedTouch touch;
    int touches = 0;
    for (; mem::watched_touches().take(touch); ++touches) {
      const auto end = watched_.begin() + static_cast<std::ptrdiff_t>(count_);
      const auto found = std::ranges::find(watched_.begin(), end, touch.page, &Watched::page);
      if (found == end) continue;
      *found = watched_[--count_];
      seen_touches.put(touch);
    }
    return touches;
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
  Budget budget_;
  PageOrder order_;
  double pages_due_ = 0;
  std::array<Watched, most_watched> watched_{};  // the first count_ of them
  std::size_t count_ = 0;
};

int64_t median(std::span<int64_t> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

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

FaultCost measure_fault() {
  constexpr std::size_t pages = 32;
  const std::size_t page = os::page_size();
  char* start = os::map_memory(pages * page);
  if (start == nullptr) return {};
  std::fill(start, start + pages * page, char{1});
  std::array<int64_t, pages> all{}, touches{};
  for (std::size_t i = 0; i < pages; ++i) {
    const int64_t begun = os::now_ns();
    if (mem::watch_touches(reinterpret_cast<uintptr_t>(start + i * page), page) != 0) break;
    const int64_t watched = os::now_ns();
    *static_cast<volatile char*>(start + i * page);
    const int64_t touched = os::now_ns();
    all[i] = touched - begun;
    touches[i] = touched - watched;
  }
  os::unmap_pages(start, pages * page);
  mem::WatchedTouch own;
  while (mem::watched_touches().take(own)) {
  }
  return {median(all), median(touches)};
}

bool start_fault_source(const FaultSettings& settings, const char*& obstacle) {
  obstacle = mem::next_touch_obstacle();
  if (obstacle != nullptr) return false;
  mem::watched_touches().set_numbers(thread_number_of);
  find_holding_functions();
  program_arrays();  // so that its thread need not ask the loader what has a lock that forks keep
  const FaultCost cost = measure_fault();
  page_ns.store(cost.page_ns, std::memory_order_relaxed);
  auto* sampler = new Sampler(settings, cost);  // lives as long as the process
  if (cost.page_ns > 0 && os::start_thread(run_sampler, sampler, os::all_signals) == 0) return true;
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
