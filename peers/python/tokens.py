"""Opens and seals tokens and digests arguments with the Python SDK, and prints the results as JSON."""

import json
import sys

from mcp.server import request_state
from mcp.server.auth.provider import AccessToken, principal_components
from mcp.server.mcpserver import AESGCMRequestStateCodec

given = json.load(sys.stdin)
codec = AESGCMRequestStateCodec([given["key"]])



def principal_of(sub: str) -> str:
    """Returns the default principal of an authenticated user."""
    token = AccessToken(token="t", client_id="app", scopes=[], subject=sub, claims={"iss": "https://id.example"})
    return request_state.compact_json(principal_components(token))


# The digest and the principal have no public name; the version of the SDK is pinned.
told = {
    "plaintext": codec.unseal(given["token"]).decode(),
    "token": codec.seal(given["plaintext"].encode()),
    "digests": [
        request_state._request_identity("tools/call", {"arguments": json.loads(text)})[1]
        for text in given["arguments"]
    ],
    "bound": request_state._principal_matches(given["claim"], given["principal"]),
    "principals": [principal_of(sub) for sub in given["subjects"]],
}
print(json.dumps(told))
