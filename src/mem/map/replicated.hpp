// Owns: replicated data: one copy on each node with processors, for data that is mostly read.
//
// Invariant: all copies hold what the master held at the last refresh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace xylem::mem {

class Replicated {
 public:
  // Copies of `bytes` at `source` (null: zeros). Null without memory; nothing stays behind.
  static std::unique_ptr<Replicated> make(const void* source, std::size_t bytes);
  ~Replicated();
  Replicated(const Replicated&) = delete;
  Replicated& operator=(const Replicated&) = delete;

  // Any thread, at any time but while it is refreshed.
  const void* local() const;
  void* master() { return copies_[0]; }
  // 0, or -EINVAL for bytes outside.
  int refresh(std::size_t offset, std::size_t bytes);

  std::size_t bytes() const { return bytes_; }
  std::span<char* const> copies() const { return copies_; }  // the master first

 private:
  Replicated() = default;
  bool add_copy(int node);

  std::size_t bytes_ = 0;
  std::vector<char*> copies_;
  std::vector<char*> nearest_;  // by node of the machine
};

}  // namespace xylem::mem
