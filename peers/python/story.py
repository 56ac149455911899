"""Serves a story in the sources of the Python SDK over HTTP: `story.py mrtr.server_lowlevel`."""

import importlib
import sys

import anyio

from server import serve_http

anyio.run(serve_http, importlib.import_module(f"stories.{sys.argv[1]}").build_server())
