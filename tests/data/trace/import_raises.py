"""A file that raises while it is imported."""
settings = {}
width = settings["width"]
