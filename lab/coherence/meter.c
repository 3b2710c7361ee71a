// The coherence meter: a plugin of QEMU's user emulation that counts the cache lines which change
// hands between kernel threads.
//
// Every kernel thread is taken for a processor with a cache without bounds. The directory knows
// each line that was touched: who has it, and who wrote it last. A transfer is a read of a line
// that the reader does not have and another has, or a write of a line that another has; the first
// touch of a line is none. Counts are exact: no two lines share an entry. The chain of a thread
// counts transfers along dependences: a transfer's place in it is one more than the larger of the
// thread's chain and the chain of whoever wrote the line last. The longest chain, over the counted
// time, is the critical path in transfers. A thread yields its processor after a transfer while
// counting, and at each `pause` always, so that threads take turns where lines change hands and
// waiting threads do not hold up the others, as if each had a processor of its own; `yield=0`
// switches that off.
//
// qemu-x86_64 -plugin meter.so,out=FILE[,yield=0] PROGRAM: FILE is what
// lab/coherence/metering/measure.py reads. Locks: one a shard of the directory, and counts_lock; none
// is held while another is taken.
#define _GNU_SOURCE
#include "meter.h"

#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

// QEMU looks for this name: the version of the interface.
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum { most_threads = 4096, shards = 4096, words = most_threads / 64, nobody = -1, several = -2 };

typedef struct {
  uint64_t line;      // number; 0: the entry is free
  uint64_t* sharers;  // a bit a thread; only where holder is `several`
  uint64_t maker;     // the instruction that touched the line first
  int64_t chain;      // of the last writer when it wrote
  int holder;         // the one thread that has the line, or `several`
  int writer;         // who wrote last, or nobody
} Line;

typedef struct {
  atomic_flag lock;
  Line* lines;
  size_t size, used;  // size is a power of two
} Shard;

// Transfers of one line by one instruction.
typedef struct {
  uint64_t instruction, line, maker;  // instruction 0: the entry is free
  uint64_t reads, writes, across;     // across: from another memory node
} Count;

static Shard directory[shards];
static int64_t chains[most_threads];  // each written by its thread
static int nodes[most_threads];       // likewise
static Count* counts;
static size_t counts_size, counts_used;
static atomic_flag counts_lock = ATOMIC_FLAG_INIT;
static atomic_bool counting;
static bool yields = true;
static atomic_ulong system_calls, futex_calls;
static int64_t chain_before, chain_after;
static uint64_t guest_base;
static const char* out_name;

static void lock(atomic_flag* flag) {
  while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) sched_yield();
}

static void unlock(atomic_flag* flag) { atomic_flag_clear_explicit(flag, memory_order_release); }

static void* need(void* memory) {
  if (!memory) {
    fputs("meter: out of memory\n", stderr);
    abort();
  }
  return memory;
}

static uint64_t mix(uint64_t value) { return value * 0x9e3779b97f4a7c15U; }

static Line* place_of(Line* lines, size_t size, uint64_t line) {
  size_t at = mix(line) >> 20 & (size - 1);
  while (lines[at].line && lines[at].line != line) at = (at + 1) & (size - 1);
  return &lines[at];
}

static void grow(Shard* shard) {
  const size_t size = shard->size ? 2 * shard->size : 16;
  Line* lines = need(calloc(size, sizeof *lines));
  for (size_t i = 0; i < shard->size; ++i)
    if (shard->lines[i].line) *place_of(lines, size, shard->lines[i].line) = shard->lines[i];
  free(shard->lines);
  shard->lines = lines;
  shard->size = size;
}

// The line's entry; a new one has no holder. The shard's lock is held.
static Line* entry_of(Shard* shard, uint64_t line) {
  if (4 * (shard->used + 1) > 3 * shard->size) grow(shard);
  Line* entry = place_of(shard->lines, shard->size, line);
  if (!entry->line) {
    *entry = (Line){.line = line, .holder = nobody, .writer = nobody};
    ++shard->used;
  }
  return entry;
}

static bool has(const Line* line, int thread) {
  if (line->holder != several) return line->holder == thread;
  return line->sharers[thread / 64] >> (thread % 64) & 1;
}

static void share_with(Line* line, int thread) {
  if (line->holder != several) {
    line->sharers = need(calloc(words, sizeof *line->sharers));
    line->sharers[line->holder / 64] |= 1UL << (line->holder % 64);
    line->holder = several;
  }
  line->sharers[thread / 64] |= 1UL << (thread % 64);
}

static void take_alone(Line* line, int thread) {
  if (line->holder == several) free(line->sharers);
  line->sharers = NULL;
  line->holder = thread;
}

// Whether somebody on another node than the thread's has the line (`all`: is enough), or nobody on
// its own.
static bool comes_across(const Line* line, int thread, bool is_store) {
  if (line->holder != several) return nodes[line->holder] != nodes[thread];
  bool near = false, far = false;
  for (int word = 0; word < words; ++word)
    for (uint64_t bits = line->sharers[word]; bits; bits &= bits - 1) {
      const int other = 64 * word + __builtin_ctzl(bits);
      if (other == thread) continue;
      if (nodes[other] == nodes[thread])
        near = true;
      else
        far = true;
    }
  return is_store ? far : far && !near;
}

static Count* count_of(uint64_t instruction, uint64_t line) {
  size_t at = mix(instruction ^ mix(line)) >> 20 & (counts_size - 1);
  while (counts[at].instruction &&
         (counts[at].instruction != instruction || counts[at].line != line))
    at = (at + 1) & (counts_size - 1);
  return &counts[at];
}

static void grow_counts(void) {
  Count* old = counts;
  const size_t old_size = counts_size;
  counts_size = old_size ? 2 * old_size : 1024;
  counts = need(calloc(counts_size, sizeof *counts));
  for (size_t i = 0; i < old_size; ++i)
    if (old[i].instruction) *count_of(old[i].instruction, old[i].line) = old[i];
  free(old);
}

static void count_transfer(const Line* line, uint64_t instruction, bool is_store, bool across) {
  lock(&counts_lock);
  if (4 * (counts_used + 1) > 3 * counts_size) grow_counts();
  Count* count = count_of(instruction, line->line);
  if (!count->instruction) {
    *count = (Count){.instruction = instruction, .line = line->line, .maker = line->maker};
    ++counts_used;
  }
  if (is_store)
    ++count->writes;
  else
    ++count->reads;
  if (across) ++count->across;
  unlock(&counts_lock);
}

// True if the line changed hands.
static bool touch(int thread, uint64_t number, uint64_t instruction, bool is_store) {
  Shard* shard = &directory[mix(number) >> 40 & (shards - 1)];
  lock(&shard->lock);
  Line* line = entry_of(shard, number);
  if (line->holder == nobody) {
    line->maker = instruction;
    line->holder = thread;
  }
  const bool moved = is_store ? line->holder != thread : !has(line, thread);
  if (moved) {
    if (line->chain > chains[thread]) chains[thread] = line->chain;
    ++chains[thread];
    if (counting) count_transfer(line, instruction, is_store, comes_across(line, thread, is_store));
    if (is_store)
      take_alone(line, thread);
    else
      share_with(line, thread);
  }
  if (is_store) {
    line->chain = chains[thread];
    line->writer = thread;
  }
  unlock(&shard->lock);
  return moved;
}

static int64_t longest_chain(void) {
  int64_t longest = 0;
  for (int i = 0; i < most_threads; ++i)
    if (chains[i] > longest) longest = chains[i];
  return longest;
}

static void obey(int thread, uint64_t offset) {
  if (offset >= METER_NODES) {
    nodes[thread] = (int)(offset - METER_NODES);
  } else if (offset == METER_SWITCH + 1) {
    chain_before = longest_chain();
    counting = true;
  } else if (offset == METER_SWITCH) {
    counting = false;
    chain_after = longest_chain();
  }
}

static void on_memory(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  const int thread = (int)vcpu;
  const bool is_store = qemu_plugin_mem_is_store(info);
  if (thread >= most_threads) {
    fprintf(stderr, "meter: more than %d threads\n", most_threads);
    abort();
  }
  if (address - METER_PAGE < METER_SIZE) {
    if (is_store) obey(thread, address - METER_PAGE);
    return;
  }
  const uint64_t last = address + (1UL << qemu_plugin_mem_size_shift(info)) - 1;
  const uint64_t instruction = (uint64_t)(uintptr_t)data;
  bool moved = touch(thread, address >> 6, instruction, is_store);
  if (last >> 6 != address >> 6) moved |= touch(thread, last >> 6, instruction, is_store);
  if (moved && yields && counting) sched_yield();
}

static void on_pause(unsigned vcpu, void* data) {
  (void)vcpu, (void)data;
  sched_yield();
}

static bool is_pause(const struct qemu_plugin_insn* insn) {
  const uint8_t* bytes = qemu_plugin_insn_data(insn);
  return qemu_plugin_insn_size(insn) == 2 && bytes[0] == 0xf3 && bytes[1] == 0x90;
}

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b,
                       uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
  (void)id, (void)vcpu, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
  enum { futex = 202 };
  if (!counting) return;
  ++system_calls;
  if (number == futex) ++futex_calls;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < count; ++i) {
    struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t address = qemu_plugin_insn_vaddr(insn);
    guest_base = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(insn) - address;
    if (yields && is_pause(insn))
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_pause, QEMU_PLUGIN_CB_NO_REGS, NULL);
    qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     (void*)(uintptr_t)address);
  }
}

static void write_map(FILE* out) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char text[512];
  while (maps && fgets(text, sizeof text, maps)) {
    uint64_t begin, end, offset;
    char name[300] = "";
    if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %299s", &begin, &end, &offset,
               name) >= 3 &&
        begin >= guest_base)
      fprintf(out, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", begin - guest_base,
              end - guest_base, offset, name[0] ? name : "-");
  }
  if (maps) fclose(maps);
}

static void on_exit_write(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  counting = false;
  FILE* out = fopen(out_name, "w");
  if (!out) {
    fprintf(stderr, "meter: cannot write %s\n", out_name);
    return;
  }
  fprintf(out, "chain %" PRId64 "\ncalls %lu %lu\n", chain_after - chain_before, system_calls,
          futex_calls);
  for (size_t i = 0; i < counts_size; ++i) {
    const Count* c = &counts[i];
    if (c->instruction)
      fprintf(out,
              "count %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
              c->instruction, c->line << 6, c->maker, c->reads, c->writes, c->across);
  }
  write_map(out);
  fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t* info, int argc,
                                                               char** argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "out=", 4) == 0) out_name = argv[i] + 4;
    if (strcmp(argv[i], "yield=0") == 0 || strcmp(argv[i], "yield=off") == 0) yields = false;
  }
  if (!out_name) {
    fputs("meter: say out=FILE\n", stderr);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
  qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
  qemu_plugin_register_atexit_cb(id, on_exit_write, NULL);
  return 0;
}
