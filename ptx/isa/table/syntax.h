// SPDX-License-Identifier: Apache-2.0
// The mini-language in which isa_builder.h declares forms.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// Fills form.mods and form.operands from form.syntax and form.instruction. Every modifier is a literal until
// set() says otherwise. Throws Error(kInternal), with the form's text, for a malformed declaration.
void parse_form_syntax(Form& form);

// Gives operands that name no type theirs: the set ".type"; else the only set of types; else `d` has
// `.dtype`, `a` has `.atype`. To be called again whenever a set gets its values.
void resolve_operand_types(Form& form);

// Throws Error(kInternal) where an operand's type is left open although the form has sets of types to choose
// from.
void require_resolved_types(const Form& form);

}  // namespace gpuloom::ptx
