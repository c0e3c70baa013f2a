# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The rules other than `standard` as the generator takes them, with the memory that it needs for them."""

cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree

from bgfast.core.board cimport CHECKERS


@cython.final
@cython.auto_pickle(False)
cdef class HeldRules:
    """The switches of a call and the generator's memory; `None` in the place of the switches is `standard`.

    `switches` is what `bgfast.inputs.generated_switches` returns. Each thread needs one of its own.
    """

    def __cinit__(self, switches):
        if switches is None:
            return
        self.rules.bearoff_die, self.rules.bearoff_compulsory, self.rules.forfeit, self.rules.stack_max = switches
        if self.rules.stack_max >= CHECKERS:
            self.rules.stack_max = 0
        self.rules.changes_bearoff = (
            self.rules.bearoff_die != BEAROFF_STANDARD or self.rules.bearoff_compulsory or self.rules.forfeit)
        self.rules.workspace = <Workspace *> PyMem_RawCalloc(1, sizeof(Workspace))
        if self.rules.workspace == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.rules.workspace)

    cdef const Rules *get(self) noexcept nogil:
        """The rules, or NULL for those of `standard`."""
        return &self.rules if self.rules.workspace != NULL else NULL
