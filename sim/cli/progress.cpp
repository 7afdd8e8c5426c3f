// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/text.h"

namespace gpuloom::cli {

ProgressLine::ProgressLine(ProgressKind kind) : begin_(Clock::now()), last_(begin_) {
  terminal_ = kind == ProgressKind::kAuto && isatty(STDERR_FILENO) != 0;
  enabled_ = kind != ProgressKind::kNone;
  every_ = terminal_ ? kOnTerminal : kind == ProgressKind::kPlain ? kPlain : kElsewhere;
  if (kind == ProgressKind::kPlain) last_ -= kPlain - kFirst;  // who asks for lines wants to see that it runs
}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
}

sim::RunProgressFn ProgressLine::callback() {
  if (!enabled_) return {};
  return [this](const sim::RunProgress& p) {
    const Clock::time_point now = Clock::now();
    if (now - last_ >= every_) {
      last_ = now;
      show(p);
    }
    if (!warned_ && p.blocks_done == 0 && now - begin_ >= kSuspicious) warn(p);
    return true;
  };
}

void ProgressLine::show(const sim::RunProgress& p) {
  const double seconds = std::chrono::duration<double>(last_ - begin_).count();
  const double share =
      p.blocks_total == 0 ? 0 : static_cast<double>(p.blocks_done) / static_cast<double>(p.blocks_total);
  std::string text;
  if (p.cycle != 0) text = fmt::format("cycle {}, ", with_thousands(p.cycle));
  text += fmt::format("{} warp instructions ({:.2f} M/s), {} of {} blocks ({:.0f} %)",
                      with_thousands(p.warp_instructions),
                      static_cast<double>(p.warp_instructions) / seconds / 1e6, with_thousands(p.blocks_done),
                      with_thousands(p.blocks_total), share * 100);
  // Blocks of one wave end together: their number says nothing before the first have.
  if (share > 0.02) text += fmt::format(", about {:.0f} s left", seconds * (1 - share) / share);
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "gpuloom: %s\n", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::warn(const sim::RunProgress& p) {
  warned_ = true;
  std::fprintf(
      stderr,
      "%sgpuloom: no block has ended after %d s and %s warp instructions. If that is an endless "
      "loop, Ctrl-C shows where the time goes (--max-seconds, --max-cycles end the run automatically)\n",
      terminal_ ? "\r\033[K" : "", static_cast<int>(std::chrono::duration<double>(kSuspicious).count()),
      with_thousands(p.warp_instructions).c_str());
}

}  // namespace gpuloom::cli
