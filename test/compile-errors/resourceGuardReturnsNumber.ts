// A guard must return a boolean: return true to let the call go on, or throw a ToolError. A guard that asks uses confirm().
import { defineResource, resolver } from 'mcp-resolve';

const credit = resolver({}, () => 0);

export const trip = defineResource(
  'trip',
  'trips://next',
  {
    // Mistake:
    guards: [credit],
  },
  () => 'Lyon',
);
