// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/table/syntax.h"

namespace gpuloom::ptx {

const IsaTable& isa_table() {
  static const struct Holder {
    IsaTable table;
    Holder() {
      IsaBuilder builder(table);
      register_all_instructions(builder);
      for (const Form& form : table.forms()) require_resolved_types(form);
    }
  } kHolder;
  return kHolder.table;
}

}  // namespace gpuloom::ptx
