// SPDX-License-Identifier: Apache-2.0
// Turns what a command throws into a message on stderr and the exit code of base/error.h.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/error.h"

namespace gpuloom::cli {

// Red where standard error is a terminal.
inline const char* error_mark() {
  const bool colours = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return colours ? "\033[1;31mgpuloom:\033[0m" : "gpuloom:";
}

template <class Action>
int guarded(Action action) {
  try {
    return action();
  } catch (const Error& e) {
    std::fprintf(stderr, "%s %s\n", error_mark(), e.what());
    return static_cast<int>(e.kind());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "gpuloom: this machine has not enough memory for what the run asks for\n");
    return static_cast<int>(ErrorKind::kInput);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpuloom: internal error: %s\n", e.what());
    return static_cast<int>(ErrorKind::kInternal);
  }
}

}  // namespace gpuloom::cli
