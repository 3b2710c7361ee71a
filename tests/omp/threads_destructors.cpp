// Destructors of what a thread has: thread_local objects and values of pthread keys, of threads
// that members make, of program threads that opened a region, and of the first thread. Those of
// the runtime's own members are the program's until it ends.
#include <pthread.h>

#include <thread>

#include "threads_move.h"

namespace {

constexpr int turns = 20;
int made, destroyed, wrong, keys_destroyed;
pthread_key_t key;

struct Counted {
  std::thread::id made_by = std::this_thread::get_id();
  int uses = 0;
  Counted() { add_one(&made); }
  ~Counted() {
    if (made_by != std::this_thread::get_id()) add_one(&wrong);
    add_one(&destroyed);
  }
};

thread_local Counted counted;

void use() {
  counted.uses++;
  if (!pthread_getspecific(key)) pthread_setspecific(key, new int(7));
}

void destroy_value(void* value) {
  if (*static_cast<int*>(value) != 7) add_one(&wrong);
  delete static_cast<int*>(value);
  add_one(&keys_destroyed);
}

// A thread that a member makes runs its destructors before it is joined.
void of_made_threads() {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    std::thread thread(use);
    move_alone();
    thread.join();
  }
  expect_equal("made by made threads", made, members * turns);
  expect_equal("destroyed by made threads", destroyed, members * turns);
  expect_equal("values destroyed by made threads", keys_destroyed, members * turns);
}

void region() {
  use();
#pragma omp parallel num_threads(members)
  {
    use();
    meet_and_move();
    if (counted.made_by != std::this_thread::get_id()) add_one(&wrong);
    expect_between("uses of a member's own", counted.uses, 1, 2 * turns);
  }
}

// A program thread that opened a region runs its own before it is joined.
void of_program_threads() {
  for (int turn = 0; turn < turns; turn++) {
    const int before = load(&destroyed), values = load(&keys_destroyed);
    std::thread thread(region);
    thread.join();
    expect_true("destroyed by a program thread", load(&destroyed) > before);
    expect_true("values destroyed by a program thread", load(&keys_destroyed) > values);
  }
}

// After main: the first thread's own have been run, once, and no member's twice.
[[gnu::destructor]] void at_the_end() {
  expect_true("none destroyed twice", load(&destroyed) <= load(&made));
  expect_equal("destroyed by another thread", load(&wrong), 0);
  if (expect_result() != 0) _Exit(1);
}

}  // namespace

int main() {
  begin_threads();
  pthread_key_create(&key, destroy_value);
  of_made_threads();
  of_program_threads();
  for (int turn = 0; turn < turns; turn++) region();
  expect_equal("destroyed by another thread", load(&wrong), 0);
  return expect_result();
}
