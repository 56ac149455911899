/** Prints what the core loads after the SDK. This is a file, because --eval loads more. */
'use strict';

const hasCryptography = () => process.moduleLoadList.includes('NativeModule crypto');

require('@modelcontextprotocol/server');
const bySdk = hasCryptography();
require('mcp-resolve');
const files = Object.keys(require.cache).filter((file) => file.includes('/dist/'));
const ours = files.filter((file) => !file.includes('/node_modules/'));
const byCore = hasCryptography();
require('node:crypto');
const canTell = hasCryptography();
console.log(JSON.stringify({ files: ours.length, bySdk, byCore, canTell }));
