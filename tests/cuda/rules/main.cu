// SPDX-License-Identifier: Apache-2.0
// All cases, or those that are named; --show prints what each says: rules [--show] [NAME...].
#include <algorithm>

#include "tests/cuda/rules/rules.h"

// Several answers stand with "or" between them: the H200's first, then what CUDA allows as well.
static bool answers(const std::string& wanted, const std::string& got) {
  for (size_t at = 0; at <= wanted.size();) {
    const size_t end = std::min(wanted.find(" or ", at), wanted.size());
    if (wanted.compare(at, end - at, got) == 0) return true;
    at = end + 4;
  }
  return false;
}

static int run(const std::string& name, const Case& one, bool show) {
  asking = name;
  alarm(300);  // one that waits for ever ends, and the next is asked
  one.run();
  if (show) std::printf("%s|%s\n", name.c_str(), said.c_str());
  if (answers(one.wanted, said)) return 0;
  if (!show) std::printf("%s: says '%s', wanted is '%s'\n", name.c_str(), said.c_str(), one.wanted.c_str());
  return 1;
}

int main(int count, char** arguments) {
  const bool show = count > 1 && std::string(arguments[1]) == "--show";
  const int first = show ? 2 : 1;
  int wrong = 0;
  for (const auto& [name, one] : cases()) {
    bool asked = first == count;
    for (int i = first; i < count; ++i) asked = asked || name == arguments[i];
    if (!asked) continue;
    std::fflush(stdout);
    if (const pid_t child = fork(); child == 0) {
      const int status = run(name, one, show);
      std::fflush(stdout);
      std::_Exit(status);
    } else {
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status)) std::printf("%s|died\n", name.c_str());
      wrong += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
  }
  std::printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
