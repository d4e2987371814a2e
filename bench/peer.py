"""A library in an environment of its own, asked and answering by lines of JSON."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

__all__ = ["Peer", "serve"]


class Peer:
    """One process that lives as long as the `with` it is opened in."""

    def __init__(self, python: Path, script: str) -> None:
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: object) -> Any:  # noqa: ANN401 - whatever the peer has to say
        """The answer to one question."""
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            message = f"the peer ended at the question {question}: see its message above"
            raise RuntimeError(message)
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()


def serve(answer: Callable[..., object]) -> None:
    """Answer each line of questions until there are no more: the main loop of a peer's script."""
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line))), flush=True)
