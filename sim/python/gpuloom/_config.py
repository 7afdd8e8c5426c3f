# SPDX-License-Identifier: Apache-2.0
"""Configurations: what the simulated hardware is."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Tuple, Union

from ._errors import UsageError
from ._native import _core


@dataclass(frozen=True)
class Value:
    """One value of a configuration and where it came from. `text` is YAML, with its unit ("228KiB")."""

    path: str
    text: str
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Unknown(Value):
    """A value that no source gives; `why` is the reasoning behind the estimate."""

    why: str


def _yaml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_yaml(v) for v in value) + "]"
    return str(value)


class Config(Mapping[str, Value]):
    """A configuration by name ("h200") or path, with overrides; a mapping from "sm.shared.banks" to Value.

    >>> c = Config("h200", {"sm.shared.banks": 64})
    >>> c["sm.shared.banks"].text
    '64'
    >>> c["dram.bandwidth"].file, c["dram.bandwidth"].line      # where it was written

    Raises InputError with every problem of the files, UsageError for an override of a key that does not exist.
    """

    def __init__(self, name: "ConfigLike" = "h200", overrides: Mapping[str, Any] = {}) -> None:
        base = name.overrides if isinstance(name, Config) else {}
        self.name: str = name.name if isinstance(name, Config) else str(name)
        self.overrides: Dict[str, Any] = {**base, **overrides}
        self._native = _core.Config(self.name, self.override_list())
        self._values = {v[0]: Value(*v) for v in self._native.values()}

    def override(self, overrides: Mapping[str, Any] = {}, **more: Any) -> "Config":
        """A copy with more values changed; in keyword names two underscores stand for a point."""
        return Config(self, {**overrides, **{k.replace("__", "."): v for k, v in more.items()}})

    def override_list(self) -> List[str]:
        """The overrides as the command line's -s takes them: ["sm.shared.banks=64"]."""
        return [f"{k}={_yaml(v)}" for k, v in self.overrides.items()]

    def __getitem__(self, path: str) -> Value:
        return self._values[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def origin(self, path: str) -> Tuple[str, int, int]:
        """File, line and column of a value."""
        v = self._values.get(path)
        if v is None:
            raise UsageError(f"configuration '{self.name}' has no value '{path}'")
        return v.file, v.line, v.column

    def unknowns(self) -> List[Unknown]:
        """The values that no source gives, each with the reasoning."""
        return [Unknown(path=path, text=text.partition("\n")[0], file=file, line=line, column=column,
                        why=text.partition("\n")[2])
                for path, text, file, line, column in self._native.unknowns()]

    @property
    def files(self) -> List[str]:
        """The files it was merged from, base first."""
        return self._native.files

    @property
    def digest(self) -> str:
        """SHA-256 of all values: equal for equal hardware."""
        return self._native.digest

    def yaml(self) -> str:
        """Everything as one YAML file without `extends`."""
        return self._native.yaml()

    def validate(self) -> None:
        """Raises InputError with every problem: units, ranges, keys that are missing or that nobody reads."""
        self._native.validate()

    def __reduce__(self) -> Tuple[type, Tuple[str, Dict[str, Any]]]:
        return type(self), (self.name, self.overrides)

    def __repr__(self) -> str:
        return f"Config({self.name!r}, {self.overrides!r})"


ConfigLike = Union[str, Config]


def as_config(config: ConfigLike) -> Config:
    """A Config from a name, a path or a Config."""
    return config if isinstance(config, Config) else Config(config)


def configs() -> List[str]:
    """Names of the configurations that come with gpuloom: "gpu/h200", "cc/sm_90"."""
    return _core.config_names()
