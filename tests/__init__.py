"""A package, so that pytest does not search this folder for modules: its folders have the names of ours."""
