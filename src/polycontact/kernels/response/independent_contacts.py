"""Whether the velocities tell the impulses at contacts: then one answer is near the next, and none has to be chosen.

Where contacts are redundant, as at four feet of a rigid table, impulses have to be shared, and how must not hang on
those of the last step. Where every impulse changes velocities in a way of its own, W has an inverse.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.response_views import SolverWork
from polycontact.tolerances import INDEPENDENT_ROW


@kernel
def are_independent(system: ContactSystem, work: SolverWork) -> bool:
    """Whether W = A Aᵀ is regular, by its Cholesky factors; false for more than are looked at.

    A row is independent of those before it where enough is left of it without what lies along these.
    """
    m, gram, dense = 3 * system.n, work.gram, work.step
    if m > work.room_of_gram or m > system.width:
        return False
    # The lower half of W: each row is spread out over all columns, so that others are multiplied with it as they are.
    for k in range(m):
        i = k // 3
        for j in range(system.width):
            dense[j] = 0.0
        for j in range(system.n_columns[i]):
            dense[system.column[i, j]] = system.rows[k, j]
        for r in range(k, m):
            total, other = 0.0, r // 3
            for j in range(system.n_columns[other]):
                total += system.rows[r, j] * dense[system.column[other, j]]
            gram[r, k] = total
    # Its Cholesky factor; what is left on the diagonal is what lies along none of the rows before.
    for k in range(m):
        left = gram[k, k]
        for j in range(k):
            left -= gram[k, j] * gram[k, j]
        if not left > INDEPENDENT_ROW * gram[k, k]:
            return False
        root = math.sqrt(left)
        gram[k, k] = root
        for r in range(k + 1, m):
            total = gram[r, k]
            for j in range(k):
                total -= gram[r, j] * gram[k, j]
            gram[r, k] = total / root
    return True
