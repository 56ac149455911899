/**
 * The entry `mcp-resolve/otel`. It reports calls as OpenTelemetry spans and needs the package
 * `@opentelemetry/api`. Every export listed here is public API.
 *
 * @module mcp-resolve/otel
 */
export { otelEvents } from './dev/trace/otelEvents.js';
export type { OtelOptions } from './dev/trace/otelEvents.js';
