import type { HandlerContext } from 'mcp-resolve';
import type { ToolExtraArguments } from 'xmcp';

/** Passes on the parts of xmcp's context that a handler needs. */
export function contextOf(extra: ToolExtraArguments): HandlerContext {
  const { requestId: id, signal, requestState, inputResponses, requestInfo, authInfo } = extra;
  const mcpReq = { id, signal, requestState, inputResponses };
  return { mcpReq, http: requestInfo && { authInfo } };
}
