# SPDX-License-Identifier: Apache-2.0
"""Numba kernels on the simulated GPU, as numba-cuda compiles them: prints PASS or what is wrong. Run by numba_test.py.

  numba_kernels.py [NAMES]      # a line for each check; the kernels that Numba's own tests are about, in words of our own
"""
import sys

import checks
import numba_memory  # noqa: F401  (each module brings its checks)
import numba_numbers  # noqa: F401
import numba_threads  # noqa: F401

sys.exit(checks.run())
