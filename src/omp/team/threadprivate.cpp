// Owns: variables and their copies. See threadprivate.hpp.
#include "omp/team/threadprivate.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/report.hpp"
#include "omp/team/team.hpp"
#include "os/tls.hpp"

namespace xylem::omp {

namespace {

// One for each variable of the process; never freed.
struct Variable {
  void* original;
  CopyLifetime lifetime;
  // What copies begin with; made by the first thread that asks (acq_rel, once).
  std::atomic<void*> initial{nullptr};
  Variable* next = nullptr;
};

struct Copy {
  void* original = nullptr;  // null: the place is free
  void* copy = nullptr;
  const Variable* variable = nullptr;  // null: the copy is the variable itself
};

// The copies of one thread: a table with open addresses, at most half full. Only its thread looks.
struct Copies {
  Copy* places = nullptr;
  size_t room = 0;  // a power of two
  size_t used = 0;
};

}  // namespace

}  // namespace xylem::omp

// In a thread control block. Read and written in assembly, as no compiler may keep a thread-local
// variable's address across a switch (sched/queue/fiber.hpp).
extern "C" {
__attribute__((visibility("hidden"), used,
               tls_model("initial-exec"))) thread_local constinit void* xylem_threadprivate_copies =
    nullptr;
}

namespace xylem::omp {

namespace {

Copies* copies_in_force() {
  void* copies;
  asm volatile(
      "movq xylem_threadprivate_copies@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(copies));
  return static_cast<Copies*>(copies);
}

void set_copies_in_force(Copies* copies) {
  void* offset;
  asm volatile(
      "movq xylem_threadprivate_copies@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "r"(copies)
      : "memory");
}

// --- variables -----------------------------------------------------------------------------------

// Pushed by any thread (release), walked by any (acquire).
constinit std::atomic<Variable*> variables{nullptr};

Variable* find_among(Variable* first, const void* original) {
  while (first && first->original != original) first = first->next;
  return first;
}

Variable& find_or_declare(void* original, const CopyLifetime& lifetime) {
  Variable* head = variables.load(std::memory_order_acquire);
  if (Variable* found = find_among(head, original)) return *found;
  auto* made = new Variable{original, lifetime};
  for (;;) {
    made->next = head;
    if (variables.compare_exchange_weak(head, made, std::memory_order_acq_rel)) return *made;
    if (Variable* found = find_among(head, original)) {  // somebody was sooner
      delete made;
      return *found;
    }
  }
}

void* allocate(size_t bytes) {
  // A cache line of its own, which also is what any variable's alignment needs.
  void* block = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!block) base::fatal("out of memory for threadprivate data");
  return block;
}

// Also by the first thread, before it is given the variable and may write it.
void keep_initial(Variable& variable, size_t bytes) {
  if (variable.lifetime.begin || variable.initial.load(std::memory_order_acquire)) return;
  void* kept = allocate(bytes);
  std::memcpy(kept, variable.original, bytes);
  void* none = nullptr;
  if (!variable.initial.compare_exchange_strong(none, kept, std::memory_order_acq_rel))
    std::free(kept);
}

// --- copies --------------------------------------------------------------------------------------

// The variable's place, or the free one where it would stand.
Copy& place_of(const Copies& copies, const void* original) {
  uint64_t at = reinterpret_cast<uint64_t>(original) * 0x9e37'79b9'7f4a'7c15u >> 32;
  while (true) {
    Copy& place = copies.places[at & (copies.room - 1)];
    if (!place.original || place.original == original) return place;
    ++at;
  }
}

void grow(Copies& copies) {
  Copies larger{.room = copies.room ? copies.room * 2 : 16, .used = copies.used};
  larger.places = new Copy[larger.room];
  for (size_t i = 0; i < copies.room; ++i)
    if (copies.places[i].original) place_of(larger, copies.places[i].original) = copies.places[i];
  delete[] copies.places;
  copies = larger;
}

// Ends a copy and gives its memory back. The program's code may ask for others meanwhile.
void end_copy(const Copy& copy) {
  if (!copy.variable) return;
  const CopyLifetime& lifetime = copy.variable->lifetime;
  if (lifetime.end) lifetime.end(copy.copy, lifetime.how);
  std::free(copy.copy);
}

// The thread's data end, and are in force.
void end_copies(void* raw) {
  auto* copies = static_cast<Copies*>(raw);
  set_copies_in_force(nullptr);
  for (size_t i = 0; i < copies->room; ++i) end_copy(copies->places[i]);
  delete[] copies->places;
  delete copies;
}

Copies& meet_copies() {
  if (Copies* known = copies_in_force()) return *known;
  auto* made = new Copies;
  set_copies_in_force(made);
  os::at_data_end(end_copies, made);
  return *made;
}

[[gnu::noinline]] void* make_copy(void* original, size_t bytes) {
  Variable& variable = find_or_declare(original, {});
  keep_initial(variable, bytes);
  const bool first_thread = number_in_process(current_member()) == 0;
  Copies& copies = meet_copies();
  if (++copies.used > copies.room / 2) grow(copies);
  Copy& place = place_of(copies, original);
  if (first_thread) {
    place = {original, original, nullptr};
    return original;
  }
  void* const copy = allocate(bytes);
  place = {original, copy, &variable};  // before the program's code, which may ask for it
  const CopyLifetime& lifetime = variable.lifetime;
  if (lifetime.begin)
    lifetime.begin(copy, original, lifetime.how);
  else
    std::memcpy(copy, variable.initial.load(std::memory_order_acquire), bytes);
  return copy;
}

}  // namespace

void declare_threadprivate(void* variable, const CopyLifetime& lifetime) {
  find_or_declare(variable, lifetime);
}

void* threadprivate_copy(void* variable, size_t bytes) {
  if (const Copies* copies = copies_in_force()) [[likely]] {
    const Copy& place = place_of(*copies, variable);
    if (place.original) [[likely]]
      return place.copy;
  }
  return make_copy(variable, bytes);
}

}  // namespace xylem::omp
