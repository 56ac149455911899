// This function asks another question than `asks` declares. Write { asks: 'url' }.
import { elicitUrl, resolver } from 'mcp-resolve';

export const opened = resolver(
  {},
  // Mistake:
  () => elicitUrl('Sign in.', 'https://shop.example/sign-in'),
  { asks: 'form' },
);
