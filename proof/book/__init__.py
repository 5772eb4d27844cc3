"""The verification book: pages made from runs, each with a problem, what is exact, what came out, and the verdict."""
