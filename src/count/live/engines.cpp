// Owns: the engines at work. See engines.hpp.
#include "count/live/engines.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/report.hpp"
#include "count/live/homes.hpp"
#include "count/live/shown.hpp"
#include "count/source/estimate.hpp"
#include "count/source/program_arrays.hpp"
#include "count/table/counts_file.hpp"
#include "mem/cost/costs.hpp"
#include "mem/map/memory.hpp"
#include "mem/move/huge_pages.hpp"
#include "os/clock.hpp"
#include "os/memory.hpp"
#include "sched/sched.hpp"

namespace xylem::count {

namespace {

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

void add_access(void* to, uint64_t page, int thread, uint64_t reads, uint64_t writes) {
  static_cast<Counts*>(to)->add(page, std::min(thread, most_nodes - 1), reads, writes);
}

Counts no_accesses() { return Counts(Rows::pages_by_threads, most_nodes, os::page_size()); }

std::vector<int> nodes_of_pus() {
  std::vector<int> nodes;
  nodes.reserve(index_of(mem::machine().pu_count()));
  for (int pu = 0; pu < mem::machine().pu_count(); ++pu)
    nodes.push_back(std::max(mem::node_of_pu(pu), 0));
  return nodes;
}

std::vector<int> nodes_of(std::span<const int> pus, std::span<const int> node_of_pu) {
  std::vector<int> nodes;
  nodes.reserve(pus.size());
  for (const int pu : pus) nodes.push_back(node_of_pu[index_of(pu)]);
  return nodes;
}

// A source that does not see everything tells little of an iteration: deciding takes at most one of
// so many nanoseconds.
constexpr int64_t deciding_share = 200;
// Touches of a page and thread on average, from which on those of long ago weigh less.
constexpr uint64_t most_touches = 8;
// Iterations whose samples weigh alike; those before weigh less.
constexpr uint64_t most_iterations = 64;

double ms(double ns) { return ns / 1e6; }
double percent(double share) { return share * 100; }

}  // namespace

// --- trial
// -----------------------------------------------------------------------------------------

bool Trial::ended_iteration(int64_t ns) {
  if (state_ == State::settled || ns <= 0) return false;
  if (state_ == State::tried && !std::exchange(has_moved_, true)) {
    iterations_ = 0;
    return false;
  }
  int64_t& least = state_ == State::untried ? before_ns_ : after_ns_;
  least = least == 0 ? ns : std::min(least, ns);
  ++iterations_;
  if (state_ == State::untried || iterations_ < enough) return false;
  state_ = State::settled;
  return before_ns_ > 0 &&
         static_cast<double>(after_ns_) > slower * static_cast<double>(before_ns_);
}

void Trial::forget_times() {
  if (state_ == State::tried) state_ = State::settled;
  iterations_ = 0;
  before_ns_ = 0;
}

// --- engines
// ---------------------------------------------------------------------------------------

Engines::Engines(EnginesAllowed allowed, const Source& source, bool verbose)
    : allowed_(allowed),
      source_(source),
      verbose_(verbose),
      node_of_pu_(nodes_of_pus()),
      seen_(no_accesses()),
      kept_touches_(no_accesses()) {}

int Engines::write_touches(const char* path) {
  source_.take(add_access, &kept_touches_);
  return write_counts(path, kept_touches_);
}

void Engines::tell(int64_t now_ns) {
  if (!std::exchange(tells_, true)) is_counting_ = false;
  iterations_.tell(now_ns);
  is_told_ = true;
}

void Engines::region_begins(const RegionBegins& region, int64_t now_ns) {
  const int n = region.n;
  moves_of_.clear();
  if (pu_of_.size() < index_of(n)) pu_of_.resize(index_of(n), 0);
  loops_.settled |= region.loops.settled;
  loops_.tried |= region.loops.tried;
  const uint64_t name = region.code * 31 + static_cast<uint64_t>(n);
  const Heard heard = iterations_.hear(name, now_ns);
  if (heard.phase_changed) {
    is_counting_ = false;
    seen_.clear();
    iterations_seen_ = 0;
    trial_.forget_times();
  }
  if (heard.begins_iteration || std::exchange(is_told_, false))
    iteration_begins(n, !region.is_bound && sched::threads_follow());
  members_ = std::max(members_, n);
}

std::span<const int> Engines::pus(int n) const {
  if (placed_.size() != index_of(n)) return {};
  return placed_;
}

std::span<const int> Engines::owners(int n) const {
  if (owners_.size() != index_of(n)) return {};
  return owners_;
}

void Engines::member_begins(int number, int pu) {
  const std::size_t member = index_of(number);
  if (source_.member_begins != nullptr) source_.member_begins(number);
  pu_of_[member] = pu;
  if (member < moves_of_.size()) make_moves(moves_of_[member]);
}

// False unless the source counted from the iteration's beginning to its end.
bool Engines::finish_iteration(Counts& accesses) {
  source_.take(add_access, &accesses);
  if (std::exchange(is_counting_, true)) return true;
  if (verbose_ && tells_) base::say("engines: the program tells where iterations begin");
  if (verbose_ && !tells_) base::say("engines: %d regions make an iteration", iterations_.period());
  return false;
}

// Makes `accesses`, what was seen of an iteration, an estimate from what was seen of all, or, where
// whole iterations are seen, of this one. False: it is too early to decide anew.
bool Engines::add_seen(Counts& accesses, int members, bool follows) {
  if (keeps_touches_) kept_touches_.merge(accesses);
  const Counts now = std::exchange(accesses, no_accesses());
  if (source_.sees != Sees::pages) seen_.merge(now);
  ++iterations_seen_;
  const bool saw_nothing = source_.sees == Sees::pages && now.empty();
  if (saw_nothing || os::now_ns() < decides_again_ns_) return false;
  const std::vector<ProgramArray> known = program_arrays();
  book_synthetic_homes(known);
  switch (source_.sees) {
    case Sees::samples:
      accesses = from_samples();
      break;
    case Sees::pages:
      accesses = shared_by_all(now, nodes_of(pus_now(members, follows), node_of_pu_));
      break;
    case Sees::touches:
    case Sees::everything:
      accesses = from_touches(known);
  }
  return true;
}

Counts Engines::from_samples() {
  if (iterations_seen_ > most_iterations) {
    seen_.decay(1);
    iterations_seen_ /= 2;
  }
  return per_iteration(seen_, iterations_seen_);
}

Counts Engines::from_touches(std::span<const ProgramArray> known) {
  if (seen_.accesses() > most_touches * seen_.size()) seen_.decay(1);
  std::vector<PageRange> arrays;
  arrays.reserve(known.size());
  for (const ProgramArray& array : known)
    arrays.push_back({array.start / os::page_size(), array.bytes / os::page_size()});
  return estimate(seen_, arrays);
}

void Engines::warn_of_what_stays(bool follows, const LoopsRan& loops) const {
  if (!follows && allowed_ == EnginesAllowed::threads)
    base::warn_once(
        "XYLEM_ENGINES: threads do not move: they are bound, or the policy says where they are");
  if (!loops.settled && !loops.tried && allowed_ == EnginesAllowed::loops)
    base::warn_once(
        "XYLEM_ENGINES: no iterations move: none of the loops has schedule(runtime), "
        "schedule(auto) or schedule(dynamic)");
}

// Iterations move where threads may not, once their loops' owners are decided on.
Engines::MayMove Engines::may_move(bool follows, const LoopsRan& loops) const {
  if (!trial_.is_open()) return {};
  const bool both = allowed_ == EnginesAllowed::automatic;
  const bool threads = follows && (both || allowed_ == EnginesAllowed::threads);
  const bool iterations =
      loops.settled && !loops.tried && (both || allowed_ == EnginesAllowed::loops);
  return {threads, iterations && !threads};
}

// The PUs of the members, if these move: they, or their iterations, are on trial.
std::vector<int> Engines::begin_trial(const Choice& choice, std::vector<int> pus) {
  former_ = placed_;
  former_owners_ = owners_;
  trial_.begin();
  if (!choice.threads.empty()) return pus_of_mapping(choice.threads, pus, node_of_pu_);
  const std::vector<int> before = std::exchange(owners_, choice.iterations_of);
  if (before.size() == owners_.size())
    for (int& owner : owners_) owner = before[index_of(owner)];
  return pus;
}

void Engines::iteration_begins(int n, bool follows) {
  const LoopsRan loops = std::exchange(loops_, {});
  Counts accesses = no_accesses();
  if (!finish_iteration(accesses)) return;
  warn_of_what_stays(follows, loops);
  if (trial_.ended_iteration(iterations_.last_ns())) send_back();
  const int members = std::exchange(members_, 1);
  const int64_t begun = os::now_ns();
  if (source_.sees != Sees::everything && !add_seen(accesses, members, follows)) return;
  if (accesses.empty()) return decide_later(begun);
  if (allowed_ == EnginesAllowed::count) {
    make_table(accesses, members);
    return decide_later(begun);
  }
  std::vector<int> pus = pus_now(members, follows);
  const Choice choice = decide(accesses, pus, may_move(follows, loops));
  const bool is_tried = !choice.threads.empty() || !choice.iterations_of.empty();
  if (is_tried) pus = begin_trial(choice, std::move(pus));
  last_moves_ = choice.pages.moves;
  keep_small_pages(last_moves_);
  deal(last_moves_, pus, n);
  if (follows && (is_tried || !last_moves_.empty())) placed_ = std::move(pus);
  decide_later(begun);
  say_choice(choice);
}

// What a decision took since `begun` stays a small share of the time.
void Engines::decide_later(int64_t begun) {
  decides_again_ns_ = begun + (os::now_ns() - begun) * deciding_share;
}

void Engines::make_table(const Counts& accesses, int members) {
  const int nodes = mem::node_count();
  const Counts table = thread_nodes(accesses, homes_of(accesses.sorted()), nodes);
  table_members_ = members;
  table_.assign(index_of(members * nodes), 0);
  for (const Cell& cell : table.sorted())
    if (cell.row < index_of(members))
      table_[cell.row * index_of(nodes) + index_of(cell.node)] =
          static_cast<int64_t>(cell.accesses());
  ++tables_;
}

std::span<const int64_t> Engines::table(int n) const {
  if (n != table_members_) return {};
  return table_;
}

// Where members of the iteration's largest team are from now on if nothing is decided.
std::vector<int> Engines::pus_now(int members, bool follows) const {
  if (follows && placed_.size() == index_of(members)) return placed_;
  std::vector<int> planned;
  if (follows) planned = sched::planned_pus(members);
  if (!planned.empty()) return planned;
  return {pu_of_.begin(), pu_of_.begin() + members};
}

// As many as there were: who stops now has lost no more than it could gain.
double Engines::iterations_left() const {
  return static_cast<double>(std::max<uint64_t>(iterations_.repeats(), Iterations::repeats_needed));
}

// A node takes as many threads as it has PUs, or the same number times as many.
std::vector<int> Engines::room(std::size_t threads) const {
  const std::size_t pus = node_of_pu_.size();
  const auto turns = static_cast<int>((threads + pus - 1) / pus);
  std::vector<int> room_of(index_of(mem::node_count()));
  for (const int node : node_of_pu_) room_of[index_of(node)] += turns;
  return room_of;
}

// A page that is not where it was sent to is sent again, but not for ever.
void Engines::record_moves(std::span<const PageHome> homes) {
  std::vector<PageMove> made, missed;
  for (const PageMove& move : std::exchange(last_moves_, {})) {
    const auto home = std::ranges::lower_bound(homes, move.page, {}, &PageHome::page);
    const bool is_known = home != homes.end() && home->page == move.page;
    (is_known && home->node != move.to ? missed : made).push_back(move);
  }
  history_.record(made);
  history_.miss(missed);
}

Choice Engines::decide(const Counts& accesses, std::span<const int> pus, MayMove may_move) {
  const std::vector<Cell> cells = accesses.sorted();
  const std::vector<PageHome> homes = homes_of(cells);
  record_moves(homes);
  if ((may_move.threads || may_move.iterations) && !trial_.may_begin()) return {};
  const std::vector<int> node_of = nodes_of(pus, node_of_pu_), room_of = room(pus.size());
  Iteration iteration{
      .accesses = accesses,
      .homes = homes,
      .node_of = node_of,
      .room = room_of,
      .costs = mem::known_costs(),
      .iterations_left = iterations_left(),
      .history = &history_,
      .pages_may_move = allowed_ == EnginesAllowed::pages || allowed_ == EnginesAllowed::automatic,
      .threads_may_move = may_move.threads,
      .iterations_may_move = may_move.iterations};
  Choice choice = choose(iteration);
  if (!choice.pages.moves.empty()) {
    const std::vector<int64_t> free = free_pages();  // only now: it may read files
    iteration.free_pages = free;
    choice = choose(iteration);
  }
  if (recorder_ != nullptr)
    recorder_->note(homes, choice.pages.moves, static_cast<int>(pus.size()));
  return choice;
}

namespace {

// Of the pages that go to one node: who moves them.
struct Movers {
  std::vector<int> members;  // that run on the node
  std::size_t all = 0;       // pages that go there
  std::size_t dealt = 0;     // of them
  uint64_t huge_page = 0;    // that the page dealt last lies in; 0: none yet
  int member = 0;            // who moves that page

  // Pages of one huge page have one mover: it may go whole.
  int next(uint64_t page) {
    const uint64_t lies_in = page / mem::pages_in_huge_page();
    const std::size_t turn = dealt++ * members.size() / all;
    if (std::exchange(huge_page, lies_in) != lies_in && !members.empty()) member = members[turn];
    return member;
  }
};

}  // namespace

// Each page to a member on the node that it goes to; where there is none, to the master.
void Engines::deal(std::span<const PageMove> moves, std::span<const int> pus, int n) {
  std::vector<Movers> movers(index_of(mem::node_count()));
  for (int member = 0; member < std::min(n, static_cast<int>(pus.size())); ++member)
    movers[index_of(node_of_pu_[index_of(pus[index_of(member)])])].members.push_back(member);
  for (const PageMove& move : moves) ++movers[index_of(move.to)].all;
  moves_of_.resize(index_of(n));
  for (const PageMove& move : moves)
    moves_of_[index_of(movers[index_of(move.to)].next(move.page))].push_back(move);
}

void Engines::send_back() {
  const bool were_threads = owners_ == former_owners_;
  placed_ = std::move(former_);
  owners_ = std::move(former_owners_);
  show_undone(trial_.before_ns(), trial_.after_ns());
  if (!verbose_) return;
  base::say("engines: %s go back: an iteration took %.3f ms, and takes %.3f ms since they moved",
            were_threads ? "threads" : "loops' iterations",
            ms(static_cast<double>(trial_.before_ns())),
            ms(static_cast<double>(trial_.after_ns())));
}

void Engines::say_choice(const Choice& choice) const {
  const std::size_t pages = choice.pages.moves.size(), threads = choice.threads.size();
  const std::size_t dealt = with_other_iterations(choice);
  if (choice.pages.no_room > 0)
    base::warn_once(
        "engines: %llu pages stay where they are: the nodes that they belong to are full",
        static_cast<unsigned long long>(choice.pages.no_room));
  if (pages == 0 && threads == 0 && dealt == 0) return;
  show_choice(choice);
  if (!verbose_) return;
  base::say(
      "engines: %zu pages move and %zu threads %s: local accesses %.1f%% before, %.1f%% after; "
      "access takes %.3f ms less an iteration",
      pages, dealt > 0 ? dealt : threads, dealt > 0 ? "have other iterations" : "are placed",
      percent(choice.local_before), percent(choice.local_after),
      ms(choice.before_ns - choice.after_ns));
}

}  // namespace xylem::count
