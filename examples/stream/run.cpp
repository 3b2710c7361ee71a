// Owns: the phases of STREAM under teams of teams (paper 000, sections 4.2 to 4.4).
#include "run.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>

#include "common/placement.hpp"

#define XYLEM_WEAK
#include <xylem/memory.h>

namespace stream {

using common::nodes_of_pages;
using common::page_bytes;

namespace {

constexpr Kernel kernels[] = {
    {"copy", true, false,
     [](const Vectors& v, std::size_t first, std::size_t last) {
       for (std::size_t i = first; i < last; ++i) v.c[i] = v.a[i];
     },
     1},
    {"scale", false, true,
     [](const Vectors& v, std::size_t first, std::size_t last) {
       for (std::size_t i = first; i < last; ++i) v.c[i] = 3 * v.b[i];
     },
     6},
    {"add", true, true,
     [](const Vectors& v, std::size_t first, std::size_t last) {
       for (std::size_t i = first; i < last; ++i) v.c[i] = v.a[i] + v.b[i];
     },
     3},
    {"triad", true, true,
     [](const Vectors& v, std::size_t first, std::size_t last) {
       for (std::size_t i = first; i < last; ++i) v.c[i] = v.a[i] + 3 * v.b[i];
     },
     7},
};

// What team `team` works on in a phase.
Vectors used_by(const Run& run, int team, int phase) {
  const Vectors& own = run.sets[static_cast<std::size_t>(team)];
  if (phase == 0) return own;
  Vectors others = run.sets[static_cast<std::size_t>((team + 1) % run.options.teams)];
  if (run.options.data == "mixed") others.b = own.b;
  return others;
}

struct Part {
  std::size_t first, last;
};

// Threads have whole pages, so that no page has two of them.
Part own_part(const Run& run) {
  const std::size_t step = page_bytes() / sizeof(double);
  const auto pages = static_cast<std::size_t>(run.options.pages);
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  const auto me = static_cast<std::size_t>(omp_get_thread_num());
  return {pages * me / threads * step, pages * (me + 1) / threads * step};
}

void initialize(const Run& run, const Vectors& v) {
#pragma omp parallel num_threads(run.options.threads)
  {
    const Part mine = own_part(run);
    std::fill(v.a + mine.first, v.a + mine.last, 1);
    std::fill(v.b + mine.first, v.b + mine.last, 2);
    std::fill(v.c + mine.first, v.c + mine.last, 0);
  }
}

// Of the calling thread's part of a vector: pages on its node, and all.
void count_pages(const double* vector, const Part& part, Tally& tally) {
  const int here = common::current_place().node;
  const std::size_t bytes = (part.last - part.first) * sizeof(double);
  for (const int node : nodes_of_pages(vector + part.first, bytes)) {
    tally.local += node == here;
    ++tally.all;
  }
}

Tally compute(const Run& run, const Vectors& v) {
  const Kernel& kernel = kernel_of(run.options);
  long local = 0, all = 0;
  const double before = omp_get_wtime();
  double after = before;  // without the counting of pages that follows
#pragma omp parallel num_threads(run.options.threads) reduction(+ : local, all)
  {
    const Part mine = own_part(run);
    for (int pass = 0; pass < run.options.passes; ++pass) {
      kernel.apply(v, mine.first, mine.last);
#pragma omp barrier
    }
#pragma omp master
    after = omp_get_wtime();
    Tally tally;
    if (kernel.reads_a) count_pages(v.a, mine, tally);
    if (kernel.reads_b) count_pages(v.b, mine, tally);
    count_pages(v.c, mine, tally);
    local += tally.local;
    all += tally.all;
  }
  return {local, all, after - before};
}

// --- what Xylem is told --------------------------------------------------------------------------

void tell_for_next_region(const Run& run, int phase) {
  const int passes = run.options.passes;
  for (int team = 0; team < run.options.teams; ++team) {
    const Vectors v = used_by(run, team, phase);
    xylem_hint_next(team, v.a, run.bytes(), xylem_use_read, passes);
    xylem_hint_next(team, v.b, run.bytes(), xylem_use_read, passes);
    xylem_hint_next(team, v.c, run.bytes(), xylem_use_write, passes);
  }
}

// By the master of each team.
void tell_inside(const Run& run, const Vectors& v) {
  const int passes = run.options.passes;
  xylem_hint(v.a, run.bytes(), xylem_use_read, passes);
  xylem_hint(v.b, run.bytes(), xylem_use_read, passes);
  xylem_hint(v.c, run.bytes(), xylem_use_write, passes);
  xylem_hint_apply(xylem_apply_team);
}

// Only known ranges have owners.
void make_known(const Run& run) {
  for (const Vectors& set : run.sets)
    for (double* vector : {set.a, set.b, set.c}) xylem_memory_register(vector, run.bytes());
}

void move_here(const Run& run, double* vector) {
  xylem_memory_move(vector, run.bytes(), common::current_place().node, nullptr);
}

// By the master of each team, when the last phase begins.
void apply_remedy(const Run& run, const Vectors& v) {
  const std::string& remedy = run.options.remedy;
  if (remedy == "hints" && !run.options.has_regions()) tell_inside(run, v);
  if (remedy == "move-read") move_here(run, v.a);
  if (remedy == "move-written") move_here(run, v.c);
  for (double* vector : {v.a, v.b, v.c}) {
    if (remedy == "attach") xylem_memory_attach(vector);
    if (remedy == "next-touch") xylem_memory_move_on_next_touch(vector, run.bytes());
    if (remedy == "move-pages") move_here(run, vector);
  }
}

// --- the phases ----------------------------------------------------------------------------------

// Pages whose node differs; both have the same size.
std::size_t differing(const std::vector<int>& before, const std::vector<int>& after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) count += before[i] != after[i];
  return count;
}

// The pages of all vectors, team after team.
std::vector<int> nodes_of_all(const Run& run) {
  std::vector<int> all;
  for (const Vectors& set : run.sets)
    for (const double* vector : {set.a, set.b, set.c}) {
      const std::vector<int> some = nodes_of_pages(vector, run.bytes());
      all.insert(all.end(), some.begin(), some.end());
    }
  return all;
}

// By each master of the outer team. Adds to `sum`.
void work(const Run& run, int phase, bool is_first, Tally& sum) {
  const Vectors v = used_by(run, omp_get_thread_num(), phase);
  if (is_first && phase == 0) initialize(run, v);
  if (is_first && phase == run.options.phases() - 1) apply_remedy(run, v);
#pragma omp barrier
  const Tally tally = compute(run, v);
#pragma omp critical
  {
    sum.local += tally.local;
    sum.all += tally.all;
    sum.seconds = std::max(sum.seconds, tally.seconds);
  }
#pragma omp barrier
}

void work_in_one_region(const Run& run, Result& result) {
  std::vector<int> before;
#pragma omp parallel num_threads(run.options.teams)
  for (int phase = 0; phase < run.options.phases(); ++phase) {
#pragma omp single
    if (phase == 1) before = nodes_of_all(run);
    work(run, phase, true, result.phases[static_cast<std::size_t>(phase)]);
  }
  if (run.options.phases() == 2) result.moved = differing(before, nodes_of_all(run));
}

// What is told of a phase's region holds for its later runs, so each phase has code of its own.
void first_phase(const Run& run, bool is_first, Tally& sum) {
#pragma omp parallel num_threads(run.options.teams)
  work(run, 0, is_first, sum);
}

void second_phase(const Run& run, bool is_first, Tally& sum) {
#pragma omp parallel num_threads(run.options.teams)
  work(run, 1, is_first, sum);
}

void work_in_regions(const Run& run, Result& result) {
  const bool is_twisted = run.options.phases() == 2;
  first_phase(run, true, result.phases[0]);
  const std::vector<int> before = nodes_of_all(run);
  if (is_twisted) {
    if (run.options.remedy == "hints") tell_for_next_region(run, 1);
    second_phase(run, true, result.phases[1]);
  }
  result.later.resize(static_cast<std::size_t>(run.options.iterations - 1));
  for (Tally& tally : result.later)
    is_twisted ? second_phase(run, false, tally) : first_phase(run, false, tally);
  if (is_twisted) result.moved = differing(before, nodes_of_all(run));
}

bool numbers_are_right(const Run& run) {
  const double result = kernel_of(run.options).result;
  return std::ranges::all_of(run.sets, [&](const Vectors& v) {
    for (std::size_t i = 0; i < run.length; ++i)
      if (v.a[i] != 1 || v.b[i] != 2 || v.c[i] != result) return false;
    return true;
  });
}

double* make_vector(const Run& run) {
  void* const start = common::untouched(run.bytes());
  madvise(start, run.bytes(), MADV_NOHUGEPAGE);  // pages that can be counted
  return static_cast<double*>(start);
}

}  // namespace

const Kernel& kernel_of(const Options& options) {
  return *std::ranges::find(kernels, options.kernel,
                            [](const Kernel& k) { return std::string(k.name); });
}

Run prepare(const Options& options) {
  Run run{options, static_cast<std::size_t>(options.pages) * page_bytes() / sizeof(double), {}};
  int& teams = run.options.teams;
  int& threads = run.options.threads;
  // STREAM itself is one team of many, each with its part of the vectors.
  if (options.kind == "stream") threads = 1;
  if (teams == 0) teams = options.kind == "stream" ? omp_get_num_procs() : common::node_count();
  if (threads == 0) threads = std::max(1, omp_get_num_procs() / teams);
  for (int team = 0; team < teams; ++team)
    run.sets.push_back({make_vector(run), make_vector(run), make_vector(run)});
  omp_set_max_active_levels(2);
  return run;
}

Result carry_out(const Run& run) {
  Result result;
  if (run.options.remedy == "attach") make_known(run);
  if (run.options.tell_first) tell_for_next_region(run, 0);
  if (run.options.has_regions())
    work_in_regions(run, result);
  else
    work_in_one_region(run, result);
  result.numbers_are_right = numbers_are_right(run);
  return result;
}

}  // namespace stream
