"""Queue of boards that wait for an evaluator in Python; used without the GIL."""

from libc.stdint cimport int8_t, int64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from bgfast.core.board cimport BOARD_SIZE
from bgfast.core.probabilities cimport Evaluation


cdef struct Queue:
    # Segments of boards: the successors of a roll, or single boards.
    int8_t *rows
    int64_t *ends                  # ends of the segments, in rows
    int64_t size, capacity         # in segments
    int64_t rows_capacity
    const Evaluation *evaluations  # answers by segment, or by row for PLAY; NULL if there are `choices`
    const int64_t *choices         # chosen rows by segment, for PLAY


cdef inline bint _reserve(void **memory, int64_t *capacity, int64_t size, int64_t item_size) noexcept nogil:
    """Enlarge an array to at least `size` items; return whether there is enough memory."""
    cdef int64_t new_capacity = max(size, 2 * capacity[0])
    cdef void *new_memory
    if size <= capacity[0]:
        return True
    new_memory = realloc(memory[0], new_capacity * item_size)
    if new_memory == NULL:
        return False
    memory[0], capacity[0] = new_memory, new_capacity
    return True


cdef inline bint queue_append(
    Queue *queue, const int8_t *rows, const int64_t *sizes, int64_t segments,
) noexcept nogil:
    """Append segments of boards to a queue; return whether there is enough memory."""
    cdef int64_t end = queue.ends[queue.size - 1] if queue.size else 0, total = 0, segment
    for segment in range(segments):
        total += sizes[segment]
    if not (
        _reserve(<void **> &queue.ends, &queue.capacity, queue.size + segments, sizeof(int64_t))
        and _reserve(<void **> &queue.rows, &queue.rows_capacity, end + total, BOARD_SIZE)
    ):
        return False
    memcpy(queue.rows + end * BOARD_SIZE, rows, total * BOARD_SIZE)
    for segment in range(segments):
        end += sizes[segment]
        queue.ends[queue.size] = end
        queue.size += 1
    return True
