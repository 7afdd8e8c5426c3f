// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/published_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "bench/validation/published_score.h"
#include "sim/cli/print.h"
#include "sim/memory/files.h"

namespace gpuloom::validation {

void add_published_options(CLI::App& command, CLI::Option& published, PublishedArguments& a) {
  command.add_option("--board", a.board, "Only the published figures of this board")->needs(&published);
  command
      .add_option("--probe", a.probe, "Only the published figures that this probe of probes.yaml measures")
      ->needs(&published);
  command.add_option("--expected", a.expected, "Write what gpuloom run says about unmeasured boards")
      ->needs(&published);
  command.add_flag("--rows", a.rows, "Also each published figure beside ours")->needs(&published);
}

int run_published(const PublishedArguments& a) {
  const PublishedData data = read_published(published_folder());
  if (!a.board.empty()) data.board(a.board);
  for (const std::string& path : {a.csv, a.markdown, a.expected})
    if (!path.empty()) sim::expect_folder_of(path);
  const bool progress = isatty(STDERR_FILENO) != 0;
  const auto results =
      score_published(data, a.board, a.probe, a.jobs, [&](size_t ended, size_t of, const std::string& board) {
        if (progress) std::fprintf(stderr, "\r\033[K%zu of %zu: %s", ended, of, board.c_str());
      });
  if (progress) std::fprintf(stderr, "\r\033[K");
  if (!a.csv.empty()) sim::write_file(a.csv, published_csv(results));
  if (!a.markdown.empty()) sim::write_file(a.markdown, published_markdown(data, results));
  if (!a.expected.empty()) sim::write_file(a.expected, published_expected(data, results));
  if (!a.quiet) cli::print(published_text(data, results, a.rows));
  const bool failed =
      std::ranges::any_of(results, [](const auto& r) { return !r.row->probe.empty() && !r.simulated; });
  return failed ? static_cast<int>(ErrorKind::kVerification) : 0;
}

}  // namespace gpuloom::validation
