// Owns: the table of loops that are repeated. See repeated.hpp.
#include "omp/loops/repeated.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/check.hpp"
#include "base/report.hpp"
#include "count/engine/schedules.hpp"
#include "omp/env/settings.hpp"
#include "omp/loops/site_table.hpp"
#include "omp/team/team.hpp"
#include "os/program_image.hpp"

namespace xylem::omp {

constinit bool dynamic_loops_repeat = false;

using count::ScheduleRecorder;

class RepeatedLoop {
 public:
  std::atomic<uint64_t> key{0};  // SiteTable

  // How the next run is given out; dynamic: as the program says.
  LoopKind begin(int members, const LoopRequest& request);
  // By each member of the recorded run.
  void ran(int member, const Chunk& chunk) {
    recorder_->ran(member, chunk.first, chunk.first + chunk.count);
  }
  // Of the last member to say so: the schedule is known then.
  void ended();
  // Once it is known. None: the member has no more.
  Chunk chunk(int member, uint64_t trip) const;
  // For a plan; nothing has its name if the loop is not known.
  count::SavedLoop saved() const;

 private:
  // taken: a run of it is recorded, or it stays dynamic.
  enum class State : uint8_t { unknown, taken, known };

  void learn(const count::Schedule& schedule);
  void say() const;

  // Whose exchange makes it `taken` writes all else, before its record is published; who knows the
  // schedule stores `known` (release; acquire in begin()), and nobody writes any more.
  std::atomic<State> state_{State::unknown};
  std::atomic<int> left_{0};  // members of the recorded run that have not ended; acq_rel
  const void* code_ = nullptr;
  IterationSpace space_;
  int members_ = 0;
  std::unique_ptr<ScheduleRecorder> recorder_;
  std::vector<std::vector<count::Turns>> turns_;  // by member, ascending
};

namespace {

// A loop of a plan. `code` is 0 where the plan's name says nothing here.
struct Adopted {
  count::SavedLoop loop;
  uintptr_t code = 0;
  std::atomic<bool> came{false};
};
// Written when the runtime starts.
constinit std::span<Adopted> adopted;

Adopted* adopted_of(const LoopRequest& request, int members) {
  const auto code = reinterpret_cast<uintptr_t>(request.code);
  for (Adopted& one : adopted) {
    const count::SavedLoop& loop = one.loop;
    if (one.code == code && loop.first == request.space.first && loop.step == request.space.step &&
        loop.schedule.threads() == members && loop.schedule.iterations() == request.space.count)
      return &one;
  }
  return nullptr;
}

// Made when the runtime starts, kept for ever. Loops that find no place stay dynamic.
constinit SiteTable<RepeatedLoop>* loops = nullptr;

RepeatedLoop* loop_of(const LoopRequest& request, int members) {
  const IterationSpace& space = request.space;
  return loops->find(
      site_key({reinterpret_cast<uintptr_t>(request.code), static_cast<uint64_t>(members),
                space.first, space.step, space.count}));
}

}  // namespace

LoopKind RepeatedLoop::begin(int members, const LoopRequest& request) {
  const uint64_t iterations = request.space.count;
  State seen = state_.load(std::memory_order_acquire);
  if (seen == State::known) {
    const bool is_same = members == members_ && iterations == space_.count;  // not just its hash
    return is_same ? LoopKind::repeated : LoopKind::dynamic;
  }
  if (seen == State::taken || !ScheduleRecorder::is_possible(members, iterations) ||
      !state_.compare_exchange_strong(seen, State::taken, std::memory_order_acquire))
    return LoopKind::dynamic;
  code_ = request.code;
  space_ = request.space;
  members_ = members;
  if (Adopted* const known = adopted_of(request, members)) {
    known->came.store(true, std::memory_order_relaxed);
    learn(known->loop.schedule);
    return LoopKind::repeated;
  }
  if (!read_runtime_settings().repeat_dynamic) return LoopKind::dynamic;
  recorder_ = std::make_unique<ScheduleRecorder>(members, iterations);
  left_.store(members, std::memory_order_relaxed);  // relaxed: published with the record
  return LoopKind::recorded;
}

void RepeatedLoop::ended() {
  if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const auto schedule = count::Schedule::of(*recorder_);
  recorder_.reset();
  XYLEM_ASSERT(schedule.ok(), "each iteration of a recorded loop ran once");
  if (!schedule.ok()) return;  // it stays dynamic
  learn(schedule.value());
}

void RepeatedLoop::learn(const count::Schedule& schedule) {
  turns_ = schedule.turns();
  state_.store(State::known, std::memory_order_release);
  if (read_runtime_settings().verbose) say();
}

void RepeatedLoop::say() const {
  std::size_t pieces = 0;
  for (const auto& own : turns_) pieces += own.size();
  base::say("loops: %s, %llu iterations with %d threads, is repeated: %zu pieces",
            os::name_address(code_).data(), static_cast<unsigned long long>(space_.count), members_,
            pieces);
}

count::SavedLoop RepeatedLoop::saved() const {
  if (state_.load(std::memory_order_acquire) != State::known) return {};
  ScheduleRecorder recorder(members_, space_.count);
  for (int member = 0; member < members_; ++member)
    for (const count::Turns& turns : turns_[static_cast<std::size_t>(member)])
      recorder.ran(member, turns.lo, turns.hi);
  return {count::plan_text_of(os::name_address(code_).data()), space_.first, space_.step,
          count::Schedule::of(recorder).value()};
}

Chunk RepeatedLoop::chunk(int member, uint64_t trip) const {
  const std::vector<count::Turns>& own = turns_[static_cast<std::size_t>(member)];
  if (trip >= own.size()) return {};
  const count::Turns& turns = own[static_cast<std::size_t>(trip)];
  return {turns.lo, turns.hi - turns.lo};
}

namespace {

void begin_to_repeat() {
  if (loops == nullptr) loops = new SiteTable<RepeatedLoop>;
  dynamic_loops_repeat = loops_are_named = true;
}

}  // namespace

void start_repeated_loops() {
  if (read_runtime_settings().repeat_dynamic) begin_to_repeat();
}

void adopt_loops(std::span<const count::SavedLoop> saved) {
  if (saved.empty()) return;
  adopted = {new Adopted[saved.size()], saved.size()};
  for (std::size_t i = 0; i < saved.size(); ++i) {
    adopted[i].loop = saved[i];
    adopted[i].code = os::named_address(saved[i].name.data());
  }
  begin_to_repeat();
}

void say_missing_loops() {
  const auto is_missing = [](const Adopted& one) {
    return !one.came.load(std::memory_order_relaxed);
  };
  const auto missing = std::ranges::count_if(adopted, is_missing);
  if (missing == 0) return;
  const char* first = std::ranges::find_if(adopted, is_missing)->loop.name.data();
  if (missing == 1)
    return base::warn("--apply: the loop %s of the plan did not come with its bounds and threads",
                      first);
  base::warn(
      "--apply: %td loops of the plan did not come with their bounds and threads, the first is %s",
      missing, first);
}

std::vector<count::SavedLoop> repeated_loops() {
  std::vector<count::SavedLoop> saved;
  if (loops == nullptr) return saved;
  for (const RepeatedLoop& loop : loops->all())
    if (count::SavedLoop one = loop.saved(); one.schedule.iterations() != 0)
      saved.push_back(std::move(one));
  std::ranges::sort(saved, count::is_before);
  // Of loops that have one name, such as those of a library that was opened twice, the first.
  const auto is_again = [](const count::SavedLoop& one, const count::SavedLoop& other) {
    return !count::is_before(one, other);
  };
  saved.erase(std::unique(saved.begin(), saved.end(), is_again), saved.end());
  return saved;
}

bool repeat_loop(WorkShare& share, int members, const LoopRequest& request) {
  Loop& loop = share.loop;
  if (request.ordered || request.depth != 0 || loop.space.count == 0) return false;
  RepeatedLoop* known = loop_of(request, members);
  if (known == nullptr) return false;
  const LoopKind kind = known->begin(members, request);
  if (kind == LoopKind::dynamic) return false;
  loop.is_guided = loop.kind == LoopKind::guided;
  loop.kind = kind;
  share.repeated = known;
  return true;
}

void record_chunk(const Member& member, WorkShare& share, const Chunk& chunk) {
  if (any(chunk)) return share.repeated->ran(member.num, chunk);
  share.repeated->ended();
}

Chunk next_repeated(Member& member, const WorkShare& share) {
  return share.repeated->chunk(member.num, member.work.trip++);
}

}  // namespace xylem::omp
