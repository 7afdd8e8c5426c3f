# SPDX-License-Identifier: Apache-2.0
"""What gen.py is made of."""
