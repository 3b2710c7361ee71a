// Objects that tasks copy: each copy is made once and destroyed once, whatever becomes of the task.
#include <omp.h>

#include <atomic>

#include "expect.h"

namespace {

std::atomic<long> alive{0}, made{0};

struct Counted {
  explicit Counted(long word) : value(word) { note(); }
  Counted(const Counted& other) : value(other.value) { note(); }
  Counted& operator=(const Counted&) = default;
  ~Counted() {
    value = -1;
    --alive;
  }
  void note() {
    ++alive;
    ++made;
  }
  alignas(32) long value;
};

void check(const char* what, long least) {
  expect_equal(what, alive, 0);
  expect_between("copies were made", made, least, 1000000);
  made = 0;
}

void plain(int members, bool deferred, bool last) {
  long sum = 0;
  {
    Counted word(5);
#pragma omp parallel num_threads(members)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(word) shared(sum) if (deferred) final(last)
      {
        expect_equal("an object's alignment", reinterpret_cast<uintptr_t>(&word) % 32, 0);
#pragma omp atomic
        sum += word.value;
      }
    }
  }
  expect_equal("values of copies", sum, 500);
  check("objects of tasks are left", 100);
}

void untied(int members) {
  long sum = 0;
  {
    Counted word(3);
#pragma omp parallel num_threads(members)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task untied firstprivate(word) shared(sum)
      {
        word.value++;
#pragma omp taskyield
#pragma omp atomic
        sum += word.value;
      }
    }
  }
  expect_equal("values of copies over parts", sum, 400);
  check("objects of untied tasks are left", 100);
}

void detached(int members) {
  long sum = 0;
  {
    Counted word(2);
#pragma omp parallel num_threads(members)
#pragma omp single
    for (int i = 0; i < 50; i++) {
      omp_event_handle_t event{};
#pragma omp task detach(event) firstprivate(word) shared(sum)
      {
#pragma omp atomic
        sum += word.value;
        if (i % 2) omp_fulfill_event(event);
      }
      if (i % 2 == 0) omp_fulfill_event(event);
    }
  }
  expect_equal("values of copies in detached tasks", sum, 100);
  check("objects of detached tasks are left", 50);
}

template <class Type>
void loops(int members, Type first, Type end, Type step) {
  long sum = 0, last = 0, wanted = 0, wanted_last = 0;
  for (Type i = first; step > 0 ? i < end : i > end; i += step) {
    wanted += static_cast<long>(i) + 4;
    wanted_last = static_cast<long>(i);
  }
  {
    Counted word(4);
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskloop firstprivate(word) shared(sum) lastprivate(last) grainsize(3)
    for (Type i = first; i < end; i += step) {
#pragma omp atomic
      sum += static_cast<long>(i) + word.value;
      last = static_cast<long>(i);
    }
  }
  expect_equal("the sum of a taskloop", sum, wanted);
  expect_equal("its last iteration", last, wanted_last);
  check("objects of a taskloop are left", 1);
}

}  // namespace

int main() {
  for (int members = 1; members <= 16; members += 5) {
    plain(members, true, false);
    plain(members, false, false);
    plain(members, true, true);
    untied(members);
    detached(members);
    loops<int>(members, -50, 53, 4);
    loops<unsigned long>(members, 7, 1000, 13);
    loops<signed char>(members, -100, 100, 9);
    loops<unsigned short>(members, 0, 60000, 777);
  }
  return expect_result();
}
