/** A tool whose resolver asks `confirm`, for the tests that install a definition. */
import { confirm, defineTool, resolver } from 'mcp-resolve';

export const went = defineTool(
  'went',
  { resolve: { sure: resolver({}, () => confirm('Go?'), { asks: 'form', name: 'confirm' }) } },
  ({ sure }) => `went:${String(sure)}`,
);
