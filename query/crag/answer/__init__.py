"""An answer from references: ``model.py`` asks a model, ``sure.py`` asks nobody and mostly abstains."""
