"""Runs a script from standard input with the Python SDK's client, and prints what it saw.

The script names the server, the mode to connect in, and calls with the answers to the questions
that each may lead to. Answers go by topic: the first field of a form, or link, model, roots.
"""

import asyncio
import json
import sys
from typing import Any

import mcp.types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client import ClientRequestContext

Json = dict[str, Any]


class Person:
    """The user, the model and the folders of the client. Records the questions."""

    def __init__(self) -> None:
        self.answers: Json = {}
        self.diary: list[Json] = []

    async def elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return self.answer(types.ElicitRequest(params=params))

    async def sample(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        return self.answer(types.CreateMessageRequest(params=params))

    async def roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        return self.answer(types.ListRootsRequest())

    def answer(self, request: types.InputRequest) -> Any:
        question = plain(request)
        self.diary.append(question)
        return RESULTS[question["method"]].model_validate(self.answers[topic_of(question)])


RESULTS = {
    "elicitation/create": types.ElicitResult,
    "sampling/createMessage": types.CreateMessageResult,
    "roots/list": types.ListRootsResult,
}


def plain(model: Any) -> Json:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def topic_of(question: Json) -> str:
    if question["method"] != "elicitation/create":
        return {"sampling/createMessage": "model", "roots/list": "roots"}[question["method"]]
    schema = question["params"].get("requestedSchema")
    return "link" if schema is None else next(iter(schema["properties"]))


async def make(client: Client, call: Json) -> Any:
    """Lets the client retry on its own."""
    match call["method"]:
        case "tools/call":
            return await client.call_tool(call["name"], call["arguments"])
        case "prompts/get":
            return await client.get_prompt(call["name"], call["arguments"])
        case _:
            return await client.read_resource(call["name"])


async def make_by_hand(client: Client, call: Json, person: Person) -> tuple[list[Any], Any]:
    """Calls round by round and returns the keys of each. A script may change the state."""
    rounds: list[Any] = []
    returned: Json = {}
    while True:
        result = await client.session.call_tool(
            call["name"], call["arguments"], **returned, allow_input_required=True
        )
        if not isinstance(result, types.InputRequiredResult):
            return rounds, result
        rounds.append(list(result.input_requests or {}))
        responses = {key: person.answer(request) for key, request in (result.input_requests or {}).items()}
        state = (result.request_state or "") + call.get("tamper", "")
        returned = {"input_responses": responses, "request_state": state}


async def tell(client: Client, call: Json, person: Person) -> Json:
    person.answers = call["answers"]
    person.diary = []
    rounds: list[Any] = []
    try:
        if call.get("byHand"):
            rounds, result = await make_by_hand(client, call, person)
        else:
            result = await make(client, call)
        end = {"result": plain(result)}
    except MCPError as error:
        end = {"error": {"code": error.code, "message": error.message, "data": error.data}}
    return {"asked": person.diary, "rounds": rounds, **end}


async def main(script: Json) -> Json:
    server = script["server"]
    person = Person()
    behind = {
        "elicitation_callback": person.elicit,
        "sampling_callback": person.sample,
        "list_roots_callback": person.roots,
    }
    async with Client(
        server if isinstance(server, str) else StdioServerParameters(**server),
        mode=script["mode"],
        **({} if script.get("silent") else behind),
    ) as client:
        tools = [plain(tool) for tool in (await client.list_tools()).tools]
        calls = [await tell(client, call, person) for call in script["calls"]]
        return {"protocolVersion": client.protocol_version, "tools": tools, "calls": calls}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
