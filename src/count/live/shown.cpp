// Owns: the numbers, and the events of the trace. See shown.hpp.
#include "count/live/shown.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sched/sched.hpp"
#include "trace/emit.hpp"

namespace xylem::count {

namespace {

using trace::event;
using trace::make_record;

// By the engines' thread, read by the monitor. Relaxed: numbers, each right for some moment.
struct Numbers {
  std::atomic<uint64_t> choices, pages, threads, dealt, undone, local_before, local_after;
  std::atomic<int64_t> gain_ns;
};
constinit Numbers numbers{};
constinit const char* source_name = "";  // a literal; published by show_live_engines()

void add(std::atomic<uint64_t>& number, uint64_t more) {
  number.fetch_add(more, std::memory_order_relaxed);
}

// Rounded.
uint64_t thousandths(double share) {
  return static_cast<uint64_t>(std::clamp(share, 0.0, 1.0) * 10000 + 5) / 10;
}

int64_t gain_of(const Choice& choice) {
  return static_cast<int64_t>(std::max(choice.before_ns - choice.after_ns, 0.0));
}

sched::LiveEngines engines_now() {
  sched::LiveEngines now{};
  std::strncpy(now.source, source_name, sizeof now.source - 1);
  now.choices = numbers.choices.load(std::memory_order_relaxed);
  now.pages = numbers.pages.load(std::memory_order_relaxed);
  now.threads = numbers.threads.load(std::memory_order_relaxed);
  now.dealt = numbers.dealt.load(std::memory_order_relaxed);
  now.undone = numbers.undone.load(std::memory_order_relaxed);
  now.local_before = numbers.local_before.load(std::memory_order_relaxed);
  now.local_after = numbers.local_after.load(std::memory_order_relaxed);
  now.gain_ns = numbers.gain_ns.load(std::memory_order_relaxed);
  return now;
}

void trace_choice(const Choice& choice) {
  auto source = sched::trace_source(sched::this_thread());
  const std::size_t pages = choice.pages.moves.size();
  const uint64_t before = thousandths(choice.local_before), after = thousandths(choice.local_after);
  if (choice.iterations_of.empty())
    source.put(make_record<event("engines_chose")>(pages, choice.threads.size(), before, after,
                                                   gain_of(choice)));
  else
    source.put(make_record<event("engines_dealt")>(pages, with_other_iterations(choice), before,
                                                   after, gain_of(choice)));
}

void trace_undone(int64_t before_ns, int64_t after_ns) {
  sched::trace_source(sched::this_thread())
      .put(make_record<event("engines_undid")>(before_ns, after_ns));
}

}  // namespace

void show_engines(const char* source) {
  source_name = source;
  sched::show_live_engines(engines_now);
}

void show_choice(const Choice& choice) {
  add(numbers.choices, 1);
  add(numbers.pages, choice.pages.moves.size());
  add(numbers.threads, choice.threads.size());
  add(numbers.dealt, with_other_iterations(choice));
  numbers.local_before.store(thousandths(choice.local_before), std::memory_order_relaxed);
  numbers.local_after.store(thousandths(choice.local_after), std::memory_order_relaxed);
  numbers.gain_ns.store(gain_of(choice), std::memory_order_relaxed);
  trace::emit<trace_choice>(choice);
}

void show_undone(int64_t before_ns, int64_t after_ns) {
  add(numbers.undone, 1);
  trace::emit<trace_undone>(before_ns, after_ns);
}

}  // namespace xylem::count
