// Owns: which events there are, and setting their callbacks. See entry_points.hpp.
#include "abi/ompt/entry_points.hpp"
#include "omp/tool/listening.hpp"

namespace xylem::abi::ompt {

namespace {

// How often a callback is called, by event. GCC's code does not come to the runtime for what is
// `sometimes`: masked regions, loops with a static schedule, reductions, flushes. Target regions
// run on the host as part of the program: they raise nothing.
SetResult promise(Event event) {
  switch (event) {
    case Event::thread_begin:
    case Event::parallel_begin:
    case Event::parallel_end:
    case Event::task_create:
    case Event::task_schedule:
    case Event::implicit_task:
    case Event::control_tool:
    case Event::sync_region_wait:
    case Event::sync_region:
    case Event::mutex_released:
    case Event::mutex_acquire:
    case Event::mutex_acquired:
    case Event::nest_lock:
    case Event::lock_init:
    case Event::lock_destroy:
    case Event::dependences:
    case Event::task_dependence:
    case Event::cancel:
    case Event::error:
      return SetResult::always;
    case Event::thread_end:
    case Event::work:
    case Event::dispatch:
    case Event::masked:
    case Event::reduction:
    case Event::flush:
      return SetResult::sometimes;
    default:
      return SetResult::never;
  }
}

bool is_event(Event event) {
  const int number = static_cast<int>(event);
  return number >= 1 && number <= omp::tool::last_event;
}

}  // namespace

SetResult set_callback(Event event, AnyCallback callback) {
  if (!is_event(event)) return SetResult::error;
  // release: pairs with the acquire in omp::tool::callback()
  omp::tool::callback_slot(event).store(callback, std::memory_order_release);
  return promise(event);
}

int get_callback(Event event, AnyCallback* callback) {
  if (!is_event(event)) return 0;
  *callback = omp::tool::callback_slot(event).load(std::memory_order_acquire);
  return *callback != nullptr;
}

}  // namespace xylem::abi::ompt
