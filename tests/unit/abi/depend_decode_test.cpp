// GCC's arrays of depend clauses, word by word as GCC 12 writes them (-fdump-tree-optimized).
#include "abi/gomp/depend_decode.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xylem {
namespace {

using omp::DependKind;

void* number(uintptr_t value) { return reinterpret_cast<void*>(value); }

struct Expected {
  const void* address;
  DependKind kind;
};

void expect_items(omp::DependList list, std::vector<Expected> expected) {
  ASSERT_EQ(list.size(), expected.size());
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].address, expected[i].address) << "item " << i;
    EXPECT_EQ(list[i].kind, expected[i].kind) << "item " << i;
  }
}

TEST(DependClauses, NoClauseHasNoItems) { EXPECT_TRUE(abi::DependClauses(nullptr).list().empty()); }

// depend(in: a) depend(out: b) depend(inout: c)
TEST(DependClauses, ShortFormHasOutsBeforeIns) {
  int a, b, c;
  void* array[5] = {number(3), number(2), &c, &b, &a};
  const abi::DependClauses clauses(array);
  expect_items(clauses.list(),
               {{&c, DependKind::inout}, {&b, DependKind::inout}, {&a, DependKind::in}});
}

TEST(DependClauses, ShortFormOfInsAlone) {
  int a, b;
  void* array[4] = {number(2), number(0), &a, &b};
  const abi::DependClauses clauses(array);
  expect_items(clauses.list(), {{&a, DependKind::in}, {&b, DependKind::in}});
}

// depend(mutexinoutset: b) depend(in: c) depend(out: d) depend(depobj: in_object, inout_object)
TEST(DependClauses, LongFormEndsWithDependObjects) {
  int a, b, c, d, e;
  void* inout_object[2] = {&a, number(3)};
  void* in_object[2] = {&e, number(1)};
  void* array[10] = {number(0), number(5), number(1), number(1),  number(1),
                     &d,        &b,        &c,        &in_object, &inout_object};
  const abi::DependClauses clauses(array);
  expect_items(clauses.list(), {{&d, DependKind::inout},
                                {&b, DependKind::mutexinoutset},
                                {&c, DependKind::in},
                                {&e, DependKind::in},
                                {&a, DependKind::inout}});
}

TEST(DependClauses, EveryKindOfDependObject) {
  int at[5];
  void* objects[5][2];
  void* array[10] = {number(0), number(5), number(0), number(0), number(0)};
  for (int i = 0; i < 5; ++i) {
    objects[i][0] = &at[i];
    objects[i][1] = number(static_cast<uintptr_t>(i) + 1);
    array[5 + i] = objects[i];
  }
  const abi::DependClauses clauses(array);
  expect_items(clauses.list(), {{&at[0], DependKind::in},
                                {&at[1], DependKind::out},
                                {&at[2], DependKind::inout},
                                {&at[3], DependKind::mutexinoutset},
                                {&at[4], DependKind::inoutset}});
}

// depend(iterator(i = 0 : n), in: ...) with n == 0
TEST(DependClauses, LongFormWithoutItems) {
  void* array[5] = {number(0), number(0), number(0), number(0), number(0)};
  EXPECT_TRUE(abi::DependClauses(array).list().empty());
}

// inout and mutexinoutset items of two iterators: the count of the latter is that of all.
TEST(DependClauses, CountsAboveTheNumberOfItems) {
  int a, b, c;
  void* array[8] = {number(0), number(3), number(2), number(3), number(0), &a, &b, &c};
  const abi::DependClauses clauses(array);
  expect_items(clauses.list(),
               {{&a, DependKind::inout}, {&b, DependKind::inout}, {&c, DependKind::mutexinoutset}});
}

// An iterator makes any number of items.
TEST(DependClauses, MoreThanFitOnTheStack) {
  for (const size_t count : {abi::DependItems::few, abi::DependItems::few + 1, size_t{1000}}) {
    std::vector<char> cells(count);
    std::vector<void*> array = {number(0), number(count), number(1), number(0), number(count - 1)};
    for (char& cell : cells) array.push_back(&cell);
    const abi::DependClauses clauses(array.data());
    ASSERT_EQ(clauses.list().size(), count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(clauses.list()[i].address, &cells[i]);
      EXPECT_EQ(clauses.list()[i].kind, i == 0 ? DependKind::inout : DependKind::in);
    }
  }
}

}  // namespace
}  // namespace xylem
