"""``polycontact bench``: time, counters and bit-identity of evaluations beside collision libraries.

Absolute times mean little on a shared machine, so peers run on the same meshes and poses, in turns with us,
and the ratios of the medians are shown beside what they should be.
"""

from __future__ import annotations

from polycontact.benchmark.benchmark_run import (
    QUICK as QUICK,
)
from polycontact.benchmark.benchmark_run import (
    BenchmarkResult as BenchmarkResult,
)
from polycontact.benchmark.benchmark_run import (
    Settings as Settings,
)
from polycontact.benchmark.benchmark_run import (
    run_benchmark as run_benchmark,
)
from polycontact.benchmark.benchmark_run import (
    settings_for as settings_for,
)
from polycontact.benchmark.benchmark_tables import print_benchmark as print_benchmark
