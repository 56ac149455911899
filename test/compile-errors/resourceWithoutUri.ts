// Expected 4 arguments, but got 3.
import { defineResource } from 'mcp-resolve';

// Mistake:
export const trip = defineResource('trip', { mimeType: 'text/plain' }, () => 'a trip');
