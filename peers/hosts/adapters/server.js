/** One process with hosts that need a line or two. Each serves a path of its own. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import azureFunctions from '@azure/functions';
import { McpServer } from '@modelcontextprotocol/server';
import express from 'express';
import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import Koa from 'koa';
import { install } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [payInvoice]);
  return server;
}

const handler = createDualEraHandler(buildServer, {
  authenticate: (request) => verify(request.headers.get('authorization')),
});

const h3 = new H3().all('/h3', (event) => handler.fetch(event.req));

const koa = new Koa().use((ctx) => {
  ctx.respond = false;
  handler.node(ctx.req, ctx.res);
});

const express4 = express().use(express.json()).all('/express4', handler.node);

azureFunctions.app.setup({ enableHttpStream: true });
const azureFunction = {
  methods: ['GET', 'POST', 'DELETE'],
  authLevel: 'anonymous',
  handler: (request) => handler.fetch(request),
};
azureFunctions.app.http('mcp', azureFunction);

/** Stands for the runtime of Azure, which calls the function with its own request. */
async function azure(incoming, outgoing) {
  const { HttpRequest, HttpResponse } = azureFunctions;
  const { method, url, headers } = incoming;
  const bytes = await buffer(incoming);
  const parts = { method, url: `http://${headers.host}${url}`, headers, body: { bytes } };
  const returned = await azureFunction.handler(new HttpRequest(parts));
  const { status, headers: answered, body } = new HttpResponse(returned);
  outgoing.writeHead(status, Object.fromEntries(answered)).flushHeaders();
  if (body === null) outgoing.end();
  else Readable.fromWeb(body).pipe(outgoing);
}

const hosts = {
  '/h3': toNodeHandler(h3),
  '/koa': koa.callback(),
  '/express4': express4,
  '/azure': azure,
};

const server = createServer((request, response) => hosts[request.url](request, response));
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
