import { createMcpHandler, withMcpAuth } from 'mcp-handler';
import { install } from 'mcp-resolve';

import { payInvoice } from '../../payInvoice';
import { verify } from '../../users';

const handler = createMcpHandler(
  (server) => {
    install(server, [payInvoice]);
  },
  { serverInfo: { name: 'payments', version: '1.0.0' } },
);

// The user: mcp-handler passes on the token that this function has validated.
const authenticated = withMcpAuth(
  handler,
  (request) => verify(request.headers.get('authorization')),
  { required: true },
);

export { authenticated as DELETE, authenticated as GET, authenticated as POST };
