"""Plug-ins for other packages; each module needs the package of its name, which is never installed with this one."""
