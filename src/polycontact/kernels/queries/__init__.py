"""Questions about surfaces that no contact asks: distances of bodies, nearest points, rays."""
