export { DELETE, GET, POST } from '../mcp/route';

export const runtime = 'edge';
