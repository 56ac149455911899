import type { Middleware } from 'xmcp';

import { verify } from '../users';

// The user: xmcp passes on the validated token that it finds here.
const authenticate: Middleware = (req, res, next) => {
  const auth = verify(req.headers.authorization);
  if (!auth) return void res.status(401).end();
  Object.assign(req, { auth });
  next();
};

export default authenticate;
