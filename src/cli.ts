#!/usr/bin/env node
/** The command `mcp-resolve`. It explains and checks the definitions of a module. */
export { ended } from './dev/cli/main.js';
