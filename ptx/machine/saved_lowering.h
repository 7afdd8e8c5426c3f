// SPDX-License-Identifier: Apache-2.0
// A lowered kernel as bytes, to be kept between processes of one build of gpuloom.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::ptx {

// Names the build whose processes can use each other's bytes: decoded instructions name its functions. Empty:
// the linker has left no name, and nothing can be kept.
const std::string& build_name();

// Adds what lowering depends on beyond the text of the module, the kernel and the options: addresses of
// variables stand in decoded instructions and constants. False: it has what cannot be told apart from an
// address of this process.
bool add_decoded(const Program& program, Sha256& key);

// The whole machine program with the decoded one that it owns. Empty: some part cannot be kept.
std::string save_lowering(const MachineProgram& machine);
// `bytes` as save_lowering of this build gave them, for the same text of `module`. Nothing: they are cut off.
std::optional<MachineProgram> restore_lowering(std::string_view bytes, const Module& module);

}  // namespace gpuloom::ptx
