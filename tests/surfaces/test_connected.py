"""Connected groups against a search from node to node."""

from __future__ import annotations

import numpy as np

from polycontact.surfaces.connected import connected_labels


def searched(n: int, links: list[tuple[int, int]]) -> list[int]:
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    labels, count = [-1] * n, 0
    for start in range(n):
        if labels[start] >= 0:
            continue
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if labels[node] < 0:
                labels[node] = count
                waiting += near[node]
        count += 1
    return labels


def test_random_graphs_have_the_groups_that_a_search_finds() -> None:
    rng = np.random.default_rng(3)
    several = 0
    for _ in range(60):
        n = int(rng.integers(1, 80))
        links = rng.integers(0, n, (int(rng.integers(0, 2 * n)), 2))
        labels = connected_labels(n, links[:, 0], links[:, 1])
        assert labels.tolist() == searched(n, [(int(a), int(b)) for a, b in links])
        several += 1 < labels.max() + 1 < n
    assert several > 20


def test_a_long_chain_in_random_order_is_one_group() -> None:
    nodes = np.random.default_rng(4).permutation(20_000)
    assert not connected_labels(len(nodes), nodes[:-1], nodes[1:]).any()


def test_no_nodes_and_no_links() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert connected_labels(0, none, none).tolist() == []
    assert connected_labels(3, none, none).tolist() == [0, 1, 2]
