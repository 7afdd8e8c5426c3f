// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.12.1 tcgen05.commit
//
//   tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]{,
//   ctaMask};
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_commit(IsaBuilder& isa) {
  isa.instruction("tcgen05.commit", "9.7.16.12.1", "Let an mbarrier track asynchronous tcgen05 operations.");
  tcgen05_form(isa, "tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}.b64 [mbar]")
      .set(".cta_group", kCtaGroups);
  tcgen05_form(
      isa,
      "tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [mbar], "
      "m:b16")
      .set(".cta_group", kCtaGroups);
}

}  // namespace gpuloom::ptx
