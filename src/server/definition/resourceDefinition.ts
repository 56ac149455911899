/** A defined resource: what authors hold, and what the library keeps in it. */
import type {
  CacheHint,
  ReadResourceResult,
  ResourceMetadata as ListedMetadata,
  ResourceTemplate,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { KIND } from '../../define/brand.js';
import type { CallContext } from '../../define/context.js';
import type { Raw } from '../../define/infer.js';
import type { Schema } from '../../define/schema.js';
import type { Definition, Installable, Metadata } from './definition.js';

/** The fields of a resource that go to the SDK as they are. */
export interface ResourceMetadata
  extends Metadata, Readonly<Pick<ListedMetadata, 'mimeType' | 'size' | 'annotations'>> {
  /** How long clients of 2026-07-28 may keep what they read. */
  readonly cacheHint?: CacheHint;
}

/** The context in which a resource is read. */
export interface ReadContext extends CallContext {
  /** What is read. */
  readonly uri: URL;
  /** The variables of the template as they stand in the URI, before any schema. */
  readonly variables: Raw;
}

/** Where a resource is: at one uri, or wherever a template matches. */
export type Location = string | ResourceTemplate;

/** A resource, as the library runs it. */
export interface ResourceDefinition extends Omit<Definition<ReadResourceResult>, 'finish'> {
  readonly metadata: ResourceMetadata;
  readonly location: Location;
  /** The schema of the variables, in its lasting form. */
  readonly variables: Schema | undefined;
  /** The same resource, about to be read at one uri. */
  readonly at: (uri: URL) => Definition<ReadResourceResult>;
}

/** A defined resource, ready to be installed. */
export interface Resource extends Installable {
  /**
   * Reads the resource directly. Without a context there is nobody to ask; with the one that a
   * resolver or a body of this library was given, questions go to its client, where its protocol
   * allows it.
   */
  readonly read: (uri: string | URL, ctx?: ServerContext) => Promise<ReadResourceResult>;
  readonly [KIND]: 'resource';
  readonly '~definition': ResourceDefinition;
}
