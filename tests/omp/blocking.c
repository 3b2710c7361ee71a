/* Every call that blocks a thread, made by OpenMP threads, more of them than processors: that it
 * does what POSIX and C11 say. Arguments: which calls; `suspends` where the interposing library
 * is there: then those who wait take no kernel thread each, which the process's own list of threads
 * tells; `own_identity` where libc takes each member for a thread; `shared_errno` where fibers have
 * no thread blocks and the compiler may keep errno's address while a member moves. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "expect.h"

enum { most_members = 64, rounds = 200, short_ns = 2000000 };

static int members;
static int suspends;     /* the interposing library is there */
static int own_identity; /* libc can tell the members apart */
static int shared_errno; /* a member reads another's errno */

/* GCC 12's libtsan does not see who locks by pthread_mutex_clocklock (github.com/llvm/llvm-project,
 * issue 62623), takes a barrier for used until the last has left pthread_barrier_wait, and a
 * refused pthread_mutex_unlock for a fault of the program. */
#ifdef __SANITIZE_THREAD__
enum { under_libtsan = 1 };
#else
enum { under_libtsan = 0 };
#endif

static int kernel_threads(void) {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks) return 0;
  for (const struct dirent* entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

/* Called while all members but one wait. The processors' workers, the monitor and two that the
 * runtime may bring for help are fewer than those who would wait in the kernel, where there are few
 * processors. */
static void expect_suspended(void) {
  if (!suspends || members < 16 || omp_get_num_procs() > members / 4) return;
  expect_between("kernel threads while members wait", kernel_threads(), 1, members / 2);
}

/* Inlined, so that the compiler may take errno's address before a call that blocks. */
static inline __attribute__((always_inline)) void set_errno(int to) {
  if (!shared_errno) errno = to;
}
static inline __attribute__((always_inline)) void expect_errno(const char* what, int expected) {
  if (!shared_errno) expect_equal(what, errno, expected);
}

static struct timespec in_ns(clockid_t clock, long ns) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ns;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static int is_past(clockid_t clock, struct timespec time) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec > time.tv_sec || (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec);
}

/* --- yields and sleeps --- */

static void yields(void) {
  int turn = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds; i++) {
    while (load(&turn) % members != omp_get_thread_num()) {
      if (i % 2)
        sched_yield();
      else
        thrd_yield();
    }
    add_one(&turn);
  }
  expect_equal("turns taken by yields", turn, rounds * members);
}

static void sleep_once(int kind) {
  const double begin = expect_seconds();
  const struct timespec span = {0, short_ns};
  const struct timespec until = in_ns(CLOCK_REALTIME, short_ns);
  const struct timespec steady = in_ns(CLOCK_MONOTONIC, short_ns);
  set_errno(77);
  switch (kind) {
    case 0:
      expect_equal("nanosleep", nanosleep(&span, NULL), 0);
      break;
    case 1:
      expect_equal("usleep", usleep(short_ns / 1000), 0);
      break;
    case 2:
      expect_equal("thrd_sleep", thrd_sleep(&span, NULL), 0);
      break;
    case 3:
      expect_equal("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL), 0);
      break;
    case 4:
      expect_equal("to a time", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL), 0);
      expect_true("the time has come", is_past(CLOCK_REALTIME, until));
      break;
    default:
      expect_equal("to a time", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &steady, NULL), 0);
      expect_true("the time has come", is_past(CLOCK_MONOTONIC, steady));
  }
  expect_errno("errno after a sleep", 77);
  if (kind < 4) expect_true("slept long enough", expect_seconds() - begin >= 1e-9 * short_ns);
}

static void sleeps(void) {
  int arrived = 0, seen = 0;
#pragma omp parallel num_threads(members)
  {
    for (int kind = 0; kind < 6; kind++) sleep_once((kind + omp_get_thread_num()) % 6);
    const struct timespec wrong = {0, 1000000000};
    expect_equal("a wrong time", nanosleep(&wrong, NULL), -1);
    expect_errno("errno of a wrong time", EINVAL);
    expect_equal("a wrong time", clock_nanosleep(CLOCK_REALTIME, 0, &wrong, NULL), EINVAL);
    /* All but one sleep until that one has counted. */
    if (add_one(&arrived) == members) {
      expect_suspended();
      store(&seen, 1);
    }
    while (!load(&seen)) usleep(3000);
  }
  if (members <= 2) expect_equal("sleep", sleep(0), 0);
}

/* --- mutexes --- */

static void count_under(pthread_mutex_t* mutex, int kind) {
  int inside = 0, sum = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds; i++) {
    const struct timespec late = in_ns(CLOCK_REALTIME, 1000000000000);
    const struct timespec later = in_ns(CLOCK_MONOTONIC, 1000000000000);
    if (i % 3 == 0) expect_equal("lock", pthread_mutex_lock(mutex), 0);
    const int by_clock = i % 3 == 2 && !under_libtsan;
    if (i % 3 > 0 && !by_clock) expect_equal("timedlock", pthread_mutex_timedlock(mutex, &late), 0);
    if (by_clock)
      expect_equal("clocklock", pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &later), 0);
    if (kind == PTHREAD_MUTEX_RECURSIVE) expect_equal("again", pthread_mutex_lock(mutex), 0);
    if (kind == PTHREAD_MUTEX_ERRORCHECK) expect_equal("again", pthread_mutex_lock(mutex), EDEADLK);
    expect_equal("holders of the mutex", add_one(&inside), 1);
    if (i % 16 == 0) sched_yield();
    sum++;
    store(&inside, 0);
    if (kind == PTHREAD_MUTEX_RECURSIVE) expect_equal("once", pthread_mutex_unlock(mutex), 0);
    expect_equal("unlock", pthread_mutex_unlock(mutex), 0);
    if (kind == PTHREAD_MUTEX_ERRORCHECK && !under_libtsan)
      expect_equal("not the owner", pthread_mutex_unlock(mutex), EPERM);
  }
  expect_equal("sum under the mutex", sum, rounds * members);
}

/* A member holds the mutex until all others have seen their time run out, or wait for it. */
static void hold(pthread_mutex_t* mutex) {
  int timed_out = 0, got = 0;
  pthread_mutex_lock(mutex);
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() == 0) {
    while (load(&timed_out) < members - 1) sched_yield();
    expect_suspended();
    expect_equal("who got a mutex that is held", load(&got), 0);
    pthread_mutex_unlock(mutex);
  } else {
    struct timespec soon = in_ns(CLOCK_REALTIME, short_ns);
    expect_equal("timedlock", pthread_mutex_timedlock(mutex, &soon), ETIMEDOUT);
    expect_true("not before its time", is_past(CLOCK_REALTIME, soon));
    soon = in_ns(CLOCK_MONOTONIC, short_ns);
    expect_equal("clocklock", pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    soon.tv_nsec = -1;
    expect_equal("a wrong time", pthread_mutex_timedlock(mutex, &soon), EINVAL);
    add_one(&timed_out);
    pthread_mutex_lock(mutex);
    add_one(&got);
    pthread_mutex_unlock(mutex);
  }
  expect_equal("who got the mutex", got, members - 1);
}

static void mutexes(void) {
  const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_RECURSIVE,
                       PTHREAD_MUTEX_ERRORCHECK};
  for (int k = 0; k < (own_identity ? 4 : 2); k++) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kinds[k]);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    count_under(&mutex, kinds[k]);
    if (k < 2) hold(&mutex);
    pthread_mutex_destroy(&mutex);
  }
}

/* --- conditions --- */

static void pass_a_turn(pthread_mutex_t* mutex, pthread_cond_t* changed) {
  int turn = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds / 4; i++) {
    pthread_mutex_lock(mutex);
    while (turn % members != omp_get_thread_num()) {
      if (turn == 0 && i == 0 && omp_get_thread_num() == members - 1) expect_suspended();
      expect_equal("wait", pthread_cond_wait(changed, mutex), 0);
    }
    turn++;
    expect_equal("broadcast", pthread_cond_broadcast(changed), 0);
    pthread_mutex_unlock(mutex);
  }
  expect_equal("turns passed by a condition", turn, rounds / 4 * members);
}

/* One produces, the others consume: a signal for each piece. */
static void produce(pthread_mutex_t* mutex, pthread_cond_t* changed) {
  const int pieces = rounds * (members - 1);
  int stock = 0, eaten = 0;
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < pieces; i++) {
      pthread_mutex_lock(mutex);
      stock++;
      pthread_mutex_unlock(mutex);
      expect_equal("signal", pthread_cond_signal(changed), 0);
    }
  } else {
    for (int i = 0; i < rounds; i++) {
      pthread_mutex_lock(mutex);
      while (stock == 0) pthread_cond_wait(changed, mutex);
      stock--;
      eaten++;
      pthread_mutex_unlock(mutex);
    }
  }
  expect_equal("pieces consumed", eaten, pieces);
}

static int wait_until(pthread_cond_t* never, pthread_mutex_t* mutex, clockid_t clock,
                      struct timespec until, int by_clock) {
  for (;;) { /* a wait may end early */
    const int result = by_clock ? pthread_cond_clockwait(never, mutex, clock, &until)
                                : pthread_cond_timedwait(never, mutex, &until);
    if (result != 0) return result;
  }
}

static void wait_in_vain(pthread_mutex_t* mutex) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t steady, never = PTHREAD_COND_INITIALIZER;
  pthread_cond_init(&steady, &attributes);
#pragma omp parallel num_threads(members)
  {
    pthread_mutex_lock(mutex);
    struct timespec soon = in_ns(CLOCK_REALTIME, short_ns);
    expect_equal("timedwait", wait_until(&never, mutex, CLOCK_REALTIME, soon, 0), ETIMEDOUT);
    expect_true("not before its time", is_past(CLOCK_REALTIME, soon));
    soon = in_ns(CLOCK_MONOTONIC, short_ns);
    expect_equal("timedwait", wait_until(&steady, mutex, CLOCK_MONOTONIC, soon, 0), ETIMEDOUT);
    expect_true("not before its time", is_past(CLOCK_MONOTONIC, soon));
    soon = in_ns(CLOCK_MONOTONIC, short_ns);
    expect_equal("clockwait", wait_until(&never, mutex, CLOCK_MONOTONIC, soon, 1), ETIMEDOUT);
    expect_true("not before its time", is_past(CLOCK_MONOTONIC, soon));
    pthread_mutex_unlock(mutex);
  }
  expect_equal("destroyed", pthread_cond_destroy(&steady), 0);
}

static void conditions(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  pass_a_turn(&mutex, &changed);
  produce(&mutex, &changed);
  wait_in_vain(&mutex);
}

/* --- barriers --- */

static void barriers(void) {
  pthread_barrier_t barrier;
  expect_equal("a barrier for nobody", pthread_barrier_init(&barrier, NULL, 0), EINVAL);
  for (int turn = 0; turn < 20; turn++) {
    pthread_barrier_init(&barrier, NULL, (unsigned)members);
    int arrived = 0, serial = 0, looking = 0;
#pragma omp parallel num_threads(members)
    for (int i = 1; i <= 10; i++) {
      if (add_one(&arrived) == members && add_one(&looking) == 1) expect_suspended();
      if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) add_one(&serial);
      expect_equal("arrived at the barrier", load(&arrived), members * i);
      const int is_serial = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
      if (is_serial && i == 10 && !under_libtsan) {
        expect_equal("destroyed by the serial thread", pthread_barrier_destroy(&barrier), 0);
        memset(&barrier, 0xff, sizeof barrier);
      }
    }
    expect_equal("serial threads", serial, 10);
  }
}

/* --- semaphores --- */

static void semaphores(void) {
  sem_t of[most_members];
  for (int i = 0; i < members; i++) sem_init(&of[i], 0, i == 0);
  int at = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds; i++) {
    const int me = omp_get_thread_num();
    set_errno(77);
    expect_equal("sem_wait", sem_wait(&of[me]), 0);
    expect_errno("errno after a wait", 77);
    if (i == 0 && me == members - 1) expect_suspended();
    expect_equal("the turn", add_one(&at), i * members + me + 1);
    expect_equal("sem_post", sem_post(&of[(me + 1) % members]), 0);
  }
  sem_t empty;
  sem_init(&empty, 0, 0);
#pragma omp parallel num_threads(members)
  {
    struct timespec soon = in_ns(CLOCK_REALTIME, short_ns);
    expect_equal("sem_timedwait", sem_timedwait(&empty, &soon), -1);
    expect_errno("errno of a wait in vain", ETIMEDOUT);
    expect_true("not before its time", is_past(CLOCK_REALTIME, soon));
    soon = in_ns(CLOCK_MONOTONIC, short_ns);
    expect_equal("sem_clockwait", sem_clockwait(&empty, CLOCK_MONOTONIC, &soon), -1);
    expect_errno("errno of a wait in vain", ETIMEDOUT);
    soon.tv_nsec = 1000000000;
    expect_equal("a wrong time", sem_timedwait(&empty, &soon), -1);
    expect_errno("errno of a wrong time", EINVAL);
  }
}

/* --- read-write locks --- */

static void rwlocks(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  int readers = 0, writers = 0, sum = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds; i++) {
    const struct timespec late = in_ns(CLOCK_REALTIME, 1000000000000);
    if ((i + omp_get_thread_num()) % 4 == 0) {
      if (i % 2)
        expect_equal("wrlock", pthread_rwlock_wrlock(&lock), 0);
      else
        expect_equal("timedwrlock", pthread_rwlock_timedwrlock(&lock, &late), 0);
      expect_equal("writers inside", add_one(&writers), 1);
      expect_equal("readers beside a writer", load(&readers), 0);
      sum++;
      sched_yield();
      store(&writers, 0);
    } else {
      if (i % 2)
        expect_equal("rdlock", pthread_rwlock_rdlock(&lock), 0);
      else
        expect_equal("timedrdlock", pthread_rwlock_timedrdlock(&lock, &late), 0);
      add_one(&readers);
      expect_equal("writers beside a reader", load(&writers), 0);
      if (i % 8 == 0) sched_yield();
      __atomic_sub_fetch(&readers, 1, __ATOMIC_SEQ_CST);
    }
    expect_equal("unlock", pthread_rwlock_unlock(&lock), 0);
  }
  expect_equal("writes", sum, rounds / 4 * members);
  pthread_rwlock_wrlock(&lock);
#pragma omp parallel num_threads(members)
  if (omp_get_thread_num() > 0) {
    struct timespec soon = in_ns(CLOCK_REALTIME, short_ns);
    expect_equal("timedrdlock", pthread_rwlock_timedrdlock(&lock, &soon), ETIMEDOUT);
    soon = in_ns(CLOCK_MONOTONIC, short_ns);
    expect_equal("clockwrlock", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon),
                 ETIMEDOUT);
  }
  pthread_rwlock_unlock(&lock);
}

/* --- C11 --- */

static void c11(void) {
  mtx_t mutex;
  cnd_t changed;
  mtx_init(&mutex, mtx_timed);
  cnd_init(&changed);
  int turn = 0;
#pragma omp parallel num_threads(members)
  {
    for (int i = 0; i < rounds / 4; i++) {
      expect_equal("mtx_lock", mtx_lock(&mutex), thrd_success);
      while (turn % members != omp_get_thread_num()) cnd_wait(&changed, &mutex);
      turn++;
      cnd_broadcast(&changed);
      expect_equal("mtx_unlock", mtx_unlock(&mutex), thrd_success);
    }
#pragma omp barrier
    mtx_lock(&mutex);
    const struct timespec soon = in_ns(CLOCK_REALTIME, short_ns);
    int result;
    do result = cnd_timedwait(&changed, &mutex, &soon);
    while (result == thrd_success);
    expect_equal("cnd_timedwait", result, thrd_timedout);
    cnd_signal(&changed);
    mtx_unlock(&mutex);
#pragma omp barrier
#pragma omp master
    mtx_lock(&mutex);
#pragma omp barrier
    if (omp_get_thread_num() > 0) {
      const struct timespec late = in_ns(CLOCK_REALTIME, short_ns);
      expect_equal("mtx_timedlock", mtx_timedlock(&mutex, &late), thrd_timedout);
    }
#pragma omp barrier
#pragma omp master
    mtx_unlock(&mutex);
  }
  expect_equal("turns passed", turn, rounds / 4 * members);
  if (own_identity) {
    mtx_t again;
    mtx_init(&again, mtx_recursive);
    int inside = 0;
#pragma omp parallel num_threads(members)
    for (int i = 0; i < rounds; i++) {
      mtx_lock(&again);
      mtx_lock(&again);
      expect_equal("holders of a recursive mutex", add_one(&inside), 1);
      sched_yield();
      store(&inside, 0);
      mtx_unlock(&again);
      mtx_unlock(&again);
    }
  }
}

/* --- beside the program's own threads --- */

enum { own_threads = 3 };

static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t shared_cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t shared_barrier;
static sem_t shared_sem;
static int shared_sum, shared_inside, shared_arrived, generation;

static void meet_by_condition(int all) {
  pthread_mutex_lock(&shared_mutex);
  const int mine = generation;
  if (++shared_arrived == all) {
    shared_arrived = 0;
    generation++;
    pthread_cond_broadcast(&shared_cond);
  }
  while (generation == mine) pthread_cond_wait(&shared_cond, &shared_mutex);
  pthread_mutex_unlock(&shared_mutex);
}

static void one_of_all(void) {
  for (int i = 0; i < rounds / 4; i++) {
    pthread_mutex_lock(&shared_mutex);
    expect_equal("holders of the mutex", add_one(&shared_inside), 1);
    shared_sum++;
    store(&shared_inside, 0);
    pthread_mutex_unlock(&shared_mutex);
    sem_wait(&shared_sem);
    sem_post(&shared_sem);
    if (own_identity) {
      pthread_rwlock_wrlock(&shared_rwlock);
      pthread_rwlock_unlock(&shared_rwlock);
    }
    pthread_barrier_wait(&shared_barrier);
    meet_by_condition(members + own_threads);
  }
}

static void* own_thread(void* unused) {
  one_of_all();
  return unused;
}

static void beside(void) {
  pthread_t threads[own_threads];
  sem_init(&shared_sem, 0, 1);
  pthread_barrier_init(&shared_barrier, NULL, (unsigned)(members + own_threads));
  for (int i = 0; i < own_threads; i++) pthread_create(&threads[i], NULL, own_thread, NULL);
#pragma omp parallel num_threads(members)
  one_of_all();
  for (int i = 0; i < own_threads; i++) pthread_join(threads[i], NULL);
  expect_equal("sum of all", shared_sum, rounds / 4 * (members + own_threads));
  expect_equal("destroyed", pthread_barrier_destroy(&shared_barrier), 0);
}

/* --- semaphores posted by a signal handler --- */

static sem_t by_signal;
static int posts, taken, done;

static void post_in_handler(int number) {
  (void)number;
  add_one(&posts);
  sem_post(&by_signal);
}

static void* send_signals(void* unused) {
  while (!load(&done)) {
    kill(getpid(), SIGUSR1);
    sched_yield();
  }
  return unused;
}

static void handlers(void) {
  sem_init(&by_signal, 0, 0);
  struct sigaction action = {.sa_handler = post_in_handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t sender;
  pthread_create(&sender, NULL, send_signals, NULL);
#pragma omp parallel num_threads(members)
  for (int i = 0; i < rounds; i++) {
    while (sem_wait(&by_signal) != 0) expect_errno("errno of sem_wait", EINTR);
    add_one(&taken);
  }
  store(&done, 1);
  pthread_join(sender, NULL);
  expect_equal("semaphores taken", taken, rounds * members);
  expect_true("posts", load(&posts) >= taken); /* a handler may still run */
}

/* --- wake-ups that go around the interposing library --- */

typedef int (*MutexCall)(pthread_mutex_t*);
typedef int (*CondCall)(pthread_cond_t*);
typedef int (*SemCall)(sem_t*);
typedef int (*RwlockCall)(pthread_rwlock_t*);

/* Each object is changed a hundred times by libc itself while members wait for it. */
static void around(void) {
  void* libc = dlopen("libc.so.6", RTLD_NOW);
  if (!libc) return;
  const MutexCall unlock = (MutexCall)dlsym(libc, "pthread_mutex_unlock");
  const CondCall signal_one = (CondCall)dlvsym(libc, "pthread_cond_signal", "GLIBC_2.3.2");
  const SemCall post = (SemCall)dlsym(libc, "sem_post");
  const RwlockCall release = (RwlockCall)dlsym(libc, "pthread_rwlock_unlock");
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t of_turn[4];
  for (int i = 0; i < 4; i++) sem_init(&of_turn[i], 0, 0);
  int sum = 0, stock = 0;
#pragma omp parallel num_threads(members)
  {
    for (int i = 0; i < 4; i++) {
      pthread_mutex_lock(&mutex);
      sum++;
      if (i % 2) sched_yield();
      unlock(&mutex);
      if (own_identity) {
        pthread_rwlock_wrlock(&lock);
        sched_yield();
        release(&lock);
      }
      if (omp_get_thread_num() == 0)
        for (int k = 0; k < members; k++) post(&of_turn[i]);
      sem_wait(&of_turn[i]);
    }
    if (omp_get_thread_num() == 0) {
      for (int k = 1; k < members; k++) {
        pthread_mutex_lock(&mutex);
        stock++;
        pthread_mutex_unlock(&mutex);
        signal_one(&cond);
      }
    } else {
      pthread_mutex_lock(&mutex);
      while (stock == 0) pthread_cond_wait(&cond, &mutex);
      stock--;
      pthread_mutex_unlock(&mutex);
    }
  }
  expect_equal("sum", sum, 4 * members);
  expect_equal("stock", stock, 0);
}

static const struct {
  const char* name;
  void (*run)(void);
} parts[] = {{"yield", yields},         {"sleep", sleeps},     {"mutex", mutexes},
             {"condition", conditions}, {"barrier", barriers}, {"semaphore", semaphores},
             {"rwlock", rwlocks},       {"c11", c11},          {"beside", beside},
             {"handler", handlers},     {"around", around}};

/* Usage: blocking PART [suspends] [own_identity] [shared_errno] */
int main(int count, char** words) {
  members = omp_get_max_threads();
  if (members < 2 || members > most_members) return 2;
  for (int i = 2; i < count; i++) {
    suspends |= strcmp(words[i], "suspends") == 0;
    own_identity |= strcmp(words[i], "own_identity") == 0;
    shared_errno |= strcmp(words[i], "shared_errno") == 0;
  }
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    if (count > 1 && strcmp(words[1], parts[i].name) == 0) {
      parts[i].run();
      return expect_result();
    }
  return 2;
}
