// SPDX-License-Identifier: Apache-2.0
// Turns what a command throws into a message on stderr and the exit code of sim/base/error.h.
#pragma once
#include <cstdio>
#include <exception>
#include <new>

#include "sim/base/error.h"

namespace gpuloom::cli {

template <class Action>
int guarded(Action action) {
  try {
    return action();
  } catch (const Error& e) {
    std::fprintf(stderr, "gpuloom: %s\n", e.what());
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
