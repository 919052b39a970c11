"""Runs each kernel test on both backends in one process: `backend` is one twin, `twins` the two side by side."""

from __future__ import annotations

import importlib
import importlib.util
import os
from dataclasses import dataclass
from types import ModuleType

import pytest

from kafkacodec._accel import KERNELS


class Backend:
    """One twin: its modules are `.checksum`, `.records` and so on, loaded at first use.

    A native module that was not built skips the test that asks for it, or fails it under
    KAFKACODEC_REQUIRE_NATIVE=1. One that is built but broken always fails, with its own ImportError.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name} backend>"

    def __getattr__(self, kernel: str) -> ModuleType:
        if kernel not in KERNELS:
            raise AttributeError(f"no kernel is called {kernel!r}; there are {', '.join(KERNELS)}")
        module = f"kafkacodec._{self.name}.{kernel}"
        if self.name == "native" and importlib.util.find_spec(module) is None:
            reason = f"{module} is not built (python setup.py build_ext --inplace)"
            if os.environ.get("KAFKACODEC_REQUIRE_NATIVE") == "1":
                pytest.fail(f"{reason}, and KAFKACODEC_REQUIRE_NATIVE=1 asks for it")
            pytest.skip(reason)
        loaded = importlib.import_module(module)
        setattr(self, kernel, loaded)
        return loaded


@dataclass(frozen=True, slots=True)
class Twins:
    """Both backends, for tests that compare them."""

    pure: Backend
    native: Backend


# Scoped to the session so that hypothesis, which runs a test many times per fixture, does not object.
@pytest.fixture(params=["pure", "native"], scope="session")
def backend(request: pytest.FixtureRequest) -> Backend:
    return Backend(request.param)


@pytest.fixture(scope="session")
def twins() -> Twins:
    return Twins(pure=Backend("pure"), native=Backend("native"))
