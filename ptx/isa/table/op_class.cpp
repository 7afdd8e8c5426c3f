// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table/op_class.h"

namespace gpuloom::ptx {
namespace {
constexpr OpClassInfo kClasses[] = {
#define X(name, opcode, what) {#name, opcode, what},
    GPULOOM_OP_CLASSES(X)
#undef X
};
}  // namespace

const OpClassInfo& info(OpClass op) { return kClasses[static_cast<unsigned>(op)]; }

OpClass op_class_named(std::string_view name) {
  for (unsigned k = 0; k < static_cast<unsigned>(OpClass::count); ++k)
    if (kClasses[k].name == name) return static_cast<OpClass>(k);
  return OpClass::count;
}

}  // namespace gpuloom::ptx
