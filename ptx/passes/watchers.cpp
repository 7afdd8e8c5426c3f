// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/watchers.h"

#include <algorithm>
#include <cstdio>

#include "base/error.h"

namespace gpuloom::ptx {

void PassDump::ends(std::string_view pass, const PassResult& result) {
  if (!passes_.contains("all") && !passes_.contains(pass)) return;
  text_ += "after " + std::string(pass) + ":\n" + result.listing() + "\n";
}

void PassClock::begins(std::string_view) { begin_ = std::chrono::steady_clock::now(); }

void PassClock::ends(std::string_view pass, const PassResult&) {
  const auto took = std::chrono::steady_clock::now() - begin_;
  auto at = std::find_if(times_.begin(), times_.end(), [&](const Time& t) { return t.name == pass; });
  if (at == times_.end()) at = times_.insert(at, {std::string(pass), {}, 0});
  at->sum += took;
  ++at->runs;
}

std::string PassClock::text() const {
  std::string out = "pass                     runs        ms\n";
  const auto line = [&](const std::string& name, uint64_t runs, std::chrono::steady_clock::duration time) {
    char text[80];
    std::snprintf(text, sizeof text, "%-24s %4llu %9.3f\n", name.c_str(),
                  static_cast<unsigned long long>(runs),
                  std::chrono::duration<double, std::milli>(time).count());
    out += text;
  };
  Time all{"all", {}, 0};
  for (const Time& t : times_) {
    line(t.name, t.runs, t.sum);
    all.sum += t.sum;
    all.runs += t.runs;
  }
  line(all.name, all.runs, all.sum);
  return out;
}

void PassVerifier::ends(std::string_view pass, const PassResult& result) {
  if (pass == "decode") known_.clear();
  for (const std::string& problem : result.problems()) {
    if (known_.insert(problem).second && pass != "decode")
      problems_.push_back("after pass '" + std::string(pass) + "': " + problem);
  }
}

void PassVerifier::throw_if_any() const {
  if (problems_.empty()) return;
  std::string text;
  for (const std::string& problem : problems_) text += (text.empty() ? "" : "\n") + problem;
  throw Error(ErrorKind::kInternal, text, {},
              "results stay right, times may be off; please report it with the PTX");
}

}  // namespace gpuloom::ptx
