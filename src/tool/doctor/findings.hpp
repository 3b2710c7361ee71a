// What `xylem doctor` looks at and what it finds.
//
// Owns: Facts (read once) and the checks (pure functions of Facts). Invariant: a check reads no
// file and no environment, so a test can hand it any machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "count/source/idle.hpp"
#include "os/cgroup.hpp"
#include "tool/command/common.hpp"
#include "tool/command/program.hpp"
#include "tool/command/sharers.hpp"
#include "tool/doctor/ranks.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

struct Facts {
  Environment environment;
  os::CpuSet online;
  os::Allowance allowance;
  os::CgroupLimits limits;
  int usable = 1;  // default team size
  int nodes = 1;
  bool auto_numa = false;
  bool seccomp = false;              // system calls are filtered (containers)
  bool pool_library = true;          // that heaps on nodes use (mem/heap/pool_library.hpp)
  const char* next_touch = nullptr;  // mem::next_touch_obstacle()
  // count::pmu_obstacle(); asked where asks_kernel.
  const char* pmu = nullptr;
  const char* misses = nullptr;  // os::counter_obstacle(); likewise
  count::IdleObstacles idle;     // count::idle_obstacles(); likewise
  long long idle_page_ns = 0;    // what a page costs that the source `idle` looks at; 0: no source
  bool asks_kernel = false;      // the machine is this one, so the kernel was asked for sources
  // What a page costs that the source of accesses `fault` watches, measured; 0: not measured, or it
  // cannot be had, for the reason in next_touch.
  long long fault_page_ns = 0;
  std::string huge_pages;                    // "always", "madvise", "never", or "" if unknown
  std::optional<long long> max_maps;         // vm.max_map_count
  std::optional<long long> stack;            // soft limit in bytes; -1 unlimited
  std::optional<long long> processes;        // soft limit of the user's processes; -1 unlimited
  const topo::Machine* machine = nullptr;    // that programs will see; for OMP_PLACES; may be null
  std::string machine_trouble;               // what is wrong with XYLEM_MACHINE; "": nothing
  std::vector<Job> jobs;                     // whose ranks run here
  bool shares = true;                        // XYLEM_SHARE
  std::vector<std::string> keep_processors;  // each "NAME=text" that lets them lend none
  std::optional<SharingSeen> sharing;        // empty: not looked at
  std::optional<Program> program;
  Inspection inspection;  // of the program
};

// Reads everything below `root` ("" is this machine).
Facts read_facts(const Environment& environment, const std::string& root);

struct Finding {
  std::string id;      // stable, for scripts: "quota", "one-core-mask"
  bool hurts = false;  // false: only worth knowing
  std::string what;    // a sentence
  std::string advice;  // a sentence; may be empty
};

// All findings, those that hurt first.
std::vector<Finding> find_all(const Facts& facts);

// The checks by subject; each appends what it finds.
void check_processors(const Facts& facts, std::vector<Finding>& out);  // findings_machine.cpp
void check_memory(const Facts& facts, std::vector<Finding>& out);
void check_limits(const Facts& facts, std::vector<Finding>& out);
void check_settings(const Facts& facts, std::vector<Finding>& out);  // findings_settings.cpp
void check_program(const Facts& facts, std::vector<Finding>& out);   // findings_program.cpp
void check_ranks(const Facts& facts, std::vector<Finding>& out);     // findings_ranks.cpp
void check_sharing(const Facts& facts, std::vector<Finding>& out);   // findings_sharing.cpp

// Why a process here has no row in the table of those that share the machine; "" where it has one.
std::string sharing_trouble(const SharingSeen& sharing);

// The outermost team size the user asks for, or 0.
long long threads_asked(const Facts& facts);

}  // namespace xylem::tool
