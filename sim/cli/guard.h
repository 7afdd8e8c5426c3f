// SPDX-License-Identifier: Apache-2.0
// What commands share: errors as messages and exit codes, printing.
#pragma once
#include <cstdio>
#include <exception>
#include <string>

#include "sim/base/error.h"

namespace gpuloom::cli {

inline void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Runs a command's action and turns what it throws into a message on stderr and an exit code.
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
