"""The client that the argument names."""

import importlib
import sys

from serve import serve

module = importlib.import_module("by_" + sys.argv[1])
serve(module.NAME, module.VERSION, module.TABLES, module.Commands())
