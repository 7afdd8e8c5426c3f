// SPDX-License-Identifier: Apache-2.0
// Who looks at passes: listings, times, checks.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/passes/pass.h"

namespace gpuloom::ptx {

// Listings of what the named passes leave; "all" means each.
class PassDump : public PassWatcher {
 public:
  explicit PassDump(std::vector<std::string> passes) : passes_(passes.begin(), passes.end()) {}
  void ends(std::string_view pass, const PassResult& result) override;
  const std::string& text() const { return text_; }

 private:
  std::set<std::string, std::less<>> passes_;
  std::string text_;
};

// How long each pass takes. Stands first among the watchers: what others do is not counted.
class PassClock : public PassWatcher {
 public:
  void begins(std::string_view pass) override;
  void ends(std::string_view pass, const PassResult& result) override;
  // A table, in order of first runs.
  std::string text() const;

 private:
  struct Time {
    std::string name;
    std::chrono::steady_clock::duration sum{};
    uint64_t runs = 0;
  };
  std::vector<Time> times_;
  std::chrono::steady_clock::time_point begin_;
};

// What cannot be, once each, with the pass behind which it is for the first time. What PTX itself leaves
// undefined stays so: problems of the decoded program are known.
class PassVerifier : public PassWatcher {
 public:
  void ends(std::string_view pass, const PassResult& result) override;
  // Throws Error(kInternal) where there are problems.
  void throw_if_any() const;

 private:
  std::set<std::string> known_;
  std::vector<std::string> problems_;
};

}  // namespace gpuloom::ptx
