# SPDX-License-Identifier: Apache-2.0
"""Triton's compiler for CUDA up to PTX: the last step, to machine code, is gpuloom's own."""
from __future__ import annotations

from typing import Any, Dict

from .._native import _core
from . import _found

_cuda = _found.module("backends.nvidia.compiler")

FUSES = "// gpuloom: mul and add "  # what the options say about ptxas's -fmad goes along behind the text


def fuses(text: str) -> bool:
    """Whether the options let ptxas fuse multiplications and additions."""
    return text.rpartition(FUSES)[2].strip() != "stay apart"


class PtxBackend(_cuda.CUDABackend):  # type: ignore[misc, name-defined]  # Triton brings no types
    """What CUDABackend does, without ptxas. `digest` is of the simulated GPU: autotuning results are kept by hash()."""

    digest = ""

    def __init__(self, target: Any) -> None:
        super().__init__(target)
        self.binary_ext = "gpuloom"

    def parse_options(self, opts: Dict[str, Any]) -> Any:
        # PTX 9.0 is what gpuloom knows (ptx/isa); without a choice Triton would ask its ptxas for a version.
        return super().parse_options({"ptx_version": 90, **opts})

    def add_stages(self, stages: Dict[str, Any], options: Any, language: Any) -> None:
        super().add_stages(stages, options, language)
        del stages["cubin"]
        fused = "are fused" if options.enable_fp_fusion else "stay apart"
        stages["gpuloom"] = lambda ptx, metadata: f"{ptx}\n{FUSES}{fused}\n".encode()

    def hash(self) -> str:
        return f"gpuloom-{_core.source_digest}-{self.digest}-{self.target.arch}"
