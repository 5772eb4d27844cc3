"""Built-in scenarios: bodies, joints and contacts of whole simulations, as TOML files."""
