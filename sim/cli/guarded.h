// SPDX-License-Identifier: Apache-2.0
// Turns what a command throws into a message on stderr and the exit code of sim/base/error.h.
#pragma once
#include <cstdio>

#include "sim/base/error.h"

namespace gpuloom::cli {

template <class Action>
int guarded(Action action) {
  try {
    return action();
  } catch (const Error& e) {
    std::fprintf(stderr, "gpuloom: %s\n", e.what());
    return static_cast<int>(e.kind());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpuloom: internal error: %s\n", e.what());
    return static_cast<int>(ErrorKind::kInternal);
  }
}

}  // namespace gpuloom::cli
