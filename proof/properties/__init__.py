"""What the model must keep whatever the bodies are, measured on bodies drawn at random and on runs."""
