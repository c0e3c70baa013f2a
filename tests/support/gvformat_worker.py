"""Worker process that reads many files with gvformat under a memory limit."""

from __future__ import annotations

import json
import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from bgfast.errors import RecordError
from bgfast.records import gvformat_child
from tests.support.patience import patient

TIMEOUT_SECONDS = 10
SPAWN_CONTEXT = multiprocessing.get_context("spawn")


def serve(pipe: Connection) -> None:
    """Read files from the pipe and send their documents until the pipe closes."""
    gvformat_child.MAX_SECONDS = 24 * 3600  # the limit applies to all files together
    gvformat_child.limit_resources()
    while True:
        content, file_format = pipe.recv()
        read = gvformat_child.read_bgf if file_format == "bgf" else gvformat_child.read_ogxm
        try:
            answer = json.dumps({"document": read(content)})
        except Exception as error:
            answer = json.dumps({"error": type(error).__name__})
        pipe.send(answer)


class GvformatWorker:
    """Client of a worker process, which is restarted when it hangs or exits."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.pipe, child_pipe = SPAWN_CONTEXT.Pipe()
        self.process = SPAWN_CONTEXT.Process(target=serve, args=(child_pipe,), daemon=True)
        self.process.start()
        child_pipe.close()

    def document(self, content: bytes, file_format: str) -> Any:
        """Return the document of a file; tests use this as `gvformat_files._document`."""
        try:
            self.pipe.send((content, file_format))
            has_answer = self.pipe.poll(patient(TIMEOUT_SECONDS))
            answer = json.loads(self.pipe.recv()) if has_answer else {"error": "hung"}
        except (EOFError, OSError):
            answer = {"error": "exited"}
        if answer.get("error") in ("hung", "exited"):
            self.stop()
            self.start()
        if "error" in answer:
            raise RecordError(f"{answer['error']}; expected a whole file")
        return answer["document"]

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
