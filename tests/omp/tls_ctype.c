/* isalpha and its kin, toupper and the multibyte functions reach tables through thread-local
 * pointers of the C library: they must be set on every fiber, before and after switches. */
#include <ctype.h>
#include <omp.h>
#include <string.h>
#include <wchar.h>

#include "expect.h"

static int letters(void) {
  int count = 0;
  for (int c = 0; c < 256; c++) count += isalpha(c) != 0;
  return count;
}

static int shifted(void) {
  int count = 0;
  for (int c = 'a'; c <= 'z'; c++) count += toupper(c) == c - 'a' + 'A' && tolower(c) == c;
  return count;
}

static void check_once(void) {
  expect_equal("letters", letters(), 52);
  expect_equal("letters with both cases", shifted(), 26);
  expect_true("isdigit, isspace, ispunct", isdigit('7') && isspace('\t') && ispunct('!'));
  expect_equal("strcasecmp", strcasecmp("XyLeM", "xYlEm"), 0);
  wchar_t wide[8];
  mbstate_t state = {0};
  const char* text = "fiber";
  expect_equal("mbsrtowcs", (long long)mbsrtowcs(wide, &text, 8, &state), 5);
  expect_equal("strtol", strtol("  -42 ", NULL, 10), -42);
  expect_near("strtod", strtod("2.5e3", NULL), 2500, 0);
}

int main(void) {
  omp_set_max_active_levels(3);
  for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(16)
    for (int turn = 0; turn < 20; turn++) {
      check_once();
#pragma omp barrier
    }
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(4)
    {
      check_once();
#pragma omp barrier
      check_once();
    }
  }
  return expect_result();
}
