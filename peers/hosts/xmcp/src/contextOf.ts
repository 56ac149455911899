import type { HandlerContext } from 'mcp-resolve';
import type { ToolExtraArguments } from 'xmcp';

/** Passes on the parts of xmcp's context that a handler needs. */
export function contextOf(extra: ToolExtraArguments): HandlerContext {
  const { signal, requestState, inputResponses, requestInfo, authInfo } = extra;
  return { mcpReq: { signal, requestState, inputResponses }, http: requestInfo && { authInfo } };
}
