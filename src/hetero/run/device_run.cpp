// Owns: tasks under way on a device. See device_run.hpp.
//
// A task that the device could not run goes back to the policy for others: nothing that it was to
// write counts before its kernel has ended (Piece::release), so it finds what it was submitted for.
// A kernel that fails midway leaves its device's copies spoiled: its task finds other copies of
// what it was submitted for, or ends with the kernel's error. So it is with what it worked on in
// main memory (zero copy), also where its device is gone.
#include "hetero/run/device_run.hpp"

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "hetero/driver/devices.hpp"
#include "hetero/run/crew.hpp"
#include "hetero/run/device_load.hpp"
#include "hetero/run/execute.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/measured.hpp"
#include "hetero/tracing.hpp"
#include "os/clock.hpp"
#include "sched/sched.hpp"

namespace xylem::hetero {

namespace {

constexpr int64_t patience_ns = 2'000'000'000;

// What a run has left of what its task was to write.
enum class Left : uint8_t { written, untouched, spoiled, lost };

class DeviceRun {
 public:
  DeviceRun(Runner runner, bool measured)
      : runner_(runner),
        device_(executors()[static_cast<size_t>(runner.executor)].node),
        measured_(measured) {}

  // Brings the task's data and launches its kernel. False, and nothing is begun: there was no room
  // for the data; with the other run ended there may be. `alone`: it has.
  bool start(Task& task, bool alone);
  // Waits for the kernel, if there is one, and ends its task.
  void finish();

 private:
  int take_data();
  int take_data_alone();
  int take(const Use& use, int number);
  int launch();
  bool start_without(int error, bool alone);
  void give_back(Piece& piece, Access access, Left left) const;
  void give_back(Left left);
  bool can_read() const;
  void fail(int error);
  Task& let_go_of_task();
  void end_with(int error);
  void run_elsewhere(int error);

  const Runner runner_;
  const int device_;
  const bool measured_;
  Task* task_ = nullptr;  // null: nothing is under way
  void* kernel_ = nullptr;
  int taken_ = 0;  // uses of the task whose data was brought
  std::array<xylem_view, xylem_most_accesses> views_;
  std::array<std::optional<Piece>, xylem_most_accesses> scratch_;
  KernelCall call_;
};

Piece& piece_of(const Use& use, int seat, std::optional<Piece>& scratch) {
  return use.mode == xylem_scratch ? *scratch : piece_of(use, seat);
}

bool takes_device(int error) { return error == ENODEV || error == EFAULT; }

// What the device cannot give, others may: but a value that is not there is nowhere.
bool others_may_do_better(int error) { return error != ENODATA && error != EIO; }

int DeviceRun::take(const Use& use, int number) {
  const auto i = static_cast<size_t>(number);
  if (use.mode == xylem_scratch) scratch_[i].emplace(memories(), use.handle->piece.shape());
  if (use.mode == xylem_reduce)
    if (const int error = begin_copy(*use.handle, runner_.seat)) return error;
  Piece& piece = piece_of(use, runner_.seat, scratch_[i]);
  const int node = piece.node_for(device_);
  if (const int error = piece.acquire(node, access_of(use.mode))) return error;
  views_[i] = extents_of(piece.shape());
  call_.data[i] = {&views_[i], piece.layout(node), node == main_memory};
  return 0;
}

int DeviceRun::take_data() {
  for (taken_ = 0; taken_ < task_->use_count; ++taken_)
    if (const int error = take(task_->uses[taken_], taken_)) return error;
  return 0;
}

void DeviceRun::give_back(Piece& piece, Access access, Left left) const {
  const int node = piece.node_for(device_);
  const bool in_place = node == main_memory;
  if (!writes(access) || left == Left::written || left == Left::untouched)
    piece.release(node, left == Left::written ? access : Access::read);
  else if (left == Left::lost && !in_place)
    piece.release(node, Access::read);  // a copy on a device that is gone
  else if (left == Left::lost && reads(access))
    piece.lose_in_place(device_);
  else
    piece.spoil(node);
}

void DeviceRun::give_back(Left left) {
  for (int i = 0; i < taken_; ++i) {
    const Use& use = task_->uses[i];
    give_back(piece_of(use, runner_.seat, scratch_[static_cast<size_t>(i)]), access_of(use.mode),
              left);
  }
  taken_ = 0;
  for (auto& scratch : scratch_) scratch.reset();
}

// Whether somewhere there is a value of all that the task reads. One that reduces begins anew.
bool DeviceRun::can_read() const {
  for (const Use& use : task_->all_uses())
    if (brings(use.mode) && !use.handle->piece.has_value()) return false;
  return true;
}

int DeviceRun::launch() {
  call_.codelet = task_->codelet;
  call_.data_count = task_->use_count;
  call_.first_written = 0;
  for (int i = task_->use_count - 1; i >= 0; --i)
    if (writes(task_->uses[i].mode) || task_->uses[i].mode == xylem_reduce) call_.first_written = i;
  call_.argument = task_->argument;
  call_.argument_bytes = task_->argument_bytes;
  const int error = begin_kernel(device_, call_, &kernel_);
  if (error != 0) return error;
  load_of(device_).begin_kernel(os::now_ns());
  trace::emit<traced::kernel_begin>(device_, *task_->codelet);
  return 0;
}

// A task alone has room once those are done who copy from the device just now. Where the device has
// less room than it was said to have, that takes a while to be believed.
int DeviceRun::take_data_alone() {
  const int64_t until = os::now_ns() + patience_ns;
  int error = take_data();
  while (error == ENOMEM && os::now_ns() < until) {
    give_back(Left::untouched);
    sched::yield();
    error = take_data();
  }
  return error;
}

bool DeviceRun::start(Task& task, bool alone) {
  task_ = &task;
  if (const int error = alone ? take_data_alone() : take_data()) return start_without(error, alone);
  const int error = launch();
  if (error == 0) return true;
  if (takes_device(error)) return fail(error), true;  // the kernel may have begun
  give_back(Left::untouched);
  if (error < 0)
    end_with(-error);  // the codelet's own
  else
    run_elsewhere(error);
  return true;
}

// Its data could not be brought.
bool DeviceRun::start_without(int error, bool alone) {
  give_back(Left::untouched);
  if (error == ENOMEM && !alone) {
    task_ = nullptr;
    return false;
  }
  if (others_may_do_better(error))
    run_elsewhere(error);
  else
    end_with(error);
  return true;
}

void DeviceRun::finish() {
  if (!task_) return;
  double ns = 0;
  const int error = end_kernel(device_, kernel_, &ns);
  load_of(device_).end_kernel(os::now_ns());
  trace::emit<traced::kernel_end>(device_);
  if (error != 0) return fail(error);
  give_back(Left::written);
  if (measured_ && ns > 0) record_time(*task_, runner_.executor, ns);
  end_with(0);
}

// After the kernel. A device that is gone has taken its copies along.
void DeviceRun::fail(int error) {
  const bool stays = !takes_device(error);
  if (!stays) memories().record_gone(device_);
  give_back(stays ? Left::spoiled : Left::lost);
  if (stays && !can_read()) return end_with(error);
  run_elsewhere(error);
}

Task& DeviceRun::let_go_of_task() {
  tell_ended(runner_.executor, task_->expected_ns);
  return *std::exchange(task_, nullptr);
}

void DeviceRun::end_with(int error) {
  Task& task = let_go_of_task();
  if (error != 0) lose_written(task);
  finish_task(task, error);
}

void DeviceRun::run_elsewhere(int error) {
  if (takes_device(error)) memories().record_gone(device_);
  if (error == ENOEXEC) record_unfit(*task_->codelet, device_);
  if (error == EFAULT) record_faulty(*task_->codelet, device_);
  task_->kinds &= ~(1u << device_) & usable_kinds();
  if (error == EFAULT) task_->kinds &= fit_kinds(*task_->codelet, 0, 0).kinds;
  if (task_->kinds == 0) return end_with(error);
  deal_again(let_go_of_task());
}

}  // namespace

bool serve_device(Runner runner, bool measured, Task* (*take)(int executor)) {
  Task* task = take(runner.executor);
  if (!task) return false;
  DeviceRun one(runner, measured);
  DeviceRun other(runner, measured);
  DeviceRun* running = &one;
  DeviceRun* starting = &other;
  const auto start = [&](DeviceRun& run, Task& next, bool alone) {
    if (next.codelet) return run.start(next, alone);
    execute(next, runner, false);  // a step of the runtime's own
    return true;
  };
  start(*running, *task, true);
  do {
    task = take(runner.executor);
    const bool started = !task || start(*starting, *task, false);
    running->finish();
    if (!started) start(*starting, *task, true);
    std::swap(running, starting);
  } while (task);
  return true;
}

}  // namespace xylem::hetero
