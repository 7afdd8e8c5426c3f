// SPDX-License-Identifier: Apache-2.0
#include "ptx/target.h"

#include "tests/catch2.h"

using namespace gpuloom::ptx;

TEST_CASE("A plain target covers every earlier plain target") {
  CHECK(covers("sm_90", "sm_20"));
  CHECK(covers("sm_120", "sm_90"));
  CHECK(covers("sm_86", "sm_86"));
  CHECK_FALSE(covers("sm_80", "sm_86"));
}

TEST_CASE("Architecture-specific features do not carry to any other target") {
  CHECK(covers("sm_90a", "sm_90"));
  CHECK_FALSE(covers("sm_90", "sm_90a"));
  CHECK_FALSE(covers("sm_100", "sm_90a"));
  CHECK_FALSE(covers("sm_100a", "sm_90a"));
  CHECK_FALSE(covers("sm_103a", "sm_100a"));
}

TEST_CASE("Family-specific features carry within the family only") {
  CHECK(covers("sm_103f", "sm_100f"));
  CHECK(covers("sm_103a", "sm_100f"));
  CHECK(covers("sm_121a", "sm_120f"));
  CHECK_FALSE(covers("sm_120a", "sm_100f"));
  CHECK_FALSE(covers("sm_110f", "sm_100f"));
  CHECK_FALSE(covers("sm_103", "sm_100f"));
}

TEST_CASE("sm_101 and sm_110 are the same chip under two names") {
  CHECK(covers("sm_110a", "sm_101a"));
  CHECK(covers("sm_101a", "sm_110a"));
}

TEST_CASE("Unknown targets cover nothing, and an empty need is always covered") {
  CHECK_FALSE(covers("sm_42", "sm_20"));
  CHECK_FALSE(covers("sm_90", "hopper"));
  CHECK(covers_any("sm_42", {}));
  CHECK(covers_any("sm_90a", {"sm_100f", "sm_90a"}));
  CHECK(find_target("sm_99") == nullptr);
}

TEST_CASE("PTX versions are ordered as versions, not as decimal numbers") {
  CHECK(ptx_version("8.10") > ptx_version("8.9"));
  CHECK(ptx_version("8.6") == 806);
  CHECK(ptx_version("9") == 0);
  CHECK(ptx_version("a.b") == 0);
  CHECK(ptx_version("1.2x") == 0);
}
