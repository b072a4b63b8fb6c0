"""An epoch as a file for other programs: JSON lines, CSV or GraphML."""
