"""The page of a study: what was varied, what came out and how sure that is, and the way to each run."""
