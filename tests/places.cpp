// SPDX-License-Identifier: Apache-2.0
#include "tests/places.h"

namespace gpuloom::tests {

std::string in_tree(const std::string& path) { return GPULOOM_SOURCE_DIR + path; }
std::string program() { return GPULOOM_BINARY; }

}  // namespace gpuloom::tests
