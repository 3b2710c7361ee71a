// Owns: what code calls that is compiled with -fsanitize=thread (GCC's and Clang's) or, by Clang,
// with -fsanitize-coverage=func,trace-loads,trace-stores. Atomic operations are carried out here,
// all of them sequentially consistent, which is at least what was asked for.
#include <cstdint>
#include <cstring>

#include "base/export.hpp"
#include "instrument/accesses.hpp"

using xylem::instrument::count_access;
using xylem::instrument::count_block;
using xylem::instrument::Kind;

extern "C" {

// --- loads and stores
// -----------------------------------------------------------------------------

XYLEM_EXPORT void __tsan_init() {}
XYLEM_EXPORT void __tsan_func_entry(void*) {}
XYLEM_EXPORT void __tsan_func_exit() {}
XYLEM_EXPORT void __tsan_read1(void* at) { count_access(at, 1, Kind::read); }
XYLEM_EXPORT void __tsan_read2(void* at) { count_access(at, 2, Kind::read); }
XYLEM_EXPORT void __tsan_read4(void* at) { count_access(at, 4, Kind::read); }
XYLEM_EXPORT void __tsan_read8(void* at) { count_access(at, 8, Kind::read); }
XYLEM_EXPORT void __tsan_read16(void* at) { count_access(at, 16, Kind::read); }
XYLEM_EXPORT void __tsan_write1(void* at) { count_access(at, 1, Kind::write); }
XYLEM_EXPORT void __tsan_write2(void* at) { count_access(at, 2, Kind::write); }
XYLEM_EXPORT void __tsan_write4(void* at) { count_access(at, 4, Kind::write); }
XYLEM_EXPORT void __tsan_write8(void* at) { count_access(at, 8, Kind::write); }
XYLEM_EXPORT void __tsan_write16(void* at) { count_access(at, 16, Kind::write); }
XYLEM_EXPORT void __tsan_unaligned_read2(void* at) { count_access(at, 2, Kind::read); }
XYLEM_EXPORT void __tsan_unaligned_read4(void* at) { count_access(at, 4, Kind::read); }
XYLEM_EXPORT void __tsan_unaligned_read8(void* at) { count_access(at, 8, Kind::read); }
XYLEM_EXPORT void __tsan_unaligned_read16(void* at) { count_access(at, 16, Kind::read); }
XYLEM_EXPORT void __tsan_unaligned_write2(void* at) { count_access(at, 2, Kind::write); }
XYLEM_EXPORT void __tsan_unaligned_write4(void* at) { count_access(at, 4, Kind::write); }
XYLEM_EXPORT void __tsan_unaligned_write8(void* at) { count_access(at, 8, Kind::write); }
XYLEM_EXPORT void __tsan_unaligned_write16(void* at) { count_access(at, 16, Kind::write); }
XYLEM_EXPORT void __tsan_read_write1(void* at) {
  count_access(at, 1, Kind::read);
  count_access(at, 1, Kind::write);
}
XYLEM_EXPORT void __tsan_read_write2(void* at) {
  count_access(at, 2, Kind::read);
  count_access(at, 2, Kind::write);
}
XYLEM_EXPORT void __tsan_read_write4(void* at) {
  count_access(at, 4, Kind::read);
  count_access(at, 4, Kind::write);
}
XYLEM_EXPORT void __tsan_read_write8(void* at) {
  count_access(at, 8, Kind::read);
  count_access(at, 8, Kind::write);
}
XYLEM_EXPORT void __tsan_read_write16(void* at) {
  count_access(at, 16, Kind::read);
  count_access(at, 16, Kind::write);
}
XYLEM_EXPORT void __tsan_read_range(void* at, std::size_t bytes) {
  count_block(at, bytes, Kind::read);
}
XYLEM_EXPORT void __tsan_write_range(void* at, std::size_t bytes) {
  count_block(at, bytes, Kind::write);
}
XYLEM_EXPORT void __tsan_vptr_read(void** at) { count_access(at, sizeof *at, Kind::read); }
XYLEM_EXPORT void __tsan_vptr_update(void** at, void*) {
  count_access(at, sizeof *at, Kind::write);
}
XYLEM_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  count_block(from, bytes, Kind::read);
  count_block(to, bytes, Kind::write);
  return std::memcpy(to, from, bytes);
}
XYLEM_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  count_block(from, bytes, Kind::read);
  count_block(to, bytes, Kind::write);
  return std::memmove(to, from, bytes);
}
XYLEM_EXPORT void* __tsan_memset(void* to, int value, std::size_t bytes) {
  count_block(to, bytes, Kind::write);
  return std::memset(to, value, bytes);
}

XYLEM_EXPORT void __sanitizer_cov_load1(void* at) { count_access(at, 1, Kind::read); }
XYLEM_EXPORT void __sanitizer_cov_load2(void* at) { count_access(at, 2, Kind::read); }
XYLEM_EXPORT void __sanitizer_cov_load4(void* at) { count_access(at, 4, Kind::read); }
XYLEM_EXPORT void __sanitizer_cov_load8(void* at) { count_access(at, 8, Kind::read); }
XYLEM_EXPORT void __sanitizer_cov_load16(void* at) { count_access(at, 16, Kind::read); }
XYLEM_EXPORT void __sanitizer_cov_store1(void* at) { count_access(at, 1, Kind::write); }
XYLEM_EXPORT void __sanitizer_cov_store2(void* at) { count_access(at, 2, Kind::write); }
XYLEM_EXPORT void __sanitizer_cov_store4(void* at) { count_access(at, 4, Kind::write); }
XYLEM_EXPORT void __sanitizer_cov_store8(void* at) { count_access(at, 8, Kind::write); }
XYLEM_EXPORT void __sanitizer_cov_store16(void* at) { count_access(at, 16, Kind::write); }

// --- atomic operations
// ----------------------------------------------------------------------------

}  // extern "C"

namespace {

template <typename Value>
Value load(const volatile Value* at) {
  count_access(at, sizeof *at, Kind::read);
  return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

template <typename Value>
void store(volatile Value* at, Value value) {
  count_access(at, sizeof *at, Kind::write);
  __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

// Counted as a read and a write, which is what memory sees of it.
template <typename Value>
volatile Value* changed(volatile Value* at) {
  count_access(at, sizeof *at, Kind::read);
  count_access(at, sizeof *at, Kind::write);
  return at;
}

template <typename Value>
int exchange_if(volatile Value* at, Value* expected, Value value) {
  return __atomic_compare_exchange_n(changed(at), expected, value, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)
             ? 1
             : 0;
}

}  // namespace

extern "C" {

XYLEM_EXPORT uint8_t __tsan_atomic8_load(const volatile uint8_t* at, int) { return load(at); }
XYLEM_EXPORT void __tsan_atomic8_store(volatile uint8_t* at, uint8_t value, int) {
  store(at, value);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_exchange(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_exchange_n(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_fetch_add(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_fetch_add(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_fetch_sub(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_fetch_sub(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_fetch_and(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_fetch_and(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_fetch_or(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_fetch_or(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_fetch_xor(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_fetch_xor(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_fetch_nand(volatile uint8_t* at, uint8_t value, int) {
  return __atomic_fetch_nand(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT int __tsan_atomic8_compare_exchange_strong(volatile uint8_t* at, uint8_t* expected,
                                                        uint8_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT int __tsan_atomic8_compare_exchange_weak(volatile uint8_t* at, uint8_t* expected,
                                                      uint8_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT uint8_t __tsan_atomic8_compare_exchange_val(volatile uint8_t* at, uint8_t expected,
                                                         uint8_t value, int, int) {
  exchange_if(at, &expected, value);
  return expected;
}
XYLEM_EXPORT uint16_t __tsan_atomic16_load(const volatile uint16_t* at, int) { return load(at); }
XYLEM_EXPORT void __tsan_atomic16_store(volatile uint16_t* at, uint16_t value, int) {
  store(at, value);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_exchange(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_exchange_n(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_fetch_add(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_fetch_add(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_fetch_sub(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_fetch_sub(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_fetch_and(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_fetch_and(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_fetch_or(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_fetch_or(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_fetch_xor(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_fetch_xor(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_fetch_nand(volatile uint16_t* at, uint16_t value, int) {
  return __atomic_fetch_nand(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT int __tsan_atomic16_compare_exchange_strong(volatile uint16_t* at, uint16_t* expected,
                                                         uint16_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT int __tsan_atomic16_compare_exchange_weak(volatile uint16_t* at, uint16_t* expected,
                                                       uint16_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT uint16_t __tsan_atomic16_compare_exchange_val(volatile uint16_t* at, uint16_t expected,
                                                           uint16_t value, int, int) {
  exchange_if(at, &expected, value);
  return expected;
}
XYLEM_EXPORT uint32_t __tsan_atomic32_load(const volatile uint32_t* at, int) { return load(at); }
XYLEM_EXPORT void __tsan_atomic32_store(volatile uint32_t* at, uint32_t value, int) {
  store(at, value);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_exchange(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_exchange_n(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_fetch_add(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_fetch_add(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_fetch_sub(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_fetch_sub(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_fetch_and(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_fetch_and(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_fetch_or(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_fetch_or(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_fetch_xor(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_fetch_xor(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_fetch_nand(volatile uint32_t* at, uint32_t value, int) {
  return __atomic_fetch_nand(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT int __tsan_atomic32_compare_exchange_strong(volatile uint32_t* at, uint32_t* expected,
                                                         uint32_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT int __tsan_atomic32_compare_exchange_weak(volatile uint32_t* at, uint32_t* expected,
                                                       uint32_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT uint32_t __tsan_atomic32_compare_exchange_val(volatile uint32_t* at, uint32_t expected,
                                                           uint32_t value, int, int) {
  exchange_if(at, &expected, value);
  return expected;
}
XYLEM_EXPORT uint64_t __tsan_atomic64_load(const volatile uint64_t* at, int) { return load(at); }
XYLEM_EXPORT void __tsan_atomic64_store(volatile uint64_t* at, uint64_t value, int) {
  store(at, value);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_exchange(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_exchange_n(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_fetch_add(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_fetch_add(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_fetch_sub(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_fetch_sub(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_fetch_and(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_fetch_and(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_fetch_or(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_fetch_or(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_fetch_xor(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_fetch_xor(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_fetch_nand(volatile uint64_t* at, uint64_t value, int) {
  return __atomic_fetch_nand(changed(at), value, __ATOMIC_SEQ_CST);
}
XYLEM_EXPORT int __tsan_atomic64_compare_exchange_strong(volatile uint64_t* at, uint64_t* expected,
                                                         uint64_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT int __tsan_atomic64_compare_exchange_weak(volatile uint64_t* at, uint64_t* expected,
                                                       uint64_t value, int, int) {
  return exchange_if(at, expected, value);
}
XYLEM_EXPORT uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t* at, uint64_t expected,
                                                           uint64_t value, int, int) {
  exchange_if(at, &expected, value);
  return expected;
}
XYLEM_EXPORT void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
XYLEM_EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
