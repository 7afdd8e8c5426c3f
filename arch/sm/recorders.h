// SPDX-License-Identifier: Apache-2.0
// What writes down an SM's timeline; null where none was asked for.
#pragma once
#include <memory>

#include "arch/sm/pipeline_recorder.h"
#include "arch/sm/recorder.h"

namespace gpuloom::arch {

struct Recorders {
  std::unique_ptr<Recorder> states;
  std::unique_ptr<PipelineRecorder> pipeline;
};

}  // namespace gpuloom::arch
