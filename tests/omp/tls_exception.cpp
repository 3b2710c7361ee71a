// C++ exceptions on fibers that share a worker: caught after switches, barriers inside handlers and
// inside destructors that run while unwinding, nested and rethrown exceptions, exception_ptr, and
// std::uncaught_exceptions of each member's own.
#include <omp.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "expect.h"

namespace {

constexpr int members = 16;
constexpr int turns = 10;

std::string text_of(int member, int turn) {
  return "member " + std::to_string(member) + " turn " + std::to_string(turn);
}

void expect_text(const char* what, const std::string& seen, const std::string& wanted) {
  expect_equal(what, seen.compare(wanted), 0);
}

[[gnu::noinline]] void raise(int member, int turn) {
  throw std::runtime_error(text_of(member, turn));
}

void barrier_inside_handler(int me, int turn) {
  try {
    raise(me, turn);
  } catch (const std::runtime_error& error) {
#pragma omp barrier
    expect_text("the exception after a barrier", error.what(), text_of(me, turn));
    expect_equal("uncaught in a handler", std::uncaught_exceptions(), 0);
    try {
#pragma omp barrier
      throw;
    } catch (const std::exception& again) {
#pragma omp barrier
      expect_text("the rethrown exception", again.what(), text_of(me, turn));
    }
  }
}

void nested_handlers(int me, int turn) {
  try {
    raise(me, turn);
  } catch (const std::exception& outer) {
#pragma omp barrier
    try {
      raise(me + 100, turn);
    } catch (const std::exception& inner) {
#pragma omp barrier
      expect_text("the inner exception", inner.what(), text_of(me + 100, turn));
    }
#pragma omp barrier
    expect_text("the outer exception", outer.what(), text_of(me, turn));
  }
}

// Its destructor waits in a barrier; on odd members it does so while an exception unwinds.
struct WaitsWhenLeft {
  int expected;
  ~WaitsWhenLeft() {
#pragma omp barrier
    expect_equal("uncaught while unwinding", std::uncaught_exceptions(), expected);
#pragma omp barrier
    expect_equal("uncaught while unwinding, later", std::uncaught_exceptions(), expected);
  }
};

void barrier_while_unwinding(int me, int turn) {
  try {
    WaitsWhenLeft guard{me % 2};
    if (me % 2 == 1) raise(me, turn);
  } catch (const std::exception& error) {
    expect_text("caught after unwinding through a barrier", error.what(), text_of(me, turn));
  }
}

void current_exception(int me, int turn, std::exception_ptr* shared) {
  try {
    raise(me, turn);
  } catch (...) {
    shared[me] = std::current_exception();
#pragma omp barrier
    expect_equal("current_exception stays", shared[me] == std::current_exception(), 1);
  }
#pragma omp barrier
  int other = (me + 1) % members;
  try {
    std::rethrow_exception(shared[other]);
  } catch (const std::exception& error) {
#pragma omp barrier
    expect_text("another member's exception", error.what(), text_of(other, turn));
  }
#pragma omp barrier
}

void uneven(int me, int turn) {
  for (int i = 0; i < 20; i++) {
    try {
      if (i % (me + 1) == 0) raise(me, turn);
    } catch (const std::exception& error) {
#pragma omp taskyield
#pragma omp critical
      expect_text("caught in a critical", error.what(), text_of(me, turn));
    }
  }
}

}  // namespace

int main() {
  std::exception_ptr shared[members];
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    int me = omp_get_thread_num();
    barrier_inside_handler(me, turn);
    nested_handlers(me, turn);
    barrier_while_unwinding(me, turn);
    current_exception(me, turn, shared);
    uneven(me, turn);
#pragma omp barrier
    expect_equal("uncaught at the end", std::uncaught_exceptions(), 0);
    expect_true("no current exception at the end", std::current_exception() == nullptr);
  }
  return expect_result();
}
