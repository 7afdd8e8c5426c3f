// SPDX-License-Identifier: Apache-2.0
// The group `lowering` of a configuration: a profile of configs/lowering, which a capability names, and what
// is overridden of it. What each key does: configs/about/keys.yaml.
#pragma once
#include "ptx/machine/lowering_profile.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

ptx::LoweringProfile read_lowering(const ConfigView& view);

}  // namespace gpuloom::arch
