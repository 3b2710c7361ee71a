// Cases of tests/policy, live: opens the tree of each case as a region with the teams inside, on
// the case's machine and under its policy, and compares the processor of each thread with the level
// where the case expects it. Idle processors take nothing from others (XYLEM_STEAL_PATIENCE=-1), so
// threads run where they were placed. Threads that have data are held to the memory node that the
// case expects: which processor there, where a thread ran last decides too, and of that a case says
// nothing.
//
// Arguments: a folder of cases. Each case runs in a process of its own, which has `--one FILE`. A
// case that a program cannot express is listed with the reason; so is one where a region is another
// tree than the case draws, which must not run as drawn then.
#define XYLEM_WEAK
#include <omp.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "../../include/xylem/bubble.h"
#include "../../include/xylem/memory.h"
#include "policy_case.hpp"

namespace {

using policy_case::Case;
using policy_case::Entity;
using policy_case::Level;
using policy_case::Machine;

// --- what a program can express ------------------------------------------------------------------

bool any(const Entity& entity, bool (*is_so)(const Entity&)) {
  if (is_so(entity)) return true;
  return std::any_of(entity.inner.begin(), entity.inner.end(),
                     [is_so](const Entity& one) { return any(one, is_so); });
}

bool says(const Entity& entity, const char* key) {
  if (entity.said.count(key) > 0) return true;
  return std::any_of(entity.inner.begin(), entity.inner.end(),
                     [key](const Entity& one) { return says(one, key); });
}

int depth(const Entity& entity) {
  int inner = 0;
  for (const Entity& one : entity.inner) inner = std::max(inner, depth(one));
  return entity.is_bubble ? inner + 1 : 0;
}

// The first thread of the tree is the program's own, which runs on PU 0 unless hints move it.
std::string level_of_first(const Case& c, const Entity& entity, std::vector<std::string> round) {
  if (!entity.is_bubble) return c.expected(entity.name, 0, round);
  round.push_back(entity.name);
  return level_of_first(c, entity.inner[0], round);
}

// Without what holds for every outermost team: its maker ran last on PU 0.
Entity as_the_runtime(Entity tree) {
  const auto last = tree.said.find("last");
  if (last != tree.said.end() && last->second == "0") tree.said.erase(last);
  return tree;
}

struct Exception {
  const char* name;
  const char* reason;
};
// Cases that a program opens as another tree.
constexpr Exception exceptions[] = {
    {"memory-hintless-run", "the runtime shows the threads of a run alone, with where they were"},
    {"memory-table-of-threads", "loose threads are a team, which stays together if little is lost"},
};

const char* exception_of(const std::string& name) {
  for (const Exception& one : exceptions)
    if (name == one.name) return one.reason;
  return nullptr;
}

// Empty: a program can open the tree.
std::string why_not(const Case& c) {
  const Machine machine = c.machine();
  const Entity tree = c.tree();
  const std::string policy = c.value("policy");
  if (machine.description.empty()) return "hwloc describes no machine of unlike siblings in words";
  if (!c.expects_something()) return "expects something only after ticks, which are times";
  if (c.has("scope")) return "a program places no tree below a level that it chooses";
  if (says(tree, "allowed")) return "a program pins no thread to a level";
  if (says(as_the_runtime(tree), "last")) return "a program cannot say where a thread ran last";
  if (says(tree, "burst")) return "teams have no burst level, bubbles that the program made have";
  if (policy == "random") return "the runtime draws from seeds of its own";
  if (policy.rfind("gang", 0) == 0 && c.tops() > 1) return "gangs come and go in time";
  if (policy == "burst") return "under a policy with turns the runtime shows each gang as one run";
  if (policy == "places" && depth(tree) > 1) return "a program binds the teams inside, too";
  if (c.value("parent", "0") != "0") return "the program's first thread has the first place";
  if (c.has("distances")) return "machines that are described in words have no distances";
  if (!tree.bytes.empty()) return "nobody tells what an outermost team uses as a whole";
  if (tree.threads() < 2) return "a region of one thread is placed by nobody";
  if (depth(tree) > 4) return "the runtime knows teams down to four levels";
  if (any(tree, [](const Entity& e) { return e.is_bubble && e.inner.empty(); }))
    return "a team has a thread at least";
  const Level& first = machine.level(level_of_first(c, tree, {}));
  if (!says(tree, "bytes") && first.first_pu > 0)
    return "the program's first thread is on PU 0, and the case has its first thread elsewhere";
  return "";
}

// --- the process of one case ---------------------------------------------------------------------

std::vector<std::string> failures;
int on_other_processors = 0;  // of the node where they are expected

void fail(const std::string& what) { failures.push_back(what); }

void expect_machine(const Machine& machine) {
  static const char* const kinds[] = {"machine", "package", "node", "cache", "core", "pu", "group"};
  const auto count = static_cast<std::size_t>(xylem_level_count());
  if (count != machine.levels.size()) return fail("the runtime has another number of levels");
  for (std::size_t i = 0; i < count; ++i) {
    xylem_level level;
    xylem_level_query(static_cast<int>(i), &level, sizeof level);
    const Level& drawn = machine.levels[i];
    if (kinds[level.kind] != drawn.kind || level.parent != drawn.parent ||
        level.first_pu != drawn.first_pu || level.pu_count != drawn.pu_count)
      fail("level " + drawn.name + " is another one in the runtime");
  }
}

// A thread of a team, or the team that it makes.
struct Member {
  const Entity* entity = nullptr;
  int number = 0;            // of a run's
  std::vector<Member> team;  // that it makes; empty: none
  int pu = -1;               // where it ran last
  std::string alone_in;      // the bubble that holds nothing else
};

std::vector<Member> members_of(const Entity& bubble) {
  std::vector<Member> members;
  for (const Entity& one : bubble.inner) {
    if (one.is_bubble) {
      Member member{&one, 0, members_of(one), -1, ""};
      if (member.team.size() == 1) {  // a team of one is its thread
        const Member alone = member.team[0];
        member = alone;
        member.alone_in = one.name;
      }
      members.push_back(member);
    }
    for (int i = 0; !one.is_bubble && i < one.count; ++i) members.push_back({&one, i, {}, -1, ""});
  }
  return members;
}

int begun = 0;

// A thread waits until all of its region have begun, so that none runs after another.
void wait_for_all(int threads) {
  __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < threads) sched_yield();
}

void open_team(std::vector<Member>& members, int threads) {
#pragma omp parallel num_threads(static_cast <int>(members.size()))
  {
    Member& me = members[static_cast<std::size_t>(omp_get_thread_num())];
    if (me.entity->load > 0) xylem_set_load(me.entity->load);
    if (me.team.empty()) {
      me.pu = xylem_current_pu();
      wait_for_all(threads);
    } else {
      open_team(me.team, threads);
    }
  }
}

void tell_bytes(int member, const std::vector<long>& bytes, int count) {
  for (std::size_t node = 0; node < bytes.size(); ++node) {
    const auto size = static_cast<std::size_t>(bytes[node] / count);
    if (size == 0) continue;
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(data, 1, size);
    if (xylem_memory_move(data, size, static_cast<int>(node), nullptr) != 0) fail("cannot move");
    if (xylem_hint_next(member, data, size, xylem_use_both, 1) != 0) fail("cannot tell");
  }
}

// The bytes of all that it holds are its maker's.
void tell_all_bytes(int member, const Entity& entity) {
  tell_bytes(member, entity.bytes, 1);
  for (const Entity& one : entity.inner) tell_all_bytes(member, one);
}

void tell_hints(const Entity& tree) {
  int member = 0;
  for (const Entity& one : tree.inner) {
    if (one.is_bubble) tell_all_bytes(member++, one);
    for (int i = 0; !one.is_bubble && i < one.count; ++i)
      tell_bytes(member++, one.bytes, one.count);
  }
}

// The lowest memory node round the level, or the level.
Level node_round(const Machine& machine, const Level& level) {
  for (Level at = level; at.parent >= 0; at = machine.levels[static_cast<std::size_t>(at.parent)])
    if (at.kind == "node") return at;
  return level;
}

bool holds(const Level& level, int pu) {
  return pu >= level.first_pu && pu < level.first_pu + level.pu_count;
}

void compare(const Case& c, const Machine& machine, const std::vector<Member>& members,
             std::vector<std::string> round) {
  for (const Member& member : members) {
    std::vector<std::string> inner = round;
    if (!member.alone_in.empty()) inner.push_back(member.alone_in);
    if (!member.team.empty()) {
      inner.push_back(member.entity->name);
      compare(c, machine, member.team, inner);
      continue;
    }
    const std::string name = c.expected(member.entity->name, member.number, inner);
    if (name.empty()) {
      fail(member.entity->name + " is expected nowhere");
      continue;
    }
    const Level& level = machine.level(name);
    if (holds(level, member.pu)) continue;
    if (says(c.tree(), "bytes") && holds(node_round(machine, level), member.pu))
      ++on_other_processors;
    else
      fail(member.entity->name + "[" + std::to_string(member.number) + "] is expected on " + name +
           " and ran on pu" + std::to_string(member.pu));
  }
}

int run_one(const char* path) {
  const Case c(path);
  const Machine machine = c.machine();
  const Entity tree = c.tree();
  std::vector<Member> members = members_of(tree);
  omp_set_dynamic(0);
  omp_set_max_active_levels(depth(tree));
  expect_machine(machine);
  // The first run says which teams there are and tells loads; by the second they are known.
  for (int run = 0; run < 4; ++run) {
    if (run == 1 && says(tree, "bytes")) tell_hints(tree);
    begun = 0;
    open_team(members, tree.threads());
  }
  std::vector<std::string> round;
  if (!tree.name.empty()) round.push_back(tree.name);
  compare(c, machine, members, round);
  const char* exception = exception_of(std::filesystem::path(path).stem().string());
  if (exception && failures.empty()) std::printf("      an exception that runs as drawn\n");
  for (const std::string& what : failures)
    if (!exception) std::printf("      %s\n", what.c_str());
  if (on_other_processors > 0)
    std::printf("      %d threads on other processors of their node\n", on_other_processors);
  return failures.empty() != (exception != nullptr) ? 0 : 1;
}

// --- all cases -----------------------------------------------------------------------------------

std::string places_of(const Case& c) {
  std::string text = c.value("places");
  std::string::size_type gap = 0;
  while ((gap = text.find("} {", gap)) != std::string::npos) text.replace(gap, 3, "},{");
  return text;
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

// The environment of the case's process, which the next case writes over.
void set_environment(const Case& c) {
  set("XYLEM_MACHINE", c.machine().description);
  set("XYLEM_POLICY", c.value("policy"));
  set("XYLEM_SPREAD_THRESHOLD", c.value("too_big", "100"));
  set("XYLEM_HINTS", "threads");
  set("XYLEM_STEAL_PATIENCE", "-1");
  set("XYLEM_SHORT_REGION", "0");
  set("XYLEM_TIME_SLICE", "1");
  unsetenv("OMP_PLACES");
  unsetenv("OMP_PROC_BIND");
  if (c.value("policy") != "places") return;
  set("OMP_PLACES", c.has("places") ? places_of(c) : "threads");
  set("OMP_PROC_BIND", c.value("bind", "close"));
}

bool runs_right(const std::string& path) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string(), one = "--one",
              file = path;
  char* words[] = {program.data(), one.data(), file.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, words, environ) != 0) return false;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int run_all(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".case") paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  int opened = 0, wrong = 0, left_out = 0;
  for (const std::filesystem::path& path : paths) {
    const Case c(path.string());
    const std::string name = path.stem().string(), reason = why_not(c);
    if (!reason.empty()) {
      std::printf("  -   %-34s %s\n", name.c_str(), reason.c_str());
      ++left_out;
      continue;
    }
    set_environment(c);
    std::fflush(stdout);
    const bool right = runs_right(path.string());
    const char* exception = exception_of(name);
    std::printf("  %s %-34s %s\n",
                !right      ? "NO "
                : exception ? "-  "
                            : "yes",
                name.c_str(), exception ? exception : "");
    (exception && right ? left_out : opened) += 1;
    wrong += right ? 0 : 1;
  }
  std::printf("%d cases run as drawn, %d do not, %d cannot be expressed\n", opened - wrong, wrong,
              left_out);
  return opened > 0 && wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!xylem_hint_next) return 77;
  if (argc == 3) return run_one(argv[2]);
  return argc == 2 ? run_all(argv[1]) : 2;
}
