// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/suite_list.h"

#include <fmt/core.h>

#include "base/error.h"
#include "bench/validation/suite_manifest.h"
#include "sim/runtime/suite.h"

namespace gpuloom::validation {
namespace {

const char* role_word(SuiteRole role) {
  switch (role) {
    case SuiteRole::kFitted:
      return "fitted";
    case SuiteRole::kHeldOut:
      return "held out";
    default:
      return "given";
  }
}

}  // namespace

std::string suite_list_text() {
  const auto suites = sim::named_suites();
  if (suites.empty())
    throw Error(ErrorKind::kUsage, "cannot find the folder bench/silicon", {},
                "give --suite a folder with cases.json");
  std::string text =
      fmt::format("{:<14} {:>5}  {:<8}  {:<22}  {}\n", "suite", "cases", "role", "first seen", "kernels");
  for (const sim::NamedSuite& suite : suites) {
    const SuiteManifest m = read_suite_manifest(suite.folder);
    text += fmt::format("{:<14} {:>5}  {:<8}  {:<22}  {}\n", suite.name,
                        sim::suite_case_names(suite.folder).size(), role_word(m.role), m.first_seen, m.name);
  }
  return text;
}

}  // namespace gpuloom::validation
