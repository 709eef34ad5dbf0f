"""Arrow files and streams, by pyarrow: other readers misread or refuse some of them (docs/decisions/files.md)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from calipers.errors import InputError, MissingExtra
from calipers.files.formats import SourceFile
from calipers.files.parts import first_line


class ArrowSource:
    """An Arrow file that can be streamed again and again."""

    def __init__(self, source: SourceFile) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("files.needs_pyarrow", file=source.name) from None
        self._pa, self._source = pa, source
        # Now, so that a broken file is refused before a query is made of it.
        self.names = list(self.reader().schema.names)

    def reader(self) -> Any:
        """The batches, from the start. Each is checked in full: DuckDB believes what a batch says about itself."""
        from pyarrow import ipc

        pa = self._pa
        try:
            mapped = pa.memory_map(self._source.path)
            file = ipc.open_stream(mapped) if self._source.kind == "arrow stream" else ipc.open_file(mapped)
            return pa.RecordBatchReader.from_batches(file.schema, self._checked(file))
        except (pa.ArrowException, OSError, EOFError, ValueError) as error:
            raise InputError("files.cannot_be_read", file=self._source.name, why=first_line(error)) from None

    def expected(self) -> int:
        """About how many rows there are, by the first batch; 0 if it cannot be read, which is said when all are."""
        try:
            first = next(iter(self.reader()))
        except (self._pa.ArrowException, InputError, OSError, EOFError, ValueError, StopIteration):
            return 0
        size = os.path.getsize(self._source.path)
        return max(int(first.num_rows), int(first.num_rows) * size // max(1, int(first.nbytes)))

    def _checked(self, file: Any) -> Iterator[Any]:
        batches = file if self._source.kind == "arrow stream" else map(file.get_batch, range(file.num_record_batches))
        for batch in batches:
            batch.validate(full=True)
            yield batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.reader().__arrow_c_stream__(requested_schema)
