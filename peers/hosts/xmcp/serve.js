/** Starts the built app, and prints its port. For port 0, xmcp prints 0. */
import http from 'node:http';

const { createServer } = http;
http.createServer = (...args) =>
  createServer(...args).once('listening', function () {
    console.log(`http://127.0.0.1:${this.address().port}`);
  });

await import('./dist/http.js');
