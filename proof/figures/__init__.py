"""The figures of Schmucker, Rusin and Konyev (2007), drawn from runs of built-in scenarios, and what of them agrees."""
