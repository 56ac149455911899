/**
 * Holds a tool's structured content against its output schema, as `client.callTool` does: with the
 * same two rules and the same errors.
 */
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/client';
import { messageOf } from '../errors.js';

/** Throws when a result does not keep what its tool promised. */
export type OutputCheck = (result: CallToolResult) => Promise<void>;

/**
 * Creates the check for an output schema.
 *
 * @throws {ProtocolError} If the schema itself cannot be used.
 */
export function outputCheckOf(name: string, outputSchema: Tool['outputSchema']): OutputCheck {
  if (outputSchema === undefined) return () => Promise.resolve();
  const schema = compiled(name, outputSchema);
  return async ({ isError, structuredContent }) => {
    if (isError === true) return;
    if (structuredContent === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `Tool ${name} has an output schema but did not return structured content`,
      );
    }
    const { issues } = await schema['~standard'].validate(structuredContent);
    if (issues === undefined) return;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Structured content does not match the tool's output schema: ${issues[0]?.message ?? ''}`,
    );
  };
}

function compiled(name: string, outputSchema: object): ReturnType<typeof fromJsonSchema> {
  try {
    return fromJsonSchema(outputSchema as JsonSchemaType);
  } catch (error) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Tool '${name}' has an invalid outputSchema: ${messageOf(error).slice(0, 200)}`,
    );
  }
}
