// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

namespace gpuloom {

std::string_view version() { return GPULOOM_VERSION; }  // CMakeLists.txt defines it for this file

}  // namespace gpuloom
