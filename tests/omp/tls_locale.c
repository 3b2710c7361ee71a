/* uselocale is per thread: half the members use C.UTF-8, half the global locale, interleaved. */
#define _GNU_SOURCE
#include <locale.h>
#include <omp.h>
#include <wchar.h>

#include "expect.h"

static void one_member(locale_t utf8) {
  int mine = omp_get_thread_num() % 2;
  uselocale(mine ? utf8 : LC_GLOBAL_LOCALE);
  for (int turn = 0; turn < 30; turn++) {
#pragma omp barrier
    expect_equal("MB_CUR_MAX", (long long)MB_CUR_MAX, mine ? 6 : 1);
    wchar_t wide = 0;
    mbstate_t state = {0};
    size_t used = mbrtowc(&wide, "\xc3\xa9", 2, &state);
    expect_true("mbrtowc of an accented letter", mine ? used == 2 && wide == 0xe9 : used != 2);
  }
  uselocale(LC_GLOBAL_LOCALE);
}

int main(void) {
  locale_t utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
  if (utf8 == (locale_t)0) return 77;
#pragma omp parallel num_threads(16)
  one_member(utf8);
  return expect_result();
}
