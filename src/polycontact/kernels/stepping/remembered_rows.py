"""What contact laws remember at samples: lists of elements, one after the other, until Python takes them over."""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import ElementMemory, as_header
from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import View, count, doubles, ints, longs


class RememberedRows(View):
    """Lists of elements that a law of a pair remembers at a sample, with what is remembered of each."""

    n_pairs = count("pairs whose laws remember elements")
    room_of_lists = count("lists that fit")
    n_lists = count("lists")
    room = count("elements that fit")
    n = count("elements of all lists")
    room_of_values = count("numbers that fit")
    n_values = count("numbers of all elements")
    is_full = count("1 where what is remembered at the last sample did not fit")
    pairs = ints("n_pairs", doc="numbers of those pairs, ascending")
    lists = ints(
        "room_of_lists", 5, doc="row of the sample, pair, law (0 normal, 1 tangential), elements, numbers of each"
    )
    keys = longs("room", doc="keys of the elements, ascending within a list")
    values = doubles("room_of_values", doc="their numbers, element after element")


@kernel
def _add_list(rows: RememberedRows, sample: int, pair: int, law: int, memory: ElementMemory) -> bool:
    """Add what one law of a pair remembers at a sample; whether it fits."""
    n, width = memory.n, memory.width
    if n == 0 or width == 0:
        return True
    if rows.n_lists == rows.room_of_lists or rows.n + n > rows.room or rows.n_values + n * width > rows.room_of_values:
        return False
    row = rows.lists[rows.n_lists]
    row[0] = sample
    row[1] = pair
    row[2] = law
    row[3] = n
    row[4] = width
    for k in range(n):
        rows.keys[rows.n + k] = memory.keys[k]
        for c in range(width):
            rows.values[rows.n_values + k * width + c] = memory.values[k, c]
    rows.n_lists += 1
    rows.n += n
    rows.n_values += n * width
    return True


@kernel
def add_remembered(rows: RememberedRows, sample: int, contacts: PairContacts) -> bool:
    """Add what the laws of all pairs remember at a sample, or nothing of it; whether it fits."""
    n_lists, n, n_values = rows.n_lists, rows.n, rows.n_values
    for k in range(rows.n_pairs):
        pair = rows.pairs[k]
        if contacts.pairing[pair] == 0:
            continue
        laws = as_header(contacts.pairing[pair]).laws
        fits = _add_list(rows, sample, pair, 0, laws.normal.memory)
        if not (fits and _add_list(rows, sample, pair, 1, laws.tangential.memory)):
            rows.n_lists, rows.n, rows.n_values = n_lists, n, n_values
            rows.is_full = 1
            return False
    return True
