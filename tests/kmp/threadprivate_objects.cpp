// threadprivate objects whose copies the runtime keeps (-fnoopenmp-use-tls): constructors run once
// for each thread, destructors when a thread's data end; and arrays of objects and functions that
// copy, as other compilers of the family register them.
#include <omp.h>
#include <pthread.h>

#include "expect.h"

struct Location;
extern "C" {
int __kmpc_global_thread_num(Location*);
void __kmpc_threadprivate_register(Location*, void*, void* (*)(void*), void* (*)(void*, void*),
                                   void (*)(void*));
void __kmpc_threadprivate_register_vec(Location*, void*, void* (*)(void*, size_t),
                                       void* (*)(void*, void*, size_t), void (*)(void*, size_t),
                                       size_t);
void* __kmpc_threadprivate(Location*, int, void*, size_t);
}

namespace {

constexpr int members = 8;
int made, ended;

struct Counted {
  int value;
  Counted() : value(40) { add_one(&made); }
  ~Counted() { add_one(&ended); }
};

Counted counted;
#pragma omp threadprivate(counted)

void constructed_once_each() {
  const int before = load(&made);
  for (int turn = 0; turn < 50; turn++) {
#pragma omp parallel num_threads(members)
    {
      expect_equal("value kept", counted.value, 40 + turn);
      counted.value++;
    }
  }
  expect_equal("copies that were made", load(&made) - before, members - 1);
  expect_equal("copies that have ended", load(&ended), 0);
}

void* use_it(void*) {
  expect_equal("a fresh copy", counted.value, 40);
  return nullptr;
}

void ends_with_its_thread() {
  const int before = load(&ended);
  pthread_t thread;
  pthread_create(&thread, nullptr, use_it, nullptr);
  pthread_join(thread, nullptr);
  expect_equal("ended with the thread", load(&ended) - before, 1);
}

void ends_when_it_is_asked_for() {
  const int before = load(&ended);
  omp_pause_resource_all(omp_pause_hard);
  expect_equal("ended by omp_pause_resource_all", load(&ended) - before, members - 1);
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() > 0) expect_equal("made anew", counted.value, 40);
}

// --- what other compilers register ---------------------------------------------------------------

int array[3] = {1, 2, 3};

void* fill(void* copy, size_t count) {
  for (size_t i = 0; i < count; i++) static_cast<int*>(copy)[i] = 7;
  return copy;
}

int copied = 5;

void* copy_doubled(void* to, void* from) {
  *static_cast<int*>(to) = 2 * *static_cast<int*>(from);
  return to;
}

template <typename T>
T* mine(T& variable) {
  const int number = __kmpc_global_thread_num(nullptr);
  return static_cast<T*>(__kmpc_threadprivate(nullptr, number, &variable, sizeof variable));
}

void registered_by_hand() {
  __kmpc_threadprivate_register_vec(nullptr, &array, fill, nullptr, nullptr, 3);
  __kmpc_threadprivate_register(nullptr, &copied, nullptr, copy_doubled, nullptr);
  expect_true("the first thread has the variables",
              mine(array) == &array && mine(copied) == &copied);
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() > 0) {
    int(&own)[3] = *mine(array);
    expect_true("an array of its own", own[0] == 7 && own[1] == 7 && own[2] == 7 && &own != &array);
    expect_equal("made by the copying function", *mine(copied), 10);
  }
}

// --- many variables ------------------------------------------------------------------------------

long many[200];

void as_many_as_there_are() {
  for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(members)
    for (int i = 0; i < 200; i++) {
      long* own = mine(many[i]);
      expect_equal("value of one among many", *own, turn ? 1000 * omp_get_thread_num() + i : 0);
      *own = 1000 * omp_get_thread_num() + i;
    }
  }
}

}  // namespace

int main() {
  constructed_once_each();
  ends_with_its_thread();
  ends_when_it_is_asked_for();
  registered_by_hand();
  as_many_as_there_are();
  return expect_result();
}
