/** The two eras of the protocol, for `describe.each(eras)`, and the version that each negotiates. */
import type { Era } from 'mcp-resolve/testing';

export const eras = ['modern', 'legacy'] as const satisfies readonly Era[];

export const VERSION = { modern: '2026-07-28', legacy: '2025-11-25' } as const satisfies Record<
  Era,
  string
>;
