/* The lock routines as programs linked before OpenMP 3.0 call them, version node OMP_1.0: a lock is
 * 4 bytes and a nested one 8, in C and in Fortran. The linker gives new programs newer versions
 * only, so they are asked for by name. */
#include "expect.h"

#define OLD(name) __asm__(".symver old_" #name "," #name "@OMP_1.0")

typedef struct {
  int words[1];
} old_lock;
typedef struct {
  int words[2];
} old_nest_lock;

extern void old_omp_init_lock(old_lock*), old_omp_init_lock_(old_lock*);
extern void old_omp_destroy_lock(old_lock*), old_omp_destroy_lock_(old_lock*);
extern void old_omp_set_lock(old_lock*), old_omp_set_lock_(old_lock*);
extern void old_omp_unset_lock(old_lock*), old_omp_unset_lock_(old_lock*);
extern int old_omp_test_lock(old_lock*), old_omp_test_lock_(old_lock*);
extern void old_omp_init_nest_lock(old_nest_lock*), old_omp_init_nest_lock_(old_nest_lock*);
extern void old_omp_destroy_nest_lock(old_nest_lock*), old_omp_destroy_nest_lock_(old_nest_lock*);
extern void old_omp_set_nest_lock(old_nest_lock*), old_omp_set_nest_lock_(old_nest_lock*);
extern void old_omp_unset_nest_lock(old_nest_lock*), old_omp_unset_nest_lock_(old_nest_lock*);
extern int old_omp_test_nest_lock(old_nest_lock*), old_omp_test_nest_lock_(old_nest_lock*);

OLD(omp_init_lock);
OLD(omp_init_lock_);
OLD(omp_destroy_lock);
OLD(omp_destroy_lock_);
OLD(omp_set_lock);
OLD(omp_set_lock_);
OLD(omp_unset_lock);
OLD(omp_unset_lock_);
OLD(omp_test_lock);
OLD(omp_test_lock_);
OLD(omp_init_nest_lock);
OLD(omp_init_nest_lock_);
OLD(omp_destroy_nest_lock);
OLD(omp_destroy_nest_lock_);
OLD(omp_set_nest_lock);
OLD(omp_set_nest_lock_);
OLD(omp_unset_nest_lock);
OLD(omp_unset_nest_lock_);
OLD(omp_test_nest_lock);
OLD(omp_test_nest_lock_);

typedef struct {
  void (*init)(old_lock*), (*destroy)(old_lock*), (*set)(old_lock*), (*unset)(old_lock*);
  int (*test)(old_lock*);
} plain_routines;

typedef struct {
  void (*init)(old_nest_lock*), (*destroy)(old_nest_lock*), (*set)(old_nest_lock*),
      (*unset)(old_nest_lock*);
  int (*test)(old_nest_lock*);
} nest_routines;

enum { rounds = 500, untouched = 1234567 };

static void plain(const plain_routines* routines) {
  struct {
    old_lock lock;
    int behind;
  } at = {{{0}}, untouched};
  routines->init(&at.lock);
  expect_true("an old lock that is free", routines->test(&at.lock));
  expect_true("one that is set", !routines->test(&at.lock));
  routines->unset(&at.lock);
  int sum = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < rounds; i++) {
    routines->set(&at.lock);
    sum++;
    routines->unset(&at.lock);
  }
  routines->destroy(&at.lock);
  expect_equal("sum under an old lock", sum, 4 * rounds);
  expect_equal("the word behind an old lock", at.behind, untouched);
}

static void nested(const nest_routines* routines) {
  struct {
    int before;
    old_nest_lock lock;
    int behind;
  } at = {untouched, {{0, 0}}, untouched};
  routines->init(&at.lock);
  expect_equal("nesting of an old lock", routines->test(&at.lock), 1);
  routines->set(&at.lock);
  expect_equal("nesting of an old lock, set", routines->test(&at.lock), 3);
  for (int i = 0; i < 3; i++) routines->unset(&at.lock);
  int sum = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < rounds; i++) {
    routines->set(&at.lock);
    routines->set(&at.lock);
    sum++;
    routines->unset(&at.lock);
    routines->unset(&at.lock);
  }
  routines->destroy(&at.lock);
  expect_equal("sum under an old nested lock", sum, 4 * rounds);
  expect_true("the words around it", at.before == untouched && at.behind == untouched);
}

int main(void) {
  plain(&(plain_routines){old_omp_init_lock, old_omp_destroy_lock, old_omp_set_lock,
                          old_omp_unset_lock, old_omp_test_lock});
  plain(&(plain_routines){old_omp_init_lock_, old_omp_destroy_lock_, old_omp_set_lock_,
                          old_omp_unset_lock_, old_omp_test_lock_});
  nested(&(nest_routines){old_omp_init_nest_lock, old_omp_destroy_nest_lock, old_omp_set_nest_lock,
                          old_omp_unset_nest_lock, old_omp_test_nest_lock});
  nested(&(nest_routines){old_omp_init_nest_lock_, old_omp_destroy_nest_lock_,
                          old_omp_set_nest_lock_, old_omp_unset_nest_lock_,
                          old_omp_test_nest_lock_});
  return expect_result();
}
