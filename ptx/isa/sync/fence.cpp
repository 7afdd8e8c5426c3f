// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.4 fence
//
//   fence{.sem}.scope;                      .sem = { .sc, .acq_rel, .acquire, .release }
//   fence.acquire.sync_restrict::shared::cluster.cluster;
//   fence.release.sync_restrict::shared::cta.cluster;
//   fence.mbarrier_init.release.cluster;
//   fence.proxy.proxykind;                  { .alias, .async, .async.global, .async.shared::{cta, cluster} }
//   fence.proxy.tensormap::generic.release.scope;
//   fence.proxy.tensormap::generic.acquire.scope [addr], size;
//   fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
//   fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
//
// Memory is sequentially consistent here and the proxies see the same bytes, so nothing is left to do; time
// is the timed engine's. Instr::aux: enum Scope.
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void fence(Warp&, const Instr&, uint32_t) {}

void encode(const FormUse& use, Instr& in) {
  Scope scope = Scope::kNone;
  for (std::string_view word : {".cta", ".cluster", ".gpu", ".sys"})
    if (use.has(word)) scope = scope_named(word);
  in.aux = static_cast<uint8_t>(scope);
}
std::string check_size(const FormUse& use) {
  return use.operand(1).value == 128 ? std::string() : "the size of a tensor map fence is 128";
}

FormBuilder common(FormBuilder form, OpClass op) {
  return form.kind(InstrKind::kFence).op(op).encode(encode).meaning(fence);
}
FormBuilder memory(FormBuilder form) { return common(form, OpClass::membar); }
FormBuilder proxy(FormBuilder form) { return common(form, OpClass::fence_async); }

constexpr std::string_view kFenceScopes = ".cta .cluster@7.8,sm_90 .gpu .sys";

}  // namespace

void register_sync_fence(IsaBuilder& isa) {
  isa.instruction("fence", "9.7.13.4", "Order memory accesses.");
  memory(isa.form("fence{.sem}.scope"))
      .set(".sem", ".sc .acq_rel .acquire@8.6,sm_90 .release@8.6,sm_90")
      .set(".scope", kFenceScopes)
      .since("6.0")
      .needs("sm_70");
  memory(isa.form("fence.acquire.sync_restrict::shared::cluster.cluster")).since("8.6").needs("sm_90");
  memory(isa.form("fence.release.sync_restrict::shared::cta.cluster")).since("8.6").needs("sm_90");
  memory(isa.form("fence.mbarrier_init.release.cluster")).since("8.0").needs("sm_90");
  proxy(isa.form("fence.proxy.alias")).since("7.5").needs("sm_70");
  proxy(isa.form("fence.proxy.async{.space}"))
      .set(".space", ".global .shared::cta .shared::cluster")
      .since("8.0")
      .needs("sm_90");
  proxy(isa.form("fence.proxy.tensormap::generic.release.scope"))
      .set(".scope", kFenceScopes)
      .since("8.3")
      .needs("sm_90");
  proxy(isa.form("fence.proxy.tensormap::generic.acquire.scope [a], #size"))
      .set(".scope", kFenceScopes)
      .check(check_size)
      .since("8.3")
      .needs("sm_90");
  proxy(isa.form("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"))
      .since("8.6")
      .needs("sm_90");
  proxy(isa.form("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"))
      .since("8.6")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
