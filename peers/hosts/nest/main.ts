import 'reflect-metadata';

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { McpController, McpStrategy, StreamableHttpTransport, Tool } from '@rekog/mcp-nest';
import type { Request, RequestHandler } from 'express';
import { install } from 'mcp-resolve';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

@McpController()
class Clock {
  @Tool({ name: 'tell_time', description: 'Tell the time.' })
  tellTime() {
    return { content: [{ type: 'text', text: new Date().toISOString() }] };
  }
}

@Module({ controllers: [Clock] })
class AppModule {}

const users = new AsyncLocalStorage<string>();

const mcp = new McpStrategy({
  name: 'payments',
  version: '1.0.0',
  transports: [
    new StreamableHttpTransport({
      statefulMode: true, // so that 2025-11-25 clients can be asked
      sessionIdGenerator: () => `${users.getStore()}:${randomUUID()}`,
    }),
  ],
  serverMutator: (server) => {
    install(server, [payInvoice]);
    return server;
  },
});

/** The user. mcp-nest has `req.user`, but the SDK and mcp-resolve read the user from `req.auth`. */
const signIn: RequestHandler = (req: Request & { auth?: unknown }, res, next) => {
  const auth = verify(req.headers.authorization);
  if (auth === undefined) {
    res.status(401).send('Who are you?');
    return;
  }
  req.auth = auth;
  // mcp-nest does not know whose session it is, so the id of a session begins with its user. The
  // encoded name has no colon, so no name is the beginning of another one.
  const user = encodeURIComponent(auth.extra.sub);
  const session = req.get('mcp-session-id');
  if (session !== undefined && !session.startsWith(`${user}:`)) res.sendStatus(404);
  else users.run(user, next);
};

async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  app.use(signIn);
  mcp.setHttpAdapter(app.getHttpAdapter());
  app.connectMicroservice({ strategy: mcp });
  await app.startAllMicroservices();
  await app.listen(Number(process.env.PORT), '127.0.0.1');
  console.log(await app.getUrl());
}

void start();
