/**
 * The entry `mcp-resolve/otel`: calls as OpenTelemetry spans. Needs the package
 * `@opentelemetry/api`. A line here is a promise.
 *
 * @module mcp-resolve/otel
 */
export { otelEvents } from './dev/trace/otelEvents.js';
export type { OtelOptions } from './dev/trace/otelEvents.js';
