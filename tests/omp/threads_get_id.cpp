// std::this_thread::get_id(): different for any two members, steady for each over switches, and
// from region to region.
#include <thread>

#include "threads_move.h"

namespace {

constexpr int turns = 20;
std::thread::id id[most_members];

void all_differ() {
  for (int i = 0; i < members; i++) {
    expect_true("an id names a thread", id[i] != std::thread::id());
    for (int j = 0; j < i; j++) expect_true("ids differ", id[i] != id[j]);
  }
}

void within_a_region() {
#pragma omp parallel num_threads(members)
  {
    const int me = omp_get_thread_num();
    id[me] = std::this_thread::get_id();
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      expect_true("the id is steady", id[me] == std::this_thread::get_id());
    }
  }
  all_differ();
}

void over_regions() {
  for (int region = 0; region < turns; region++) {
#pragma omp parallel num_threads(members)
    {
      meet_and_move();
      expect_true("the id in the next region",
                  id[omp_get_thread_num()] == std::this_thread::get_id());
    }
  }
}

// A program's own lock that knows its owner by the id: the reason why ids must differ.
void own_lock() {
  std::thread::id owner;
  int inside = 0;
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    bool mine = false;
    while (!mine) {
#pragma omp critical(own_lock)
      if (owner == std::thread::id() || owner == std::this_thread::get_id()) {
        owner = std::this_thread::get_id();
        mine = true;
      }
#pragma omp taskyield
    }
    expect_equal("owners by id", add_one(&inside), 1);
    move_alone();
    store(&inside, 0);
#pragma omp critical(own_lock)
    owner = std::thread::id();
  }
}

void beside_a_thread() {
  std::thread::id other;
  std::thread thread([&] { other = std::this_thread::get_id(); });
  thread.join();
#pragma omp parallel num_threads(members)
  {
    std::thread::id joined;
    std::thread made([&] { joined = std::this_thread::get_id(); });
    const std::thread::id its = made.get_id();
    meet_and_move();
    made.join();
    expect_true("a made thread's id", joined == its);
    expect_true("a made thread's id is not its maker's", joined != std::this_thread::get_id());
  }
}

}  // namespace

int main() {
  begin_threads();
  id[0] = std::this_thread::get_id();
  const std::thread::id first = id[0];
  within_a_region();
  expect_true("member 0 is the first thread", id[0] == first);
  over_regions();
  own_lock();
  beside_a_thread();
  return expect_result();
}
