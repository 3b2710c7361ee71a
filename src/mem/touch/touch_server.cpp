// Owns: the server's life, and how markers and server hand requests to each other. See
// touch_server.hpp; what it does with events is in touch_events.cpp, with requests in
// touch_requests.cpp.
#include "mem/touch/touch_server.hpp"

#include <cerrno>

#include "mem/map/nodes.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/numa.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"

namespace xylem::mem {

namespace {
constexpr size_t most_touches = size_t{1} << 16;
constexpr uint32_t markers_turn = 0, servers_turn = 1;
constinit TouchServer the_server;
}  // namespace

TouchServer& touch_server() { return the_server; }

// --- markers -------------------------------------------------------------------------------------

// Not in a child of a fork that libc did not make.
bool TouchServer::started() const { return started_ && pid_ == os::process_id(); }

int TouchServer::start() {
  if (started()) return 0;
  forget_in_child();
  if (const int error = open()) {
    close_all();
    return error;
  }
  turn_.store(servers_turn, std::memory_order_relaxed);  // making the thread publishes it
  if (const int error = os::start_thread(thread, this, os::all_signals)) {
    close_all();
    return error;
  }
  // pairs with the release in thread()
  while (turn_.load(std::memory_order_acquire) == servers_turn)
    os::futex_wait(&turn_, servers_turn);
  if (const int error = refused_.load(std::memory_order_relaxed)) {
    close_all();
    return error;
  }
  pid_ = os::process_id();
  started_ = true;
  return 0;
}

int TouchServer::open() {
  faults_ = os::open_user_faults(sees_forks_);
  if (faults_ < 0) return faults_;
  bell_ = os::make_bell();
  if (bell_ < 0) return bell_;
  page_states_ = os::open_page_states();
  touches_ = reinterpret_cast<Touch*>(os::map_table(most_touches * sizeof(Touch)));
  zeros_ = os::map_table(touch_page);
  if (!touches_ || !zeros_ || !table_.open()) return -ENOMEM;
  for (int16_t& node : node_of_cpu_) node = -1;
  for (const topo::Pu& pu : machine().pus())
    if (pu.os_index >= 0 && pu.os_index < static_cast<int>(node_of_cpu_.size()))
      node_of_cpu_[static_cast<size_t>(pu.os_index)] = static_cast<int16_t>(kernel_node(pu.node));
  return 0;
}

void TouchServer::close_all() {
  for (int* descriptor : {&faults_, &bell_, &page_states_}) {
    if (*descriptor >= 0) os::close_descriptor(*descriptor);
    *descriptor = -1;
  }
  if (touches_)
    os::unmap_range(reinterpret_cast<uintptr_t>(touches_), most_touches * sizeof(Touch));
  if (zeros_) os::unmap_range(reinterpret_cast<uintptr_t>(zeros_), touch_page);
  touches_ = nullptr;
  zeros_ = nullptr;
  table_.close();
  touch_count_ = 0;
  arming_ = 0;
  untidy_ = started_ = false;
  preferred_ = -1;
}

void TouchServer::forget_in_child() {
  if (started_) close_all();
  turn_.store(markers_turn, std::memory_order_relaxed);  // the child has one thread
}

void TouchServer::hand_over() {
  turn_.store(servers_turn, std::memory_order_release);  // pairs with the acquire in serve()
  os::ring_bell(bell_);
  // pairs with the release in serve()
  while (turn_.load(std::memory_order_acquire) == servers_turn)
    os::futex_wait(&turn_, servers_turn);
}

// The marker's own stack may be marked. That does no harm, as the server needs nothing of it.
long TouchServer::ask(Ask what, uintptr_t start, uintptr_t end) {
  request_ = {};
  request_.what = what;
  request_.start = start;
  request_.end = end;
  hand_over();
  while (request_.take) {
    request_.taken = os::take_pages_away(request_.from, request_.bytes, request_.to);
    hand_over();
  }
  return request_.answer;
}

bool TouchServer::holds_private_pages(uintptr_t start, uintptr_t end) const {
  return os::pages_are_private(page_states_, start, (end - start) / touch_page);
}

// --- the server ----------------------------------------------------------------------------------

void TouchServer::thread(void* self) {
  auto& server = *static_cast<TouchServer*>(self);
  server.stack_ = reinterpret_cast<uintptr_t>(&self);
  server.kernel_thread_.store(os::thread_id(), std::memory_order_relaxed);
  const int refused = os::prefer_node(-1);
  server.refused_.store(refused, std::memory_order_relaxed);    // published by the next line
  server.turn_.store(markers_turn, std::memory_order_release);  // pairs with the acquire in start()
  os::futex_wake(&server.turn_, 1);
  if (refused == 0) server.serve();
}

// Ends where it, or it and other helpers, would keep a process alive.
void TouchServer::serve() {
  const os::HelperThread helper;
  while (!(wait() && table_.total() == 0 && os::only_helpers_left())) {
    const int64_t begun = os::now_ns();
    read_news();
    serve_touches();
    tidy();
    // pairs with the release in hand_over()
    if (turn_.load(std::memory_order_acquire) == servers_turn && answer() == Outcome::done) {
      turn_.store(markers_turn, std::memory_order_release);  // pairs with the acquire there
      os::futex_wake(&turn_, 1);
    }
    busy_ns.fetch_add(os::now_ns() - begun, std::memory_order_relaxed);
  }
}

// What could not be done is tried again soon: somebody else is in the midst of a change of
// mappings, or memory is short. True if nothing came for a while.
bool TouchServer::wait() {
  constexpr int rounds_at_once = 100, a_while_ms = 1000;
  const bool left_over = touch_count_ > 0 || untidy_ ||
                         // relaxed: looked at again with acquire before the request is
                         turn_.load(std::memory_order_relaxed) == servers_turn;
  rounds_ = left_over ? rounds_ + 1 : 0;
  if (rounds_ > 0 && rounds_ < rounds_at_once) os::yield_to_kernel();
  const int most_ms = !left_over ? a_while_ms : rounds_ < rounds_at_once ? 0 : 1;
  return !os::wait_for_faults(faults_, bell_, most_ms) && !left_over;
}

void TouchServer::read_news() {
  std::array<os::FaultEvent, 16> events;
  size_t count = 0;
  do {
    count = os::read_fault_events(faults_, events);
    for (size_t i = 0; i < count; ++i) hear(events[i]);
  } while (count > 0);
}

void TouchServer::prefer(int node) {
  if (node == preferred_) return;
  if (os::prefer_node(node) == 0) preferred_ = node;  // else settle_home() moves the page
}

int TouchServer::node_of_toucher(int thread) const {
  std::array<unsigned long, 128> words{};
  static_assert(words.size() * 64 == std::tuple_size_v<decltype(node_of_cpu_)>);
  const int count = os::processors_of_thread(thread, words);
  int node = -1;
  for (size_t w = 0; w < words.size() && static_cast<int>(w) < count; ++w)
    for (unsigned long rest = words[w]; rest != 0; rest &= rest - 1) {
      const size_t cpu = w * 64 + static_cast<size_t>(__builtin_ctzl(rest));
      if (node >= 0 && node_of_cpu_[cpu] != node) {  // it may run on several: where it is now
        const int here = os::processor_of_thread(thread);
        return here >= 0 && here < static_cast<int>(node_of_cpu_.size())
                   ? node_of_cpu_[static_cast<size_t>(here)]
                   : -1;
      }
      node = node_of_cpu_[cpu];
    }
  return node;
}

}  // namespace xylem::mem
