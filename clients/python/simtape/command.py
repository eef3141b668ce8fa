"""Runs the command ``simtape``."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import warnings
from typing import Any, Iterator, List, Sequence

from .errors import CommandError, CommandNotFound, CommandUsageError, SimtapeWarning

_USAGE = 2
_LOSSY = 3


def command() -> List[str]:
    """The words that start the command: ``SIMTAPE`` (a path, or words as for a shell), else ``simtape`` on the PATH."""
    named = os.environ.get("SIMTAPE", "").strip()
    if named:
        words = [named] if os.path.isfile(named) else shlex.split(named)
        path = shutil.which(words[0])
        if path is None:
            raise CommandNotFound(f"SIMTAPE names {words[0]!r}, which is no command here")
        return [path, *words[1:]]
    path = shutil.which("simtape")
    if path is None:
        raise CommandNotFound(
            "the command simtape is not on the PATH: install it (npm install -g simtape), name it by the variable"
            " SIMTAPE, or read from a server with simtape.Client"
        )
    return [path]


def run(words: Sequence[str]) -> Any:
    """The JSON that the command prints. Raises :class:`CommandError`; warns when a part of the recording is damaged."""
    done = subprocess.run([*command(), *words], stdin=subprocess.DEVNULL, capture_output=True, env=_environment())
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, _LOSSY):
        raise _error(done.returncode, done.stdout.decode("utf-8", "replace"), said)
    if done.returncode == _LOSSY:
        warnings.warn(_last(said) or "a part of the recording is damaged", SimtapeWarning, stacklevel=3)
    return json.loads(done.stdout)


def lines(words: Sequence[str]) -> Iterator[Any]:
    """The JSON of each line that the command prints, while it runs. The command ends when the iteration ends."""
    # a pipe that is not read could fill and stop the command
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=_environment()
        )
        assert process.stdout is not None
        last = b""
        try:
            for line in process.stdout:
                last = line
                plain = json.loads(line)
                if not (isinstance(plain, dict) and "error" in plain and "kind" not in plain):
                    yield plain
            code = process.wait()
        finally:
            process.stdout.close()
            if process.poll() is None:
                process.kill()
                process.wait()
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace")
        if code not in (0, _LOSSY):
            raise _error(code, last.decode("utf-8", "replace"), said)
        if code == _LOSSY:
            warnings.warn(_last(said) or "a part of the recording is damaged", SimtapeWarning, stacklevel=3)


def _environment() -> "dict[str, str]":
    return {**os.environ, "NO_COLOR": "1"}


def _error(code: int, output: str, said: str) -> CommandError:
    """The error that ``--json`` prints, or the last line of standard error."""
    kind = CommandUsageError if code == _USAGE else CommandError
    try:
        plain = json.loads(output.strip().split("\n")[-1])["error"]
        return kind(plain["message"], plain.get("code"), plain.get("offset"))
    except (ValueError, KeyError, TypeError):
        return kind(_last(said) or f"the command ended with {code}")


def _last(said: str) -> str:
    lines = [line for line in said.split("\n") if line.strip()]
    return lines[-1].removeprefix("simtape: ") if lines else ""
