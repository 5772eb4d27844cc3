"""The gallery: what the product is used for, as pictures to choose from, played pages and short programs."""
