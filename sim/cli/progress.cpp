// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include "sim/base/text.h"

namespace gpuloom::cli {

ProgressLine::ProgressLine(ProgressKind kind) : begin_(Clock::now()), last_(begin_) {
  terminal_ = kind == ProgressKind::kAuto && isatty(STDERR_FILENO) != 0;
  enabled_ = terminal_ || kind == ProgressKind::kPlain;
}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
}

sim::RunProgressFn ProgressLine::callback() {
  if (!enabled_) return {};
  return [this](const sim::RunProgress& p) {
    const Clock::time_point now = Clock::now();
    const auto wait = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
    if (now - last_ >= wait) {
      last_ = now;
      show(p);
    }
    return true;
  };
}

void ProgressLine::show(const sim::RunProgress& p) {
  const double seconds = std::chrono::duration<double>(last_ - begin_).count();
  const double share =
      p.blocks_total == 0 ? 0 : static_cast<double>(p.blocks_done) / static_cast<double>(p.blocks_total);
  std::string text = fmt::format("{} of {} blocks ({:.0f} %)", with_thousands(p.blocks_done),
                                 with_thousands(p.blocks_total), share * 100);
  if (p.cycle != 0) text += fmt::format(", cycle {}", with_thousands(p.cycle));
  text +=
      fmt::format(", {:.2f} M warp instructions/s", static_cast<double>(p.warp_instructions) / seconds / 1e6);
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "gpuloom: %s\n", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace gpuloom::cli
