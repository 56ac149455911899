/**
 * The contents that the fixtures send: a picture, a sound, embedded resources, a question to a
 * model.
 */
import type {
  CallToolResult,
  ContentBlock,
  CreateMessageRequestParams,
} from '@modelcontextprotocol/server';
import type { ModelAnswer } from 'mcp-resolve';

/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** No sound at all, 8,000 times a second. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export const text = (words: string): ContentBlock => ({ type: 'text', text: words });
export const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
export const audio: ContentBlock = { type: 'audio', data: WAV, mimeType: 'audio/wav' };

export function embedded(uri: string, mimeType: string, words: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: words } };
}

export const result = (...content: ContentBlock[]): CallToolResult => ({ content });

/** One question to the client's model. */
export function question(words: string, maxTokens: number): CreateMessageRequestParams {
  return { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens };
}

/** What the model said. */
export function textOf({ content }: ModelAnswer): string {
  return content.type === 'text' ? content.text : `(${content.type})`;
}
