// Owns: whether a tool listens, its callbacks, and how one is called.
//
// A tool is looked for when the runtime starts (abi/ompt/start_tool.hpp). Until then on() is true
// where there may be one: what the program asks of the runtime first starts it, and is told. A tool
// that goes leaves no callbacks; who is between two events of a pair raises none for the second.
// Every callback runs on the OpenMP thread that the event is of, with no lock held.
#pragma once

#include <atomic>

#include "omp/tool/interface.hpp"
#include "trace/emit.hpp"

namespace xylem::omp::tool {

// The one test on paths that a tool is told of; all else is out of line.
inline bool on() { return trace::watches(trace::a_tool); }

// While the library is loaded, if there may be a tool: `start` is called once, when the runtime has
// started, and says by stop_listening() if there is none.
void expect_tool(void (*start)());
// Of expect_tool(); null: no tool is expected.
void (*expected_start())();
// There is no tool, or none any more.
void stop_listening();

// By event; null: none was set. Written by the tool at any time (release), read by who raises
// (acquire): the callback sees what the tool did before it set it.
extern constinit std::atomic<AnyCallback> callbacks[last_event + 1];

inline std::atomic<AnyCallback>& callback_slot(Event event) {
  return callbacks[static_cast<int>(event)];
}

// Null if the tool set none.
template <Event event>
typename CallbackOf<event>::Type callback() {
  return reinterpret_cast<typename CallbackOf<event>::Type>(
      callback_slot(event).load(std::memory_order_acquire));
}

template <Event event, typename... Arguments>
void raise(Arguments... arguments) {
  if (const auto call = callback<event>()) call(arguments...);
}

// Where the program called the runtime: the address of return, and the canonical frame address of
// the entry point.
struct Call {
  const void* code = nullptr;
  void* frame = nullptr;
};

// In an entry point, and in what is always inlined there.
[[gnu::always_inline]] inline Call here() {
  return {__builtin_return_address(0), __builtin_dwarf_cfa()};
}

// Likewise: what the caller had in its frame pointer, if it was compiled to have one.
[[gnu::always_inline]] inline void* callers_frame_pointer() {
  return *static_cast<void**>(__builtin_frame_address(0));
}

}  // namespace xylem::omp::tool
