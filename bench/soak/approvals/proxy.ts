/** A proxy on loopback that passes each request to the next process, without sticky sessions. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running proxy. */
export interface Proxy {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Starts a proxy. It cuts the connection if its process refuses the request or dies. */
export async function startProxy(ports: readonly number[]): Promise<Proxy> {
  let turn = 0;
  const server = createServer((from, to) => {
    turn += 1;
    const { method, url: path, headers } = from;
    const port = ports[turn % ports.length];
    const upstream = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => to.destroy());
      answer.pipe(to);
    });
    upstream.on('error', () => to.destroy());
    from.pipe(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port, stop };
}
