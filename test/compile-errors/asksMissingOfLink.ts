// This function can ask. Add { asks: 'url' }.
import { elicitUrl, resolver } from 'mcp-resolve';

const isSignedIn = (): Promise<boolean> => Promise.resolve(false);

export const signedIn = resolver(
  {},
  // Mistake:
  async () => (await isSignedIn()) || elicitUrl('Sign in.', 'https://shop.example/sign-in'),
);
