// thread_local in C++: constant and dynamic initialisation, constructors once a thread, function-
// local ones, class statics, arrays, over-aligned ones, interleaved by barriers on few workers.
#include <omp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "expect.h"

namespace {

constexpr int members = 16;

int constructed = 0;

struct Counted {
  int value;
  std::vector<int> history;
  Counted() : value(40) { add_one(&constructed); }
};

thread_local int constant = 11;
thread_local Counted dynamic;
thread_local std::string text = "fresh " + std::to_string(omp_get_max_threads() > 0);
thread_local int table[1000];
struct alignas(128) Wide {
  char bytes[128];
};
thread_local Wide wide;

struct Holder {
  static thread_local std::vector<std::string> names;
};
thread_local std::vector<std::string> Holder::names;

int& local_counter() {
  thread_local Counted counter;
  return counter.value;
}

// Not inlined, so that every access finds the variable anew.
[[gnu::noinline]] int constant_now() { return constant; }
[[gnu::noinline]] void constant_becomes(int value) { constant = value; }

void one_turn(int me, int turn) {
  constant_becomes(me * 1000 + turn);
  dynamic.history.push_back(me);
  text += static_cast<char>('a' + me);
  for (int i = 0; i < 1000; i += 50) table[i] = me + turn;
  wide.bytes[127] = static_cast<char>(me);
  Holder::names.push_back(std::to_string(me));
  local_counter()++;
#pragma omp barrier
  expect_equal("constant-initialised", constant_now(), me * 1000 + turn);
  expect_equal("table", table[950], me + turn);
  expect_equal("over-aligned value", wide.bytes[127], me);
  expect_equal("over-aligned address", reinterpret_cast<std::uintptr_t>(&wide) % 128, 0);
  expect_equal("function-local", local_counter(), 40 + turn + 1);
}

void check_history(int me, int turns) {
  expect_equal("turns in the history", static_cast<int>(dynamic.history.size()), turns);
  for (int owner : dynamic.history) expect_equal("owner in the history", owner, me);
  expect_equal("string", text.compare("fresh 1" + std::string(turns, 'a' + me)), 0);
  expect_equal("names", static_cast<int>(Holder::names.size()), turns);
  for (const std::string& name : Holder::names) {
    expect_equal("a name", name.compare(std::to_string(me)), 0);
  }
}

void region(int first, int turns) {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    for (int turn = first; turn < first + turns; turn++) one_turn(me, turn);
    check_history(me, first + turns);
  }
}

}  // namespace

int main() {
  region(0, 20);
  region(20, 20);  // the same size: what the members hold persists
  expect_equal("constructors run", constructed, 2 * members);
  expect_equal("the initial thread is member 0", constant_now(), 39);
  return expect_result();
}
