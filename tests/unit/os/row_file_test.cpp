// Files of rows: what is refused, and that a row goes with its process, however that ends.
#include "os/row_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

namespace xylem::os {
namespace {

constexpr auto make = RowFile::Open::make_if_missing;
constexpr std::size_t row_bytes = 64;

class RowFiles : public testing::Test {
 protected:
  RowFiles() {
    char name[] = "/tmp/row_file_test.XXXXXX";
    folder_ = std::string(mkdtemp(name)) + "/mine";
  }
  ~RowFiles() override {
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path(folder_).parent_path(), ignored);
  }
  std::string path() const { return folder_ + "/rows"; }
  int open(RowFile& file) const { return file.open(folder_.c_str(), "rows", make); }
  void make_folder() const { ASSERT_EQ(mkdir(folder_.c_str(), 0700), 0); }

  std::string folder_;
};

// Runs body() in a child, tells when it is done, and keeps the child until it is killed.
class Child {
 public:
  explicit Child(const std::function<void()>& body) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    number_ = fork();
    if (number_ == 0) {
      body();
      if (write(ends[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    ::close(ends[1]);
    char done = 0;
    EXPECT_EQ(read(ends[0], &done, 1), 1);
    ::close(ends[0]);
  }
  ~Child() { kill(); }
  void kill() {
    if (number_ <= 0) return;
    ::kill(number_, SIGKILL);
    waitpid(number_, nullptr, 0);
    number_ = -1;
  }

 private:
  pid_t number_ = -1;
};

TEST_F(RowFiles, MakesFolderAndFileForTheUserAlone) {
  RowFile file;
  ASSERT_EQ(open(file), 0);
  struct stat status {};
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(status.st_size, 0);
}

TEST_F(RowFiles, OpensNothingWhereNothingIs) {
  RowFile file;
  EXPECT_EQ(file.open(folder_.c_str(), "rows", RowFile::Open::only_if_there), -ENOENT);
  EXPECT_FALSE(std::filesystem::exists(folder_));
  make_folder();
  EXPECT_EQ(file.open(folder_.c_str(), "rows", RowFile::Open::only_if_there), -ENOENT);
  EXPECT_FALSE(file.is_open());
}

TEST_F(RowFiles, RefusesAFolderThatOthersMayUse) {
  make_folder();
  ASSERT_EQ(chmod(folder_.c_str(), 0770), 0);
  RowFile file;
  EXPECT_EQ(open(file), -EPERM);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(RowFiles, RefusesAFolderThatIsALinkOrAFile) {
  const std::string target = folder_ + "-target";
  ASSERT_EQ(mkdir(target.c_str(), 0700), 0);
  ASSERT_EQ(symlink(target.c_str(), folder_.c_str()), 0);
  RowFile file;
  EXPECT_EQ(open(file), -EPROTO);
  ASSERT_EQ(unlink(folder_.c_str()), 0);
  ::close(creat(folder_.c_str(), 0600));
  EXPECT_EQ(open(file), -EPROTO);
}

TEST_F(RowFiles, RefusesAFileThatOthersMayReadOrHaveElsewhere) {
  make_folder();
  ::close(creat(path().c_str(), 0600));
  ASSERT_EQ(chmod(path().c_str(), 0644), 0);
  RowFile file;
  EXPECT_EQ(open(file), -EPERM);
  ASSERT_EQ(chmod(path().c_str(), 0600), 0);
  ASSERT_EQ(link(path().c_str(), (path() + "-too").c_str()), 0);
  EXPECT_EQ(open(file), -EPERM);
  ASSERT_EQ(unlink((path() + "-too").c_str()), 0);
  EXPECT_EQ(open(file), 0);
}

TEST_F(RowFiles, RefusesWhatIsNoFile) {
  make_folder();
  RowFile file;
  ASSERT_EQ(symlink("/etc/passwd", path().c_str()), 0);
  EXPECT_EQ(open(file), -EPROTO);
  ASSERT_EQ(unlink(path().c_str()), 0);
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(open(file), -EPROTO);
  ASSERT_EQ(unlink(path().c_str()), 0);
  ASSERT_EQ(mkdir(path().c_str(), 0700), 0);
  EXPECT_EQ(open(file), -EPROTO);
}

TEST_F(RowFiles, RefusesWhatIsAnothersUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  make_folder();
  RowFile file;
  ::close(creat(path().c_str(), 0600));
  ASSERT_EQ(chown(path().c_str(), 12345, 12345), 0);
  EXPECT_EQ(open(file), -EPERM);
  ASSERT_EQ(unlink(path().c_str()), 0);
  ASSERT_EQ(chown(folder_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(open(file), -EPERM);
}

TEST_F(RowFiles, GivesEachOpenerARowOfItsOwn) {
  RowFile one, other;
  ASSERT_EQ(open(one), 0);
  ASSERT_EQ(open(other), 0);
  EXPECT_EQ(one.take_row(row_bytes, 2), 0);
  EXPECT_EQ(other.take_row(row_bytes, 2), 1);
  EXPECT_EQ(one.is_taken_by_other(row_bytes, 0), 0);
  EXPECT_EQ(one.is_taken_by_other(row_bytes, 1), 1);
  EXPECT_EQ(other.is_taken_by_other(row_bytes, 0), 1);
  RowFile third;
  ASSERT_EQ(open(third), 0);
  EXPECT_EQ(third.take_row(row_bytes, 2), -EAGAIN);
  one.close();
  EXPECT_EQ(third.take_row(row_bytes, 2), 0);
}

TEST_F(RowFiles, AKilledProcessGivesItsRowBackAtOnce) {
  RowFile mine;
  ASSERT_EQ(open(mine), 0);
  Child child([this] {
    static RowFile its;
    if (open(its) != 0 || its.take_row(row_bytes, 4) != 0) _exit(1);
  });
  EXPECT_EQ(mine.is_taken_by_other(row_bytes, 0), 1);
  child.kill();
  EXPECT_EQ(mine.is_taken_by_other(row_bytes, 0), 0);
  EXPECT_EQ(mine.take_row(row_bytes, 4), 0);
}

TEST_F(RowFiles, AForkedChildThatClosesLeavesTheRowToItsParent) {
  RowFile mine, looker;
  ASSERT_EQ(open(mine), 0);
  ASSERT_EQ(open(looker), 0);
  ASSERT_EQ(mine.take_row(row_bytes, 4), 0);
  {
    const Child child([&] { mine.close(); });
    EXPECT_EQ(looker.is_taken_by_other(row_bytes, 0), 1);
    mine.close();
    EXPECT_EQ(looker.is_taken_by_other(row_bytes, 0), 0) << "the child keeps it";
  }
}

TEST_F(RowFiles, ReadsWhatIsThereAndWritesARow) {
  RowFile file;
  ASSERT_EQ(open(file), 0);
  std::array<std::byte, 4 * row_bytes> all{};
  EXPECT_EQ(file.read(all), 0);
  std::array<std::byte, row_bytes> row{};
  row.fill(std::byte{7});
  ASSERT_EQ(file.write_row(row, 1), 0);
  EXPECT_EQ(file.read(all), static_cast<int>(2 * row_bytes));
  EXPECT_EQ(all[0], std::byte{0});
  EXPECT_EQ(all[row_bytes], std::byte{7});
  ASSERT_EQ(truncate(path().c_str(), 10), 0);
  EXPECT_EQ(file.read(all), 10);
  ASSERT_EQ(truncate(path().c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(file.read(all), static_cast<int>(all.size()));
}

TEST_F(RowFiles, SaysThatThereIsNoRoom) {
  RowFile file;
  ASSERT_EQ(open(file), 0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = row_bytes;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::array<std::byte, row_bytes> row{};
  EXPECT_EQ(file.write_row(row, 0), 0);
  EXPECT_EQ(file.write_row(row, 1), -EFBIG);  // and no SIGXFSZ
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

TEST_F(RowFiles, SeesThatItIsGone) {
  RowFile file;
  EXPECT_FALSE(file.is_whole());
  ASSERT_EQ(open(file), 0);
  EXPECT_TRUE(file.is_whole());
  ASSERT_EQ(unlink(path().c_str()), 0);
  EXPECT_FALSE(file.is_whole());
}

// A program that closes all descriptors, and opens a file of its own under the number of ours.
TEST_F(RowFiles, LeavesAForeignDescriptorAlone) {
  RowFile file;
  ASSERT_EQ(open(file), 0);
  int number = -1;
  for (int fd = 3; fd < 1100; ++fd) {
    struct stat here {
    }, there{};
    if (fstat(fd, &here) == 0 && stat(path().c_str(), &there) == 0 && here.st_ino == there.st_ino)
      number = fd;
  }
  ASSERT_GE(number, 200) << "not above what programs use";
  const int foreign = ::open("/dev/null", O_RDONLY);
  ASSERT_EQ(dup2(foreign, number), number);
  EXPECT_FALSE(file.is_whole());
  file.close();
  EXPECT_NE(fcntl(number, F_GETFD), -1);
  ::close(number);
  ::close(foreign);
}

TEST(RowFileNames, AreOnesOwn) {
  PathBuffer one, other;
  ASSERT_TRUE(name_in_session("rows", one));
  ASSERT_TRUE(name_in_session("rows", other));
  EXPECT_EQ(one.view(), other.view());
  EXPECT_EQ(one.view().substr(0, 5), "rows-");
  EXPECT_EQ(one.view().find('/'), std::string_view::npos);
  EXPECT_EQ(session_folder("/run/user/7").view(), "/run/user/7/xylem");
  EXPECT_EQ(session_folder("").view(), "/tmp/xylem-" + std::to_string(geteuid()));
}

}  // namespace
}  // namespace xylem::os
