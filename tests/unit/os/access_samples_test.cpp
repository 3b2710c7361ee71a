// Records of samples in a ring as the kernel writes them, and the kernel's own with the one event
// with data addresses that every machine has: page faults.
#include "os/access_samples.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "os/memory.hpp"
#include "os/thread.hpp"

namespace xylem::os {
namespace {

void add_sample(void* to, const AccessSample& sample) {
  static_cast<std::vector<AccessSample>*>(to)->push_back(sample);
}

// A ring whose records begin at any position.
class DrawnRing {
 public:
  explicit DrawnRing(uint64_t start) : tail_(start), head_(start) {}
  DrawnRing& sample(uint64_t address, uint64_t period, uint64_t source, uint32_t thread = 7) {
    struct {
      perf_event_header header;
      uint32_t process, thread;
      uint64_t address, period, source;
    } record{{PERF_RECORD_SAMPLE, 0, sizeof record}, 1, thread, address, period, source};
    return put(&record, sizeof record);
  }
  DrawnRing& lost(uint64_t count) {
    struct {
      perf_event_header header;
      uint64_t id, lost;
    } record{{PERF_RECORD_LOST, 0, sizeof record}, 1, count};
    return put(&record, sizeof record);
  }
  DrawnRing& header(uint32_t type, uint16_t size) {
    const perf_event_header only{type, 0, size};
    return put(&only, sizeof only);
  }
  std::vector<AccessSample> read(uint64_t& lost) const {
    std::vector<AccessSample> samples;
    lost = read_sample_records(bytes_, tail_, head_, add_sample, &samples);
    return samples;
  }

 private:
  DrawnRing& put(const void* record, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      bytes_[(head_ + i) % bytes_.size()] = static_cast<const std::byte*>(record)[i];
    head_ += bytes;
    return *this;
  }
  std::array<std::byte, 256> bytes_{};
  uint64_t tail_, head_;
};

constexpr uint64_t load = PERF_MEM_OP_LOAD, store = PERF_MEM_OP_STORE, no_op = PERF_MEM_OP_NA;

TEST(SampleRecords, AreReadRoundTheRingsEnd) {
  for (uint64_t start = 0; start < 256; start += 8) {
    uint64_t lost = 0;
    const auto samples = DrawnRing(start)
                             .sample(0x1234, 100, load)
                             .lost(3)
                             .sample(0x5678, 0, store, 9)
                             .lost(4)
                             .read(lost);
    ASSERT_EQ(samples.size(), 2u) << start;
    EXPECT_EQ(samples[0].address, 0x1234u);
    EXPECT_EQ(samples[0].events, 100u);
    EXPECT_EQ(samples[0].kernel_thread, 7);
    EXPECT_FALSE(samples[0].is_write);
    EXPECT_EQ(samples[1].events, 1u);
    EXPECT_EQ(samples[1].kernel_thread, 9);
    EXPECT_TRUE(samples[1].is_write);
    EXPECT_EQ(lost, 7u);
  }
}

TEST(SampleRecords, OthersAndTheKernelsAddressesAreLeftOut) {
  uint64_t lost = 0;
  const auto samples = DrawnRing(0)
                           .header(PERF_RECORD_THROTTLE, sizeof(perf_event_header))
                           .sample(0, 1, no_op)
                           .sample(uint64_t{1} << 63, 1, load)
                           .sample(0x9000, 1, no_op)
                           .read(lost);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].address, 0x9000u);
}

TEST(SampleRecords, ADamagedOneEndsThem) {
  uint64_t lost = 0;
  EXPECT_TRUE(DrawnRing(0).header(PERF_RECORD_SAMPLE, 0).sample(1, 1, load).read(lost).empty());
  EXPECT_TRUE(DrawnRing(0).header(PERF_RECORD_SAMPLE, 4000).read(lost).empty());
  EXPECT_TRUE(DrawnRing(0).header(PERF_RECORD_SAMPLE, 8).read(lost).empty());  // no body
}

TEST(SampleRing, PageFaultsOfThisThreadComeWithTheirAddresses) {
  SampleRing ring;
  const int error =
      open_sample_ring({.type = PERF_TYPE_SOFTWARE, .config = {PERF_COUNT_SW_PAGE_FAULTS}}, ring);
  if (error == -EPERM || error == -EACCES || error == -ENOSYS)
    GTEST_SKIP() << "the kernel samples nothing for this process";
  ASSERT_EQ(error, 0);
  constexpr std::size_t pages = 40;
  char* start = map_memory(pages * page_size());
  ASSERT_NE(start, nullptr);
  for (std::size_t i = 0; i < pages; ++i) start[i * page_size() + 100 + i] = 1;
  std::vector<AccessSample> samples;
  EXPECT_EQ(take_samples(ring, add_sample, &samples), 0u);
  std::size_t found = 0;
  for (const AccessSample& sample : samples)
    if (sample.address >= reinterpret_cast<uintptr_t>(start) &&
        sample.address < reinterpret_cast<uintptr_t>(start) + pages * page_size()) {
      EXPECT_EQ(sample.address,
                reinterpret_cast<uintptr_t>(start) + found * page_size() + 100 + found);
      EXPECT_EQ(sample.kernel_thread, thread_id());
      ++found;
    }
  EXPECT_EQ(found, pages);
  samples.clear();
  take_samples(ring, add_sample, &samples);  // each comes once
  for (const AccessSample& sample : samples)
    EXPECT_FALSE(sample.address >= reinterpret_cast<uintptr_t>(start) &&
                 sample.address < reinterpret_cast<uintptr_t>(start) + pages * page_size());
  unmap_pages(start, pages * page_size());
  close_sample_ring(ring);
  EXPECT_EQ(ring.pages, nullptr);
}

int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(SampleRing, ALeaderIsClosedWithTheRing) {
  const int before = open_descriptors();
  SampleRing ring;
  const int error = open_sample_ring({.type = PERF_TYPE_SOFTWARE,
                                      .config = {PERF_COUNT_SW_PAGE_FAULTS},
                                      .has_leader = true,
                                      .leader_config = PERF_COUNT_SW_DUMMY},
                                     ring);
  if (error == -EPERM || error == -EACCES || error == -ENOSYS)
    GTEST_SKIP() << "the kernel samples nothing for this process";
  ASSERT_EQ(error, 0);
  EXPECT_EQ(open_descriptors(), before + 2);
  close_sample_ring(ring);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(SampleRing, AnEventThatIsNotThereIsRefused) {
  SampleRing ring;
  EXPECT_LT(open_sample_ring({.type = 0x7fffffff}, ring), 0);
  EXPECT_EQ(ring.pages, nullptr);
}

}  // namespace
}  // namespace xylem::os
