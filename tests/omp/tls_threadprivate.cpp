// threadprivate objects with constructors in C++, copyin by copy assignment, and static members,
// interleaved by barriers.
#include <omp.h>

#include <string>

#include "expect.h"

namespace {

constexpr int members = 16;

struct Name {
  std::string text = "unset";
  int copies = 0;
  Name() = default;
  Name(const Name& other) = default;
  Name& operator=(const Name& other) {
    text = other.text;
    copies = other.copies + 1;
    return *this;
  }
};

extern Name name;
#pragma omp threadprivate(name)
Name name;

struct Statics {
  static int value;
#pragma omp threadprivate(value)
};
int Statics::value = 3;

int& local_static() {
  static int counter = 5;
#pragma omp threadprivate(counter)
  return counter;
}

void constructed() {
#pragma omp parallel num_threads(members)
  {
    int me = omp_get_thread_num();
    expect_equal("constructed value", name.text.compare("unset"), 0);
    expect_equal("static member", Statics::value, 3);
    expect_equal("local static", local_static(), 5);
#pragma omp barrier
    name.text = std::to_string(me);
    Statics::value = me;
    local_static() = -me;
#pragma omp barrier
    expect_equal("own object", name.text.compare(std::to_string(me)), 0);
    expect_equal("own static member", Statics::value, me);
    expect_equal("own local static", local_static(), -me);
  }
}

void persists() {
#pragma omp parallel num_threads(members)
  expect_equal("kept object", name.text.compare(std::to_string(omp_get_thread_num())), 0);
}

void copied_in() {
  name.text = "given";
  name.copies = 0;
#pragma omp parallel num_threads(members) copyin(name)
  {
    expect_equal("copied object", name.text.compare("given"), 0);
    expect_equal("copy assignments", name.copies, omp_get_thread_num() == 0 ? 0 : 1);
  }
}

}  // namespace

int main() {
  constructed();
  persists();
  copied_in();
  return expect_result();
}
