import type { AddressInfo } from 'node:net';
import type { Application } from 'express';
import { install } from 'mcp-resolve';
import { Skybridge } from 'skybridge/server';

import { payInvoice } from './payInvoice.js';
import { verify } from './users.js';

const skybridge = new Skybridge({
  name: 'payments',
  version: '1.0.0',
  handler: (server) => {
    install(server, [payInvoice]);
    return server.registerTool({ name: 'tell_time', description: 'Tell the time.' }, () => ({
      content: new Date().toISOString(),
    }));
  },
});

// The user: the SDK and mcp-resolve read the validated token from `req.auth`.
skybridge.use('/mcp', (req, res, next) => {
  req.auth = verify(req.headers.authorization);
  if (req.auth === undefined) res.status(401).send('Who are you?');
  else next();
});

// With VERCEL=1, `run` returns the app of express and leaves the port to us.
const app = (await skybridge.run()) as unknown as Application;
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
