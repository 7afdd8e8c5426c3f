// SPDX-License-Identifier: Apache-2.0
// A fence between proxies stands behind a MEMBAR, but for one of global memory alone (ptxas 13.0, sm_90: SASS
// of bulk_store and of single instructions).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_proxy_fence(const Selection& s, uint32_t i) {
  if (s.op_class(i) != OpClass::fence_async) return false;
  const FormUse use = s.use(i);
  return use.form().syntax.starts_with("fence.proxy.async{") && !use.has(".global");
}

void apply_proxy_fence(const Selection&, Emitter& out, uint32_t) {
  out.around({OpClass::membar}, OpClass::fence_async, {});
}

}  // namespace

extern const Rule kProxyFence{"proxy_fence", match_proxy_fence, apply_proxy_fence};

}  // namespace gpuloom::ptx
