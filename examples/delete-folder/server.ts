/** Deletes folders. It asks first if a folder has files, and the body reads the outcome. */
import { McpServer } from '@modelcontextprotocol/server';
import {
  argsOf,
  defineTool,
  elicit,
  install,
  memoryStore,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

// A real server deletes folders on disk. This one keeps them, so that the client can run again.
const folders = new Map([
  ['/docs', ['plan.md', 'notes.md']],
  ['/empty', []],
]);

const FolderInput = z.object({ path: z.string() });
const Confirm = z.object({ ok: z.boolean().describe('Delete the folder and its files') });
const args = argsOf(FolderInput);

const confirmDeletion = resolver(
  { path: args.path },
  ({ path }) => {
    const files = folders.get(path);
    if (files === undefined) throw new ToolError(`there is no folder ${path}`);
    if (files.length === 0) return { ok: true };
    return elicit(`${path} has ${files.length} file(s). Delete it?`, Confirm);
  },
  { asks: Confirm },
);

const deleteFolder = defineTool(
  'delete_folder',
  {
    description: 'Delete a folder. The user is asked first if it is not empty.',
    inputSchema: FolderInput,
    annotations: { destructiveHint: true },
    resolve: { confirmation: outcome(confirmDeletion) },
    // A retry of the approved request does not delete a new folder with the same name.
    once: memoryStore(),
  },
  ({ path, confirmation }) => {
    switch (confirmation.action) {
      case 'decline':
        return 'declined: folder not deleted';
      case 'cancel':
        return 'cancelled: folder not deleted';
      case 'accept':
        return confirmation.data.ok ? `deleted ${path}` : 'kept the folder';
    }
  },
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'delete-folder', version: '1.0.0' });
  install(server, [deleteFolder]);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
