// Owns xylem_version, by which a program finds out that it runs on Xylem. The string is the
// project's version in CMakeLists.txt.
#include "xylem/xylem.h"

extern "C" __attribute__((visibility("default"))) const char* xylem_version(void) {
  return XYLEM_VERSION;
}
