// Owns: the two threads that hand messages to and fro. See copy_times.hpp.
//
// `turn` counts the messages that were taken. Side `turn` % 2 has the turn: it copies what the
// other side has written, reads its copy, writes its own message, and adds one to `turn`. So nobody
// touches a buffer while the other side does.
#include "tool/topo/copy_times.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "base/relax.hpp"
#include "os/cache_lines.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/memory.hpp"
#include "os/thread.hpp"
#include "tool/command/common.hpp"
#include "topo/copy_threshold.hpp"

namespace xylem::tool {

namespace {

constexpr int runs = 5;
constexpr std::uint64_t bytes_a_run = 32 << 20;
constexpr std::uint64_t most_bytes = 64 << 20;  // of a message

enum Way : std::uint8_t { through, past };

class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : start_(os::map_pages(bytes)), bytes_(bytes) {}
  ~Buffer() {
    if (start_) os::unmap_pages(start_, bytes_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* start() const { return start_; }

 private:
  char* start_;
  std::size_t bytes_;
};

class Exchange {
 public:
  Exchange(std::array<int, 2> cpus, std::span<const std::uint64_t> sizes)
      : cpus_(cpus), sizes_(sizes) {
    for (const std::uint64_t size : sizes) times_.push_back({size, 0, 0});
  }

  std::vector<CopyTimes> run() {
    std::thread other([this] { be_side(1); });
    std::thread([this] { be_side(0); }).join();  // the caller's binding stays what it is
    other.join();
    return failed_.load() ? std::vector<CopyTimes>{} : times_;
  }

 private:
  // Each side touches its own buffers first, so that they are on its node.
  void be_side(std::uint32_t side) {
    Buffer message(sizes_.back()), copy(sizes_.back());
    messages_[side] = message.start();
    if (os::bind_to_cpu(cpus_[side]) != 0 || !message.start() || !copy.start()) failed_ = true;
    if (!failed_) write(message.start(), sizes_.back());
    meet();
    if (!failed_) measure(side, copy.start());
    meet();  // the other side reads the message
  }

  void measure(std::uint32_t side, char* copy) {
    std::uint32_t turn = side;
    for (int run = 0; run < runs; ++run)
      for (CopyTimes& times : times_)
        for (const Way way : {through, past}) {
          const double ns = time_messages(turn, times.bytes, way, copy);
          double& least = way == past ? times.past_ns : times.through_ns;
          if (side == 0 && (run == 0 || ns < least)) least = ns;
        }
  }

  // The first message there and back does not count: the other side may not have begun.
  double time_messages(std::uint32_t& turn, std::uint64_t bytes, Way way, char* copy) {
    const auto rounds = static_cast<int>(std::clamp<std::uint64_t>(bytes_a_run / bytes, 2, 200));
    std::int64_t begin = 0;
    for (int round = 0; round <= rounds; ++round, turn += 2) {
      take_turn(turn, bytes, way, copy);
      if (round == 0) begin = os::now_ns();
    }
    return static_cast<double>(os::now_ns() - begin) / (2.0 * rounds);
  }

  void take_turn(std::uint32_t turn, std::uint64_t bytes, Way way, char* copy) {
    wait_for(turn_, turn);
    const char* theirs = messages_[1 - turn % 2];
    way == past ? os::copy_past_caches(copy, theirs, bytes)
                : os::copy_through_caches(copy, theirs, bytes);
    read(copy, bytes);
    write(messages_[turn % 2], bytes);
    turn_.store(turn + 1, std::memory_order_release);  // pairs with wait_for()
  }

  // Both come here equally often.
  void meet() {
    const std::uint32_t wanted = (met_.fetch_add(1, std::memory_order_acq_rel) / 2 + 1) * 2;
    while (met_.load(std::memory_order_acquire) < wanted) os::yield_to_kernel();
  }

  // Both sides may have one processor.
  static void wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    for (int look = 0; word.load(std::memory_order_acquire) != value; ++look)
      look < 1000 ? base::relax() : os::yield_to_kernel();
  }

  static void read(const volatile char* from, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += os::cache_line_bytes) static_cast<void>(from[i]);
  }
  static void write(volatile char* to, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += os::cache_line_bytes) to[i] = 1;
  }

  const std::array<int, 2> cpus_;
  const std::span<const std::uint64_t> sizes_;
  std::vector<CopyTimes> times_;     // by side 0
  std::array<char*, 2> messages_{};  // each by its side, before they meet
  std::atomic<std::uint32_t> turn_{0}, met_{0};
  std::atomic<bool> failed_{false};  // by a side, before they meet
};

// From an eighth of what the formula says to four times that, in whole pages.
std::vector<std::uint64_t> sizes_around(std::uint64_t formula) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t eighths : {1, 2, 4, 6, 8, 12, 16, 24, 32}) {
    const std::uint64_t size = formula * eighths / 8 / os::page_size() * os::page_size();
    if (size > 0 && size <= most_bytes) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

std::vector<CopyTimes> time_copies(int cpu_a, int cpu_b, std::span<const std::uint64_t> sizes) {
  if (sizes.empty()) return {};
  return Exchange({cpu_a, cpu_b}, sizes).run();
}

std::uint64_t measured_threshold(std::span<const CopyTimes> times) {
  std::uint64_t least = 0;
  for (const CopyTimes& each : times)
    if (each.past_ns >= each.through_ns)
      least = 0;
    else if (least == 0)
      least = each.bytes;
  return least;
}

std::string measured_copies_text(const topo::Machine& machine, int pu_a, int pu_b) {
  const std::uint64_t formula = topo::copy_threshold(machine, pu_a, pu_b, 0).bytes;
  const std::vector<CopyTimes> times =
      time_copies(machine.pu_os_index(pu_a), machine.pu_os_index(pu_b), sizes_around(formula));
  if (times.empty()) return "";
  std::string text = fmt::format(
      "\nMeasured, until a message is copied, read and answered, us:\n"
      "{:>12}{:>20}{:>12}\n",
      "message", "through the caches", "past them");
  for (const CopyTimes& each : times)
    text += fmt::format("{:>12}{:>20.1f}{:>12.1f}\n", memory_text(each.bytes),
                        each.through_ns / 1e3, each.past_ns / 1e3);
  const std::uint64_t least = measured_threshold(times);
  return text + (least > 0
                     ? fmt::format("Past the caches is sooner from {} on.\n", memory_text(least))
                     : "Past the caches was not sooner for the largest of them.\n");
}

}  // namespace xylem::tool
