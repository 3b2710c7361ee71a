// Owns: the picture of a stuck process: every worker, queue and stack, on stderr.
// Unsynchronised by purpose: it is called when nothing moves any more.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "sched/group/groups.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

constexpr int most_frames = 24;
constexpr size_t scanned_bytes = 8 * 1024;

const char* name_of(SlotState state) {
  switch (state) {
    case SlotState::absent:
      return "absent";
    case SlotState::awake:
      return "awake";
    case SlotState::searching:
      return "searching";
    case SlotState::parked:
      return "parked";
    case SlotState::broken:
      return "broken";
    case SlotState::lent:
      return "lent";
  }
  return "?";
}

const char* name_of(Owner owner) {
  switch (owner) {
    case Owner::away:
      return "runs something";
    case Owner::searching:
      return "looks here";
    case Owner::parked:
      return "is to be woken";
    case Owner::woken:
      return "is being woken";
  }
  return "?";
}

struct CodeQuery {
  uintptr_t address;
  bool is_code;
};

int scan_for_code(dl_phdr_info* info, size_t, void* raw) {
  auto& query = *static_cast<CodeQuery*>(raw);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) && query.address > start &&
        query.address < start + part.p_memsz)
      query.is_code = true;
  }
  return query.is_code ? 1 : 0;
}

void print_frame(uintptr_t address) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(address), &info)) return;
  const char* slash = std::strrchr(info.dli_fname, '/');
  std::fprintf(stderr, "    %s+%#zx %s\n", slash ? slash + 1 : info.dli_fname,
               static_cast<size_t>(address - reinterpret_cast<uintptr_t>(info.dli_fbase)),
               info.dli_sname ? info.dli_sname : "");
}

// A word of another's stack, which runs or may be poisoned: not for the sanitizers to look at.
[[gnu::noinline]] __attribute__((no_sanitize("address", "thread"))) uintptr_t word_of_stack(
    const uintptr_t* word) {
  return *word;
}

// Return addresses are found by looking at every word: user code keeps no frame pointers. For
// `addr2line -fe FILE OFFSET`.
void print_stack(const Stack& stack) {
  std::fprintf(stderr, "  stack %p-%p, outermost frames first:\n",
               static_cast<const void*>(stack.low), static_cast<const void*>(stack.high));
  const auto* high = reinterpret_cast<const uintptr_t*>(stack.high);
  const auto* low = high - scanned_bytes / sizeof(uintptr_t);
  int frames = 0;
  for (const uintptr_t* word = high - 1; word >= low && frames < most_frames; --word) {
    CodeQuery query{word_of_stack(word), false};
    dl_iterate_phdr(scan_for_code, &query);
    if (!query.is_code) continue;
    print_frame(query.address);
    ++frames;
  }
}

}  // namespace

namespace {

void print_unit(Group& group, void*) {
  if (group.unit() != &group) return;
  const int level = group.level.load();
  std::fprintf(stderr, "  bubble %llu: %d threads, %d waiting, %s",
               static_cast<unsigned long long>(group.number.load()), group.unit_threads.load(),
               group.queue.count(),
               level >= 0           ? "attached to level "
               : level == suspended ? "suspended\n"
                                    : "detached\n");
  if (level >= 0) std::fprintf(stderr, "%d\n", level);
}

}  // namespace

void Pool::dump() {
  std::fprintf(stderr, "xylem: state of the pool: %d regions open, %d workers search\n",
               open_regions.load(), searching_.load());
  for (int pu = 0; pu < pu_count_; ++pu) {
    RunQueue& queue = pu_queue(pu);
    const int level = machine_.pu_level(pu);
    std::fprintf(stderr, "  PU %d: slot %s%s, %d waiting in its queue%s; its owner %s\n", pu,
                 name_of(slot(pu).state.load()), idle_.has(level) ? " and idle" : "",
                 queue.waiting(1 << 20), stealable_.has(level) ? ", others may look" : "",
                 name_of(queue.owner()));
    each_worker(pu, [](Worker& worker) {
      std::fprintf(stderr, "    worker of kernel thread %d%s%s: fiber %p, %llu turns\n",
                   worker.tid.load(), worker.extra ? " (extra)" : "",
                   worker.external ? " (external)" : "", static_cast<void*>(worker.current),
                   static_cast<unsigned long long>(worker.turns.load()));
    });
  }
  each_group(print_unit, nullptr);
  stacks_.each_in_use(print_stack);
}

}  // namespace xylem::sched
