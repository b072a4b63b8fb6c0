"""The functions of CRAG's mock API, and what is built on them."""
