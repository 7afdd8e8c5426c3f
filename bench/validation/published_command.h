// SPDX-License-Identifier: Apache-2.0
// gpuloom score --published.
#pragma once
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpuloom::validation {

struct PublishedArguments {
  std::string board, probe, csv, markdown, expected;
  bool rows = false, quiet = false;
  unsigned jobs = 1;
};

void add_published_options(CLI::App& command, CLI::Option& published, PublishedArguments& a);
int run_published(const PublishedArguments& a);

}  // namespace gpuloom::validation
