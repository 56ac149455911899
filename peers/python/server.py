"""A restaurant with the Python SDK's resolvers, and a tool with hand-written rounds.

Serves stdio, or with --http a free port of the loopback address. MCP_RESOLVE_KEYS and AUDIENCE
let several processes, in any language, share request state.
"""

import os
import socket
import sys
from typing import Annotated, Any

import anyio
import uvicorn
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    ListRoots,
    MCPServer,
    RequestStateSecurity,
    Resolve,
    Sample,
)
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel


class Seat(BaseModel):
    outside: bool


class Occasion(BaseModel):
    occasion: str


class Approval(BaseModel):
    approve: bool


class Reminder(BaseModel):
    hours: int = 2


class Booking(BaseModel):
    guests: int
    outside: bool
    occasion: str
    deposit: int
    greeting: str
    folder: str
    reminder: int | None


def seat(guests: int) -> Elicit[Seat]:
    if guests > 8:
        raise ToolError(f"there is no table for {guests}")
    return Elicit(f"Shall the {guests} of you sit outside?", Seat)


def occasion() -> Elicit[Occasion]:
    return Elicit("What is the occasion?", Occasion)


def greeting(guests: int) -> Sample:
    text = TextContent(text=f"Greet {guests} guests in five words.")
    return Sample([SamplingMessage(role="user", content=text)], max_tokens=20)


def folders() -> ListRoots:
    return ListRoots()


def deposit(guests: int, seat: Annotated[Seat, Resolve(seat)]) -> int:
    return guests * (5 if seat.outside else 10)


def approval(guests: int, deposit: Annotated[int, Resolve(deposit)]) -> Elicit[Approval]:
    return Elicit(f"A table for {guests} takes a deposit of {deposit} euros. Pay it?", Approval)


def reminder(approval: Annotated[Approval, Resolve(approval)]) -> Reminder | Elicit[Reminder]:
    if not approval.approve:
        raise ToolError("no deposit, no table")
    return Elicit("How many hours before shall we remind you?", Reminder)


def build_server() -> MCPServer[Any]:
    key, audience = os.environ.get("MCP_RESOLVE_KEYS"), os.environ.get("AUDIENCE")
    security = RequestStateSecurity(keys=[key], audience=audience) if key else None
    server = MCPServer("restaurant", request_state_security=security, log_level="ERROR")

    @server.tool()
    def book_table(
        guests: int,
        seat: Annotated[Seat, Resolve(seat)],
        occasion: Annotated[ElicitationResult[Occasion], Resolve(occasion)],
        greeting: Annotated[CreateMessageResult, Resolve(greeting)],
        folders: Annotated[ListRootsResult, Resolve(folders)],
        deposit: Annotated[int, Resolve(deposit)],
        reminder: Annotated[ElicitationResult[Reminder], Resolve(reminder)],
    ) -> Booking:
        """Book a table. The guests are asked for what it takes."""
        return Booking(
            guests=guests,
            outside=seat.outside,
            occasion=occasion.data.occasion if isinstance(occasion, AcceptedElicitation) else occasion.action,
            deposit=deposit,
            greeting=greeting.content.text if isinstance(greeting.content, TextContent) else "",
            folder=str(folders.roots[0].uri),
            reminder=reminder.data.hours if isinstance(reminder, AcceptedElicitation) else None,
        )

    @server.tool()
    async def deploy(env: str, ctx: Context[Any, Any]) -> str | InputRequiredResult:
        """Deploy to an environment, as the mrtr example of this repository does."""
        if ctx.request_state is None:
            schema = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}
            form = ElicitRequestFormParams(message=f"Deploy to {env}?", requested_schema=schema)
            return InputRequiredResult(
                input_requests={"confirm": ElicitRequest(params=form)}, request_state="awaiting-confirm"
            )
        if ctx.request_state != "awaiting-confirm":
            raise ToolError(f"no such state: {ctx.request_state}")
        answer = (ctx.input_responses or {}).get("confirm")
        yes = isinstance(answer, ElicitResult) and answer.action == "accept" and (answer.content or {}).get("confirm")
        return f"deployed to {env}" if yes else f"deployment to {env} cancelled"

    return server


async def serve_http(server: MCPServer[Any]) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"Listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="error", timeout_graceful_shutdown=1)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    if "--http" in sys.argv:
        anyio.run(serve_http, build_server())
    else:
        build_server().run()
