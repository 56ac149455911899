import type { XmcpConfig } from 'xmcp';

export default {
  // xmcp reads this file when it builds. For 0, the system chooses the port.
  http: { port: Number(process.env.PORT ?? 0) },
  stdio: true,
  paths: { tools: 'src/tools', prompts: false, resources: false },
} satisfies XmcpConfig;
