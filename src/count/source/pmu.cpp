// Owns: the rings of the process. See pmu.hpp.
#include "count/source/pmu.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "count/source/pmu_events.hpp"
#include "count/source/thread_numbers.hpp"
#include "os/access_samples.hpp"
#include "os/event_counter.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"

namespace xylem::count {

namespace {

constexpr std::size_t most_threads = 4096, most_events = 2;

// Written once, before the first region.
std::vector<os::SampledEvent>* the_events = nullptr;
constinit int the_process = 0;

// A kernel thread's, written by itself; `is_open` publishes the rings.
struct ThreadRings {
  std::atomic<bool> is_open{false};
  std::array<os::SampleRing, most_events> rings{};
};
constinit std::array<ThreadRings, most_threads> all_rings{};
constinit std::atomic<std::size_t> rings_taken{0};  // the first so many; relaxed: see is_open
constinit std::atomic<int64_t> samples_seen{0}, samples_dropped{0};  // relaxed: numbers

constexpr const char* no_events =
    "Linux describes no event of this machine's processors that samples data addresses (Intel's "
    "mem-loads, AMD's ibs_op)";

const char* find_events(const PmuSettings& settings, std::vector<os::SampledEvent>& events) {
  const auto rate = static_cast<uint64_t>(settings.samples_a_second);
  if (settings.event.empty()) {
    events = memory_events("", rate);
    return events.empty() ? no_events : nullptr;
  }
  os::SampledEvent event;
  if (!parse_event(settings.event, event))
    return "XYLEM_PMU_EVENT is not TYPE:CONFIG or TYPE:CONFIG:CONFIG1";
  events = {event};
  return nullptr;
}

// Null: the first of them opens.
const char* usable_events(const PmuSettings& settings, std::vector<os::SampledEvent>& events) {
  if (const char* why = find_events(settings, events)) return why;
  os::SampleRing ring;
  if (const int error = os::open_sample_ring(events.front(), ring))
    return os::event_obstacle(
        error, "the processor, or the virtual machine that shows it, samples no data addresses");
  os::close_sample_ring(ring);
  return nullptr;
}

int open_rings(ThreadRings& mine) {
  for (std::size_t i = 0; i < the_events->size() && i < most_events; ++i)
    if (const int error = os::open_sample_ring((*the_events)[i], mine.rings[i])) return error;
  return 0;
}

void member_begins(int number) {
  if (!record_thread_number(number)) return;
  const std::size_t index = rings_taken.fetch_add(1, std::memory_order_relaxed);
  if (index >= most_threads) return;
  open_rings(all_rings[index]);  // what cannot be opened is not sampled
  all_rings[index].is_open.store(true,
                                 std::memory_order_release);  // pairs with the acquire in take()
}

struct Sink {
  os::AccessSink sink;
  void* to;
  int64_t count = 0;
};

void give(void* raw, const os::AccessSample& sample) {
  auto& sink = *static_cast<Sink*>(raw);
  ++sink.count;
  const uint64_t page = sample.address / os::page_size();
  sink.sink(sink.to, page, thread_number_of(sample.kernel_thread),
            sample.is_write ? 0 : sample.events, sample.is_write ? sample.events : 0);
}

// A child of fork() has no rings.
void take(os::AccessSink sink, void* to) {
  if (os::process_id() != the_process) return;
  Sink mine{sink, to};
  uint64_t dropped = 0;
  const std::size_t taken = rings_taken.load(std::memory_order_relaxed);
  for (const ThreadRings& thread : std::span(all_rings).first(std::min(taken, most_threads))) {
    if (!thread.is_open.load(std::memory_order_acquire)) continue;  // pairs with member_begins()
    for (const os::SampleRing& ring : thread.rings)
      if (ring.pages != nullptr) dropped += os::take_samples(ring, give, &mine);
  }
  samples_seen.fetch_add(mine.count, std::memory_order_relaxed);
  samples_dropped.fetch_add(static_cast<int64_t>(dropped), std::memory_order_relaxed);
}

}  // namespace

const char* pmu_obstacle(const PmuSettings& settings) {
  std::vector<os::SampledEvent> events;
  return usable_events(settings, events);
}

const char* start_pmu_source(const PmuSettings& settings) {
  std::vector<os::SampledEvent> events;
  if (const char* why = usable_events(settings, events)) return why;
  the_events =
      new std::vector<os::SampledEvent>(std::move(events));  // lives as long as the process
  the_process = os::process_id();
  return nullptr;
}

Source pmu_source() {
  return {.name = "pmu", .take = take, .sees = Sees::samples, .member_begins = member_begins};
}

PmuStatistics pmu_statistics() {
  return {samples_seen.load(std::memory_order_relaxed),
          samples_dropped.load(std::memory_order_relaxed)};
}

}  // namespace xylem::count
