/* What the C library keeps for each thread beside errno: texts of errors and signals, the last
 * error of dlopen and of name lookups, printed addresses, the locale, and where a parser stands. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <locale.h>
#include <netdb.h>
#include <string.h>
#include <wchar.h>

#include "threads_move.h"

enum { turns = 20 };

static void texts_of_errors(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    char expected[64];
    int number = 5000 + omp_get_thread_num();
    const char* text = strerror(number);
    const char* signal_text = strsignal(500 + omp_get_thread_num());
    meet_and_move();
    snprintf(expected, sizeof expected, "Unknown error %d", number);
    expect_equal("strerror", strcmp(text, expected), 0);
    snprintf(expected, sizeof expected, "Unknown signal %d", 500 + omp_get_thread_num());
    expect_equal("strsignal", strcmp(signal_text, expected), 0);
  }
}

static void error_of_dlopen(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    char path[64];
    int fails = omp_get_thread_num() % 2;
    snprintf(path, sizeof path, "/no/such/library-%d.so", omp_get_thread_num());
    dlerror();
    if (fails) expect_true("dlopen of nothing", dlopen(path, RTLD_NOW) == NULL);
    meet_and_move();
    const char* error = dlerror();
    expect_equal("dlerror says something", error != NULL, fails);
    if (error) expect_true("dlerror says what", strstr(error, path) != NULL);
  }
}

static void printed_addresses(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    char expected[32];
    struct in_addr address = {htonl(0x0a000000u + (unsigned)omp_get_thread_num())};
    const char* text = inet_ntoa(address);
    meet_and_move();
    snprintf(expected, sizeof expected, "10.0.0.%d", omp_get_thread_num());
    expect_equal("inet_ntoa", strcmp(text, expected), 0);
    h_errno = 100 + omp_get_thread_num();
    meet_and_move();
    expect_equal("h_errno", h_errno, 100 + omp_get_thread_num());
  }
}

/* A locale of the thread's own, made here, as other names may not be installed. */
static void locales(void) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!utf8 || !plain) return;
#pragma omp parallel num_threads(members)
  {
    locale_t mine = omp_get_thread_num() % 2 ? utf8 : plain;
    locale_t before = uselocale(mine);
    for (int turn = 0; turn < turns; turn++) {
      meet_and_move();
      wchar_t wide;
      mbstate_t state = {0};
      size_t length = mbrtowc(&wide, "\xc3\xa9", 2, &state);
      expect_true("uselocale", uselocale((locale_t)0) == mine);
      expect_equal("mbrtowc in the locale", length == 2, mine == utf8);
      expect_equal("MB_CUR_MAX", MB_CUR_MAX > 1, mine == utf8);
    }
    uselocale(before);
#pragma omp barrier
  }
  freelocale(utf8);
  freelocale(plain);
}

static void parsers(void) {
#pragma omp parallel num_threads(members)
  for (int turn = 0; turn < turns; turn++) {
    char text[64];
    char* place = NULL;
    int sum = 0, me = omp_get_thread_num();
    snprintf(text, sizeof text, "%d,%d,%d", me, 10 * me, 100 * me);
    for (char* word = strtok_r(text, ",", &place); word; word = strtok_r(NULL, ",", &place)) {
      sum += atoi(word);
      move_alone();
    }
    expect_equal("strtok_r", sum, 111 * me);
#pragma omp critical(one_parser)
    {
      char again[] = "1 2 3";
      int words = 0;
      for (char* word = strtok(again, " "); word; word = strtok(NULL, " ")) {
        words += atoi(word);
#pragma omp taskyield
      }
      expect_equal("strtok, one at a time", words, 6);
    }
  }
}

int main(void) {
  begin_threads();
  texts_of_errors();
  error_of_dlopen();
  printed_addresses();
  locales();
  parsers();
  return expect_result();
}
