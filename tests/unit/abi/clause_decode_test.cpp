// The numbers that GCC 12 passes for clauses.
#include "abi/gomp/clause_decode.hpp"

#include <gtest/gtest.h>

namespace xylem {
namespace {

TEST(CancelKind, IsABitForEachConstruct) {
  EXPECT_EQ(abi::cancel_kind(1), omp::CancelKind::parallel);
  EXPECT_EQ(abi::cancel_kind(2), omp::CancelKind::loop);
  EXPECT_EQ(abi::cancel_kind(4), omp::CancelKind::sections);
  EXPECT_EQ(abi::cancel_kind(8), omp::CancelKind::taskgroup);
}

TEST(ProcBind, IsTheLowBitsOfTheFlags) {
  EXPECT_EQ(abi::proc_bind(0), omp::ProcBind::none);
  EXPECT_EQ(abi::proc_bind(2), omp::ProcBind::primary);
  EXPECT_EQ(abi::proc_bind(3), omp::ProcBind::close);
  EXPECT_EQ(abi::proc_bind(4 | 8), omp::ProcBind::spread);
}

TEST(TargetDevice, NegativeNumbersSayWhoChooses) {
  EXPECT_EQ(abi::target_device(-1).by, omp::DeviceBy::icv);
  EXPECT_EQ(abi::target_device(-2).by, omp::DeviceBy::initial);
  for (const int number : {0, 3, -3}) {
    EXPECT_EQ(abi::target_device(number).by, omp::DeviceBy::number);
    EXPECT_EQ(abi::target_device(number).number, number);
  }
}

}  // namespace
}  // namespace xylem
