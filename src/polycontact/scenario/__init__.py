"""Built-in scenarios: bodies, joints and contacts of whole simulations, made by code."""
