/* OpenMP's memory routines on the host: the predefined allocators, allocators made with alignment,
 * pool size and fallback traits, calloc and realloc, and the allocate clause. */
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"

static void predefined(void) {
  static const omp_allocator_handle_t all[] = {
      omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
      omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,   omp_cgroup_mem_alloc,
      omp_pteam_mem_alloc,   omp_thread_mem_alloc,    omp_null_allocator};
  for (int i = 0; i < 9; i++) {
    char* block = omp_alloc(1000, all[i]);
    expect_true("block from a predefined allocator", block != NULL);
    memset(block, i, 1000);
    block = omp_realloc(block, 5000, all[i], all[i]);
    expect_equal("content kept by omp_realloc", block[999], i);
    omp_free(block, all[i]);
    int* zeros = omp_calloc(100, sizeof(int), all[i]);
    for (int k = 0; k < 100; k++) expect_equal("omp_calloc", zeros[k], 0);
    omp_free(zeros, omp_null_allocator);
  }
}

static void aligned(void) {
  omp_alloctrait_t traits[] = {{omp_atk_alignment, 256}};
  omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, traits);
  expect_true("an allocator with alignment", allocator != omp_null_allocator);
  for (size_t size = 1; size < 10000; size *= 3) {
    void* block = omp_alloc(size, allocator);
    expect_equal("alignment", (long long)((uintptr_t)block % 256), 0);
    omp_free(block, allocator);
    block = omp_aligned_alloc(1024, 1024 * size, allocator);
    expect_equal("alignment of omp_aligned_alloc", (long long)((uintptr_t)block % 1024), 0);
    omp_free(block, allocator);
  }
  omp_destroy_allocator(allocator);
}

static void pool_and_fallback(void) {
  omp_alloctrait_t small[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, small);
  void* fits = omp_alloc(1024, allocator);
  expect_true("a block that fits the pool", fits != NULL);
  expect_true("one that does not, with null_fb", omp_alloc(8192, allocator) == NULL);
  omp_free(fits, allocator);
  fits = omp_alloc(2048, allocator);
  expect_true("room again after omp_free", fits != NULL);
  omp_free(fits, allocator);
  omp_destroy_allocator(allocator);
}

static void default_allocator(void) {
  omp_allocator_handle_t before = omp_get_default_allocator();
  omp_set_default_allocator(omp_large_cap_mem_alloc);
  expect_true("omp_set_default_allocator", omp_get_default_allocator() == omp_large_cap_mem_alloc);
  omp_set_default_allocator(before);
}

static void allocate_clause(void) {
  int sum = 0;
  int one = 1;
#pragma omp parallel for num_threads(4) firstprivate(one) reduction(+ : sum) \
    allocate(omp_default_mem_alloc : one, sum)
  for (int i = 0; i < 100; i++) sum += one;
  expect_equal("sum with the allocate clause", sum, 100);
}

static void from_many_members(void) {
#pragma omp parallel num_threads(8)
  for (int turn = 0; turn < 200; turn++) {
    size_t size = (size_t)(turn * 37 % 2000 + 1);
    char* block = omp_alloc(size, omp_default_mem_alloc);
    memset(block, omp_get_thread_num(), size);
    expect_equal("own block", block[size - 1], omp_get_thread_num());
    omp_free(block, omp_default_mem_alloc);
  }
}

int main(void) {
  predefined();
  aligned();
  pool_and_fallback();
  default_allocator();
  allocate_clause();
  from_many_members();
  return expect_result();
}
