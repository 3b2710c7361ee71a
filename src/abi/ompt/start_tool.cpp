// Owns: finding, starting and ending a tool. See start_tool.hpp.
#include "abi/ompt/start_tool.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "abi/ompt/lookup.hpp"
#include "abi/ompt/start_log.hpp"
#include "omp/env/icv.hpp"
#include "omp/env/settings.hpp"
#include "omp/tool/records.hpp"
#include "os/process.hpp"
#include "os/shared_object.hpp"

namespace xylem::abi::ompt {

namespace {

using omp::tool::Data;

// ompt_start_tool_result_t.
struct StartResult {
  int (*initialize)(EntryPoint (*lookup)(const char* name), int initial_device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};

using StartTool = StartResult* (*)(unsigned version, const char* runtime);

constexpr const char* start_name = "ompt_start_tool";
constexpr unsigned specification = 202111;  // OpenMP 5.2
constexpr const char* runtime_name = "Xylem " XYLEM_VERSION;
constexpr int host_device = 0;

// Written by the thread that starts the tool (release); taken by who ends it.
constinit std::atomic<StartResult*> started{nullptr};
constinit std::atomic<bool> was_started{false};

StartResult* ask(void* symbol) {
  return reinterpret_cast<StartTool>(symbol)(specification, runtime_name);
}

// --- the search ----------------------------------------------------------------------------------

StartResult* find_in_process(StartLog& log) {
  log.say("Search for OMP tool in current address space... ");
  void* symbol = os::find_symbol(start_name);
  StartResult* result = symbol ? ask(symbol) : nullptr;
  log.say(result ? "Success.\n" : "Failed.\n");
  return result;
}

StartResult* ask_library(StartLog& log, const char* path) {
  log.say("Opening %s... ", path);
  void* library = os::open_library(path);
  if (!library) {
    log.say("Failed: %s\n", os::loader_error());
    return nullptr;
  }
  log.say("Success.\nSearching for %s in %s... ", start_name, path);
  void* symbol = os::symbol_of(library, start_name);
  if (!symbol) log.say("Failed: %s\n", os::loader_error());
  StartResult* result = symbol ? ask(symbol) : nullptr;
  if (result) {
    log.say("Success.\n");
    return result;
  }
  if (symbol) log.say("Found but not using the OMPT interface.\nContinuing search...\n");
  os::close_library(library);
  return nullptr;
}

// Paths with colons between.
StartResult* find_in_libraries(StartLog& log, const char* libraries) {
  log.say("Searching tool libraries...\nOMP_TOOL_LIBRARIES = %s\n", libraries);
  char path[4096];
  for (const char* rest = libraries; *rest;) {
    const size_t length = std::strcspn(rest, ":");
    if (length > 0 && length < sizeof path) {
      std::memcpy(path, rest, length);
      path[length] = '\0';
      if (StartResult* result = ask_library(log, path)) return result;
    }
    rest += length + (rest[length] == ':');
  }
  log.say("...searching tool libraries failed.\n");
  return nullptr;
}

// Where a program is compiled for ThreadSanitizer, LLVM's Archer tells that what OpenMP orders. As
// libomp does, found where the loader looks for libraries. Where it is not, no tool may be
// expected: threads get other thread-local data then (sched::PoolSettings::own_data_each).
constexpr const char* archer_name = "libarcher.so";

bool archer_is_of_use() {
  if (!os::find_symbol("__tsan_init")) return false;
  void* library = os::open_library(archer_name);
  if (library) os::close_library(library);
  return library != nullptr;
}

StartResult* find_named(StartLog& log) {
  const char* libraries = omp::globals().tool_libraries;
  if (*libraries) return find_in_libraries(log, libraries);
  log.say("No OMP_TOOL_LIBRARIES defined.\n...searching tool libraries failed.\n");
  return nullptr;
}

StartResult* find_tool(StartLog& log) {
  if (StartResult* result = find_in_process(log)) return result;
  if (StartResult* result = find_named(log)) return result;
  if (!archer_is_of_use()) return nullptr;
  log.say("Using Archer, as the program has ThreadSanitizer.\n");
  return ask_library(log, archer_name);
}

// --- start and end -------------------------------------------------------------------------------

bool initialize(StartResult& tool) {
  started.store(&tool, std::memory_order_release);
  was_started.store(true, std::memory_order_relaxed);  // relaxed: only a fact
  if (tool.initialize(look_up, host_device, &tool.tool) != 0) return true;
  started.store(nullptr, std::memory_order_relaxed);
  was_started.store(false, std::memory_order_relaxed);
  return false;
}

StartResult* search() {
  if (!omp::globals().tool) return nullptr;
  StartLog log(omp::globals().tool_verbose_init);
  StartResult* tool = find_tool(log);
  log.say(tool ? "Tool was started and is using the OMPT interface.\n" : "No OMP tool loaded.\n");
  return tool;
}

void start_tool() {
  StartResult* tool = search();
  if (tool && initialize(*tool)) return os::at_process_exit(finalize_tool);
  omp::tool::stop_listening();
}

}  // namespace

void expect_tool() {
  const char* libraries = omp::environment_lookup("OMP_TOOL_LIBRARIES");
  if ((libraries && *libraries) || os::find_symbol(start_name) ||
      omp::environment_lookup("OMP_TOOL_VERBOSE_INIT") || archer_is_of_use())
    omp::tool::expect_tool(start_tool);
}

void finalize_tool() {
  StartResult* tool = started.exchange(nullptr, std::memory_order_acq_rel);
  if (!tool) return;
  omp::tool::end_threads();
  omp::tool::stop_listening();
  if (tool->finalize) tool->finalize(&tool->tool);
}

bool tool_was_started() { return was_started.load(std::memory_order_relaxed); }

}  // namespace xylem::abi::ompt
