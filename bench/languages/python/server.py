"""The tools of bench/cases with the Python SDK's resolvers, over HTTP.

The first argument is the tool: confirm or refund. With --fast, uvicorn runs on uvloop and
httptools, otherwise on asyncio and h11, as it does after `pip install mcp`.

Prints its URL, and its CPU time in milliseconds for each line of stdin. Ends with stdin.
"""

import os
import socket
import sys
import threading
import time
from typing import Annotated, Any, Literal

import uvicorn
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Elicit,
    ElicitationResult,
    MCPServer,
    RequestStateSecurity,
    Resolve,
)
from pydantic import BaseModel, Field

SECURITY = RequestStateSecurity(
    keys=["a key of at least 32 bytes, for benchmarks only"], audience="bench"
)


class Sure(BaseModel):
    confirm: bool


# Resolvers are coroutines, because the SDK runs other functions in threads, which costs more.
async def files_in(path: str) -> int:
    return len(path) % 7


async def sure(path: str, files: Annotated[int, Resolve(files_in)]) -> Elicit[Sure]:
    return Elicit(f"Delete {path} with {files} files?", Sure)


def confirm_server() -> MCPServer[Any]:
    server = MCPServer("folders", request_state_security=SECURITY, log_level="ERROR")

    @server.tool(structured_output=False)
    async def delete_folder(
        path: Annotated[str, Field(min_length=1, description="The folder, as an absolute path.")],
        reason: Annotated[Literal["unused", "moved", "other"], Field(description="Why.")],
        files: Annotated[int, Resolve(files_in)],
        sure: Annotated[Sure, Resolve(sure)],
        note: Annotated[str | None, Field(max_length=500, description="For the log.")] = None,
        keep_days: Annotated[int, Field(ge=0, le=90, description="How long it is kept.")] = 30,
    ) -> str:
        return f"Deleted {path} with {files} files." if sure.confirm else "Kept."

    return server


class Line(BaseModel):
    sku: str
    cents: int
    physical: bool


class Scope(BaseModel):
    full: bool
    sku: str = ""


class Restock(BaseModel):
    restock: bool


class Receipt(BaseModel):
    order_id: str
    refunded_cents: int
    restocked: bool
    reason: str


ORDERS = {
    "ORD-7002": [
        Line(sku="enamel-mug", cents=1800, physical=True),
        Line(sku="canvas-tote", cents=2400, physical=True),
        Line(sku="sticker-pack", cents=600, physical=False),
    ]
}


async def order(order_id: str) -> list[Line]:
    return ORDERS.get(order_id, [])


async def scope(order_id: str, order: Annotated[list[Line], Resolve(order)]) -> Elicit[Scope]:
    skus = ", ".join(line.sku for line in order)
    return Elicit(f"{order_id} has several items ({skus}). Refund the whole order, or one?", Scope)


async def chosen(
    order: Annotated[list[Line], Resolve(order)], scope: Annotated[Scope, Resolve(scope)]
) -> list[Line]:
    return order if scope.full else [line for line in order if line.sku == scope.sku]


async def restock(chosen: Annotated[list[Line], Resolve(chosen)]) -> Restock | Elicit[Restock]:
    physical = [line.sku for line in chosen if line.physical]
    if not physical:
        return Restock(restock=False)
    return Elicit(f"Return {', '.join(physical)} to stock?", Restock)


async def cents(chosen: Annotated[list[Line], Resolve(chosen)]) -> int:
    return sum(line.cents for line in chosen)


def refund_server() -> MCPServer[Any]:
    server = MCPServer("refund-desk", request_state_security=SECURITY, log_level="ERROR")

    @server.tool()
    async def refund_order(
        order_id: str,
        reason: str,
        cents: Annotated[int, Resolve(cents)],
        restock: Annotated[ElicitationResult[Restock], Resolve(restock)],
    ) -> Receipt:
        accepted = isinstance(restock, AcceptedElicitation) and restock.data.restock
        return Receipt(
            order_id=order_id, refunded_cents=cents, restocked=accepted, reason=reason
        )

    return server


def report() -> None:
    for _ in sys.stdin:
        print(time.process_time() * 1000, flush=True)
    os._exit(0)


def main() -> None:
    server = refund_server() if "refund" in sys.argv else confirm_server()
    fast = "--fast" in sys.argv
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"Listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    threading.Thread(target=report, daemon=True).start()
    config = uvicorn.Config(
        server.streamable_http_app(),
        log_level="error",
        timeout_keep_alive=3600,
        loop="uvloop" if fast else "asyncio",
        http="httptools" if fast else "h11",
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
