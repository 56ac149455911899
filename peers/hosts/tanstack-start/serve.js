/** Starts the built app. */
import { serve } from 'srvx';

import app from './dist/server/server.js';

const port = Number(process.env.PORT);
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
