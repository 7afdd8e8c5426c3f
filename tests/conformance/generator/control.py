# SPDX-License-Identifier: Apache-2.0
"""Group of cases: control, in three parts."""
from generator.branches import branches
from generator.calls import calls
from generator.meetings import meetings


def g_control():
    branches()
    calls()
    meetings()
