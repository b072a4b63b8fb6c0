"""A replay of recorded responses of CRAG's mock API: it knows what was recorded and nothing else."""
