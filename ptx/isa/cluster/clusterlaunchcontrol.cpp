// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.18 clusterlaunchcontrol
//
//   clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128
//       [addr], [mbar];
//   clusterlaunchcontrol.query_cancel.is_canceled.pred.b128  pred, try_cancel_response;
//   clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128  {xdim, ydim, zdim, _},
//   try_cancel_response; clusterlaunchcontrol.query_cancel.get_first_ctaid{::dimension}.b32.b128  reg,
//   try_cancel_response;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

FormBuilder common(FormBuilder form) {
  return form.since("8.6")
      .needs("sm_100")
      .op(OpClass::ucgabar)
      .not_modelled("cancelling the launch of clusters is not modelled yet");
}

}  // namespace

void register_cluster_clusterlaunchcontrol(IsaBuilder& isa) {
  isa.instruction("clusterlaunchcontrol.try_cancel", "9.7.13.18.1",
                  "Ask for a cluster that has not been launched.");
  common(isa.form("clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes"
                  "{.multicast::cluster::all}.b128 [a], [mbar]"))
      .set(".space", ".shared::cta");
  isa.instruction("clusterlaunchcontrol.query_cancel", "9.7.13.18.2", "Read the answer to try_cancel.");
  common(isa.form("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a:b128"));
  common(isa.form("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d+:b32, a:b128"));
  common(isa.form("clusterlaunchcontrol.query_cancel.first.b32.b128 d:b32, a:b128"))
      .set(".first", ".get_first_ctaid::x .get_first_ctaid::y .get_first_ctaid::z");
}

}  // namespace gpuloom::ptx
