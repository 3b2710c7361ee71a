// Owns: what the monitor does so that processes share the machine. See sharing.hpp.
#include "sched/share/sharing.hpp"

#include <algorithm>

#include "os/clock.hpp"
#include "os/process.hpp"

namespace xylem::sched {

namespace {

constexpr int64_t ms = 1'000'000;
constexpr int64_t between_tellings_ns = 100 * ms;  // a tenth of row_lives_ns
constexpr int64_t between_checks_ns = 200 * ms;    // of whether the table is still the file
constexpr int64_t between_reads_ns = 4 * ms, read_of_one_ns = ms / 4;
constexpr int64_t first_join_pause_ns = 1000 * ms, longest_join_pause_ns = 64'000 * ms;
constexpr int64_t first_keep_pause_ns = 250 * ms, longest_keep_pause_ns = 8'000 * ms;

// Used within a poll; there is one monitor at a time. Nothing is allocated on its thread.
struct Scratch {
  std::array<Sharer, most_rows> others;
  std::array<Claim, most_rows> claims;
  std::array<CpuMask, most_rows> parts;
};
constinit Scratch scratch;

}  // namespace

Sharing::Sharing(Pool& pool, const char* runtime_folder, bool with_strangers)
    : pool_(pool), runtime_folder_(runtime_folder), with_strangers_(with_strangers) {
  for (int pu = 0; pu < pool.pu_count(); ++pu) {
    const int cpu = pool.machine().pu_os_index(pu);
    if (CpuMask::has_room_for(cpu))
      cpus_.add(cpu);
    else
      fits_ = false;
  }
}

bool Sharing::poll(int64_t now_ns, bool may_lend) {
  in_region_ = true;
  poll(now_ns, needed_now(), may_lend);
  return needs_steady_polls();
}

// What the program computes between its regions, one processor does.
bool Sharing::poll_between(int64_t now_ns) {
  in_region_ = false;
  if (polls_ > 0) poll(now_ns, 1, true);
  return needs_steady_polls();
}

// The first poll of an open region does nothing: most programs that have one only now and then are
// between two regions at the next.
void Sharing::poll(int64_t now_ns, int needs, bool may_lend) {
  if (!fits_ || pool_.pu_count() == 1 || polls_++ == 0 || !is_in_table(now_ns)) return;
  tell(now_ns, needed_lately(needs));
  if (table_.own_index() < 0) return keep_all();
  const bool all_moved = move_waiting();
  if (!may_lend || is_missed(now_ns, !all_moved)) {
    trial_.stop();
    return keep_all();
  }
  if (now_ns < read_at_) return;
  const int others = table_.read(scratch.others);
  read_at_ = now_ns + between_reads_ns + others * read_of_one_ns;
  divides_ = others > 0;
  if (!divides_) return run_alone(now_ns);
  trial_.stop();
  const CpuMask part = own_part(now_ns, others);
  pool_.set_crowded(part.count() == 0 || pool_.own_threads() > part.count());
  keep(part, part.count());
}

void Sharing::rest(int64_t now_ns) {
  polls_ = 0;
  needs_ = {};
  divides_ = false;
  trial_.stop();
  keep_all();
  pool_.set_crowded(false);
  if (table_.own_index() >= 0) tell(now_ns, 0);
}

// --- beside programs that are not in the table ---------------------------------------------------

void Sharing::run_alone(int64_t now_ns) {
  const int useful = told_;
  // With fewer workers each share that is planned would be another.
  if (pool_.has_told_loads())
    trial_.stop();
  else if (with_strangers_)
    trial_.poll(now_ns, useful,
                [this](Trial::Phase phase, int round) { return use_of(phase, round); });
  pool_.set_crowded(trial_.is_tried());
  const int most = trial_.most(useful);
  if (most >= useful)
    keep_all();
  else
    keep(cpus_, most);
}

// Where it watches, of a few PUs' workers, each time of others: it costs as much on all machines.
WorkersUse Sharing::use_of(Trial::Phase phase, int round) {
  constexpr int most_watched = 16;
  const int step = phase == Trial::Phase::watch ? (pool_.pu_count() - 1) / most_watched + 1 : 1;
  WorkersUse sum;
  for (int pu = round % step; pu < pool_.pu_count(); pu += step)
    pool_.each_worker(pu, [&sum](const Worker& worker) {
      const int tid = worker.tid.load(std::memory_order_relaxed);  // relaxed: only a number
      os::ProcessorWaits waits;
      if (tid == 0 || !os::processor_waits(tid, waits)) return;
      sum.ran_ns += os::thread_cpu_ns(tid);
      sum.delayed_ns += waits.waited_ns;
      sum.arrivals += waits.arrivals;
    });
  return sum;
}

// --- the table -----------------------------------------------------------------------------------

bool Sharing::is_in_table(int64_t now_ns) {
  if (table_.own_index() >= 0 && now_ns >= check_at_) {
    check_at_ = now_ns + between_checks_ns;
    if (!table_.is_whole()) table_.close();
  }
  if (table_.own_index() >= 0) return true;
  keep_all();
  if (now_ns < join_at_) return false;
  join_pause_ns_ = std::clamp(2 * join_pause_ns_, first_join_pause_ns, longest_join_pause_ns);
  join_at_ = now_ns + join_pause_ns_;
  return join();
}

// Who cannot join shares nothing, and the kernel divides the processors as it always did.
bool Sharing::join() {
  if (table_.open(runtime_folder_, os::RowFile::Open::make_if_missing) == 0 && table_.join() == 0) {
    told_ = -1;
    return true;
  }
  table_.close();
  return false;
}

void Sharing::tell(int64_t now_ns, int needs) {
  if (needs == told_ && now_ns < tell_at_) return;
  if (table_.tell({os::process_id(), now_ns, needs, cpus_}) != 0) return table_.close();
  join_pause_ns_ = 0;
  told_ = needs;
  tell_at_ = now_ns + between_tellings_ns;
}

// --- what is needed ------------------------------------------------------------------------------

// Workers that have something to run, and threads that wait for one.
int Sharing::needed_now() {
  const int most = pool_.pu_count();
  int sum = 0;
  for (int pu = 0; pu < most; ++pu)
    sum += pool_.slot(pu).state.load(std::memory_order_relaxed) == SlotState::awake;  // a hint
  pool_.each_solo([&sum](const Worker&) { ++sum; });
  const auto levels = static_cast<int>(pool_.machine().levels().size());
  for (int level = 0; level < levels && sum < most; ++level)
    if (pool_.level_queue(level).count() > 0) sum += pool_.level_queue(level).waiting(most);
  return std::clamp(sum, 1, most);
}

int Sharing::needed_lately(int needs) {
  needs_[static_cast<size_t>(polls_ % polls_kept)] = needs;
  return *std::ranges::max_element(needs_);
}

// True if the PUs are to be kept, as the workers of those that were lent are missed: threads spin
// on each other, or block, so that the monitor had to help; or one waits that only those may run.
bool Sharing::is_missed(int64_t now_ns, bool one_waits) {
  const uint32_t reliefs = pool_.monitor().reliefs();
  if (lends_ && (one_waits || reliefs != reliefs_)) {
    const bool again = now_ns - keep_until_ < longest_keep_pause_ns;
    keep_pause_ns_ =
        again ? std::min(2 * keep_pause_ns_, longest_keep_pause_ns) : first_keep_pause_ns;
    keep_until_ = now_ns + keep_pause_ns_;
    pool_.set_crowded(true);
  }
  reliefs_ = reliefs;
  return now_ns < keep_until_;
}

// --- dividing ------------------------------------------------------------------------------------

CpuMask Sharing::own_part(int64_t now_ns, int others) const {
  const std::span<Sharer> all = std::span(scratch.others).first(static_cast<size_t>(others));
  size_t claims = 0;
  for (const Sharer& other : all) {
    if (other.index > table_.own_index()) break;
    scratch.claims[claims++] = {other.row.cpus, other.row.needs};
  }
  const size_t mine = claims;
  scratch.claims[claims++] = {cpus_, told_};
  for (const Sharer& other : all.subspan(mine))
    scratch.claims[claims++] = {other.row.cpus, other.row.needs};
  divide(std::span(scratch.claims).first(claims), static_cast<uint64_t>(now_ns / turn_ns),
         std::span(scratch.parts).first(claims));
  return scratch.parts[mine];
}

// How many workers may run beside the external threads in regions. External threads cannot be
// stopped; the one in PU 0's slot runs what is its own alone, so where there is another region, or
// nobody is in the slot, one worker is left. Between two regions that slot waits for the next
// one's.
int Sharing::workers_of(int processors) {
  const bool held =
      !in_region_ || pool_.slot(0).external.load(std::memory_order_relaxed);  // a hint
  int external = held ? 1 : 0;
  pool_.each_solo([&external](const Worker&) { ++external; });
  const int least = held && external == 1 ? 0 : 1;
  return std::max(processors - external, least);
}

// The PUs of the part, but for PU 0, whose slot is an external thread's: where that PU is
// another process's, the external thread stands for the first of the part.
void Sharing::keep(const CpuMask& part, int processors) {
  const auto is_own = [&](int pu) { return part.has(pool_.machine().pu_os_index(pu)); };
  int left = workers_of(processors);
  const auto decide = [&](bool own) {
    for (int pu = pool_.pu_count() - 1; pu > 0; --pu) {
      if (is_own(pu) != own) continue;
      if (left-- > 0)
        pool_.take_back(pu);
      else
        pool_.lend(pu);
    }
  };
  decide(true);
  left = std::max(left, 0);
  decide(false);
  lends_ = true;
}

void Sharing::keep_all() {
  if (!lends_) return;
  lends_ = false;
  for (int pu = 1; pu < pool_.pu_count(); ++pu) pool_.take_back(pu);
}

// What waits at PUs that are lent goes where somebody comes. False if something may not.
bool Sharing::move_waiting() {
  if (!lends_) return true;
  int to = pool_.pu_count() - 1;
  while (to > 0 && pool_.slot(to).to_lend.load()) --to;
  bool all = true;
  for (int pu = 1; pu < pool_.pu_count(); ++pu)
    if (pool_.is_lent(pu)) all = pool_.move_waiting(pu, to) && all;
  return all;
}

// --- the process's -------------------------------------------------------------------------------

namespace {

// Written when a pool is made (release), and in fork()'s child. Read (acquire) by the monitor. An
// object is never freed: a monitor that ends may still use it.
constinit std::atomic<Sharing*> the_sharing{nullptr};

Sharing* sharing_of(const Pool& pool) {
  Sharing* sharing = the_sharing.load(std::memory_order_acquire);
  return sharing && &sharing->pool() == &pool ? sharing : nullptr;
}

}  // namespace

void begin_sharing(Pool& pool, const char* runtime_folder, bool with_strangers) {
  if (Sharing* before = the_sharing.load(std::memory_order_acquire)) before->forget();
  the_sharing.store(new Sharing(pool, runtime_folder, with_strangers), std::memory_order_release);
}

bool poll_sharing(Pool& pool, int64_t now_ns, bool may_lend) {
  Sharing* sharing = sharing_of(pool);
  return sharing && sharing->poll(now_ns, may_lend);
}

bool poll_sharing_between(Pool& pool, int64_t now_ns) {
  Sharing* sharing = sharing_of(pool);
  return sharing && sharing->poll_between(now_ns);
}

void rest_sharing(Pool& pool) {
  if (Sharing* sharing = sharing_of(pool)) sharing->rest(os::now_ns());
}

void forget_sharing_in_child() {
  if (Sharing* sharing = the_sharing.load(std::memory_order_relaxed)) sharing->forget();
  the_sharing.store(nullptr, std::memory_order_relaxed);  // relaxed: the child has one thread
}

}  // namespace xylem::sched
