"""Rules other than `standard` for the generator, with its workspace."""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.string cimport memset

from bgfast.core.board cimport CHECKERS


@cython.final
cdef class GeneratorRules:
    """Rules and workspace of a thread.

    `switches` is a result of `bgfast.common.validation.generated_switches`; `None` is `standard`.
    """

    def __cinit__(self, switches):
        if switches is None:
            return
        self.rules.bearoff_die, self.rules.bearoff_compulsory, self.rules.forfeit, self.rules.stack_max = switches
        if self.rules.stack_max >= CHECKERS:
            self.rules.stack_max = 0
            if switches == (BEAROFF_STANDARD, False, False, switches[3]):
                return   # no point can become too full
        self.rules.workspace = <Workspace *> PyMem_RawMalloc(sizeof(Workspace))
        if self.rules.workspace == NULL:
            raise MemoryError
        # Nodes are written before they are read; clearing their 300 KB would take longer than a call.
        memset(self.rules.workspace.table, 0, sizeof(self.rules.workspace.table))

    def __dealloc__(self):
        PyMem_RawFree(self.rules.workspace)

    cdef const Rules *get(self) noexcept nogil:
        return &self.rules if self.rules.workspace != NULL else NULL
