import serverlessExpress from '@codegenie/serverless-express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express from 'express';

import { buildServer } from './handler.js';
import { verify } from './users.js';

const mcp = toNodeHandler(createMcpHandler(buildServer));

/** The user: the SDK and mcp-resolve read the validated token from `req.auth`. */
function signIn(req, res, next) {
  req.auth = verify(req.headers.authorization);
  if (req.auth === undefined) res.sendStatus(401);
  else next();
}

const app = express().all('/express', signIn, express.json(), (req, res) =>
  mcp(req, res, req.body),
);

export const handler = serverlessExpress({ app });
