// SPDX-License-Identifier: Apache-2.0
// Every instruction that PTX ISA 9.0 names stands in the table, modelled or refused with the reason.
#include <sstream>

#include "ptx/isa/table/form.h"
#include "tests/catch2.h"

using namespace gpuloom::ptx;

namespace {

// The manual's section 9.7, instruction by instruction, as it writes their names.
constexpr const char* kManual =
    "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a "
    "dp2a add.cc addc sub.cc subc mad.cc madc testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh set "
    "setp "
    "selp slct and or xor not cnot lop3 shf shl shr mov shfl shfl.sync prmt ld ld.global.nc ldu st st.async "
    "st.bulk multimem.ld_reduce multimem.st multimem.red multimem.cp.async.bulk "
    "multimem.cp.reduce.async.bulk "
    "prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt cvt.pack mapa getctarank "
    "cp.async "
    "cp.async.commit_group cp.async.wait_group cp.async.wait_all cp.async.bulk cp.reduce.async.bulk "
    "cp.async.bulk.prefetch cp.async.bulk.tensor cp.reduce.async.bulk.tensor cp.async.bulk.prefetch.tensor "
    "cp.async.bulk.commit_group cp.async.bulk.wait_group tensormap.replace tex tld4 txq istypep suld sust "
    "sured suq bra brx.idx call ret exit bar.sync bar.red bar.arrive bar.cta barrier.sync barrier.red "
    "barrier.arrive barrier.cta bar.warp.sync barrier.cluster.arrive barrier.cluster.wait membar fence "
    "fence.proxy fence.mbarrier_init atom red red.async vote vote.sync match activemask redux griddepcontrol "
    "elect.sync mbarrier.init mbarrier.inval mbarrier.expect_tx mbarrier.complete_tx mbarrier.arrive "
    "mbarrier.arrive_drop cp.async.mbarrier.arrive mbarrier.test_wait mbarrier.try_wait "
    "mbarrier.pending_count tensormap.cp_fenceproxy clusterlaunchcontrol.try_cancel "
    "clusterlaunchcontrol.query_cancel wmma.load wmma.store wmma.mma mma mma.sp ldmatrix stmatrix movmatrix "
    "wgmma.mma_async wgmma.mma_async.sp wgmma.fence wgmma.commit_group wgmma.wait_group tcgen05.alloc "
    "tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.ld.red tcgen05.st tcgen05.wait "
    "tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.commit "
    "tcgen05.fence stacksave stackrestore alloca vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 "
    "vsub2 "
    "vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 brkpt nanosleep "
    "pmevent trap setmaxnreg";

// Whether the form's syntax, or the values of its modifiers, have each part of the name.
bool spells(const Form& form, const std::string& name) {
  std::istringstream parts(name);
  std::string part;
  std::getline(parts, part, '.');
  if (form.syntax.compare(0, part.size(), part) != 0) return false;
  while (std::getline(parts, part, '.')) {
    bool found = form.syntax.find("." + part) != std::string::npos;
    for (const ModifierSlot& slot : form.mods)
      for (const ModifierValue& value : slot.values)
        found |= value.text.compare(0, part.size() + 1, "." + part) == 0;
    if (!found) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Every instruction of the PTX 9.0 manual is in the table", "[isa]") {
  std::istringstream names(kManual);
  size_t count = 0;
  for (std::string name; names >> name; ++count) {
    bool found = false;
    for (const Form* form : isa_table().forms_of(name.substr(0, name.find('.'))))
      found |= spells(*form, name);
    INFO(name);
    CHECK(found);
  }
  CHECK(count == 203);
}

TEST_CASE("A form without a meaning says why", "[isa]") {
  size_t refused = 0;
  for (const Form& form : isa_table().forms()) refused += form.not_modelled.empty() ? 0 : 1;
  CHECK(refused < isa_table().forms().size() / 4);
}
