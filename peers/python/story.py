"""Serves a story that the Python SDK ships with its sources, over HTTP."""

import importlib
import sys

import anyio

from server import serve_http

anyio.run(serve_http, importlib.import_module(f"stories.{sys.argv[1]}.server").build_server())
