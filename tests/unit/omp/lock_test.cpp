// Locks without contention: the values of the word, and nesting. Contention is tested by the OpenMP
// programs in tests/omp.
#include "omp/sync/lock.hpp"

#include <gtest/gtest.h>

namespace xylem::omp {
namespace {

TEST(Lock, TheWordSaysWhetherItIsHeld) {
  LockWord word{0};
  lock(word);
  EXPECT_EQ(word.load(), 1u);
  EXPECT_FALSE(try_lock(word));
  unlock(word);
  EXPECT_EQ(word.load(), 0u);
  EXPECT_TRUE(try_lock(word));
  unlock(word);
}

TEST(Lock, NamedCriticalsLiveInTheirPointer) {
  void* storage = nullptr;
  lock(named_critical(&storage));
  EXPECT_NE(storage, nullptr);
  unlock(named_critical(&storage));
  EXPECT_EQ(storage, nullptr);
}

TEST(Lock, CriticalAndAtomicsAreDifferentLocks) {
  lock(unnamed_critical());
  EXPECT_TRUE(try_lock(atomic_fallback()));
  unlock(atomic_fallback());
  unlock(unnamed_critical());
}

TEST(NestLock, OneTaskTakesItAgainOthersDoNot) {
  NestLock nested{};
  int mine = 0, other = 0;
  EXPECT_EQ(lock(nested, &mine), 1);
  EXPECT_EQ(lock(nested, &mine), 2);
  EXPECT_EQ(try_lock(nested, &mine), 3);
  EXPECT_EQ(try_lock(nested, &other), 0);
  unlock(nested);
  unlock(nested);
  EXPECT_EQ(try_lock(nested, &other), 0);
  unlock(nested);
  EXPECT_EQ(try_lock(nested, &other), 1);
  unlock(nested);
  EXPECT_EQ(nested.word.load(), 0u);
}

}  // namespace
}  // namespace xylem::omp
