// SPDX-License-Identifier: Apache-2.0
#include "sim/api/simulator.h"

#include "sim/runtime/arguments.h"

namespace gpuloom::sim {

ReportKernel Simulator::launch_bytes(Kernel& kernel, const LaunchShape& shape,
                                     const std::vector<std::vector<uint8_t>>& args) {
  LaunchSpec spec;
  spec.kernel = kernel.name();
  for (const std::vector<uint8_t>& bytes : args) {
    ArgSpec arg;
    arg.kind = ArgSpec::Kind::kBytes;
    arg.bytes = bytes;
    spec.args.push_back(std::move(arg));
  }
  LaunchRequest request;
  request.kernel = &kernel;
  request.grid = shape.grid;
  request.block = shape.block;
  request.cluster = shape.cluster;
  request.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  request.cooperative = shape.cooperative;
  request.max_dynamic_shared_bytes = shape.max_dynamic_shared_bytes;
  request.nonportable_cluster = shape.nonportable_cluster;
  request.params = pack_arguments(*kernel.program, spec, {});
  return report_kernel(device_, request, device_.launch(request, shape.options));
}

}  // namespace gpuloom::sim
