// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/suite_manifest.h"

#include "base/error.h"
#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/places.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using namespace gpuloom::validation;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* kGood = R"(name: small
origin: written for a test
measured: never
first_seen: today
role: held out
classes:
  latency: [lat_*]
  rate: [rate_add]
  data_dependent: [hash_*]
ratios:
  - [plain, padded, swizzled]
)";

ScoreCase named(const std::string& name) {
  ScoreCase c;
  c.name = name;
  return c;
}

}  // namespace

TEST_CASE("A suite's manifest says what its cases are", "[score]") {
  const tests::ProgramFolder folder;
  folder.write("suite.yaml", kGood);
  const SuiteManifest m = read_suite_manifest(folder.file("."));
  CHECK(m.role == SuiteRole::kHeldOut);
  std::vector<ScoreCase> cases = {named("lat_x"),  named("rate_add"), named("rate_mul"),
                                  named("hash_1"), named("plain"),    named("swizzled")};
  apply_manifest(m, cases);
  CHECK(cases[0].kind == CaseClass::kLatency);
  CHECK(cases[1].kind == CaseClass::kRate);
  CHECK(cases[2].kind == CaseClass::kKernel);
  CHECK(cases[3].data_dependent);
  CHECK(cases[4].ratio_to.empty());
  CHECK(cases[5].ratio_to == "plain");
}

TEST_CASE("A suite without a manifest is given, and its cases are kernels", "[score]") {
  const tests::ProgramFolder folder;
  CHECK(read_suite_manifest(folder.file(".")).role == SuiteRole::kGiven);
}

TEST_CASE("Mistakes in a suite's manifest are named with their place", "[score]") {
  const tests::ProgramFolder folder;
  folder.write("suite.yaml", "name: a\norigin: b\nmeasured: c\nrole: fited\nclases: {}\nratios: [[one]]\n");
  try {
    read_suite_manifest(folder.file("."));
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK_THAT(std::string(e.what()),
               ContainsSubstring("suite.yaml:4:") && ContainsSubstring("fitted, held out or given") &&
                   ContainsSubstring("'clases'") && ContainsSubstring("'first_seen'") &&
                   ContainsSubstring("two cases or more"));
  }
}

TEST_CASE("Every suite of the tree has a manifest that can be read", "[score]") {
  for (const char* suite : {"", "/corner_cases", "/algorithms", "/benchmarks", "/libraries", "/applications",
                            "/ml", "/workloads"}) {
    INFO(suite);
    CHECK(!read_suite_manifest(tests::in_tree(std::string("/bench/silicon") + suite)).name.empty());
  }
}
