/** Describes the definitions of a module for the page: graph, listing, arguments and export. */
import type { Client } from '@modelcontextprotocol/client';
import { kindOf } from '../../../author/brand.js';
import { isDefinition } from '../../../definition/definitions.js';
import type { AnyDefinition } from '../../../definition/definitions.js';
import { isObject, isPlainObject } from '../../../values.js';
import { explain } from '../../graph/explain.js';
import type { Explanation } from '../../graph/explanation.js';
import { connect } from '../../testing/connection.js';
import { subjectOf } from '../../testing/subject.js';
import { createTestServers } from '../../testing/testServer.js';
import type { Exported, Outline } from '../protocol.js';

type Exports = Readonly<Record<string, unknown>>;

/** Returns the id of a definition: its kind and its name. */
export function idOf(definition: AnyDefinition): string {
  return `${kindOf(definition) ?? ''} ${definition.name}`;
}

/** Describes a definition. */
export async function outlineOf(definition: AnyDefinition, exports: Exports): Promise<Outline> {
  const explanation = explain(definition);
  const listed = await findListed(definition);
  const exported = findExport(definition, exports);
  return {
    id: idOf(definition),
    explanation,
    // The style sheet of the page has the styles, because the page allows no others.
    svg: explain(definition, { format: 'svg' }).replace(/<style>.*?<\/style>/s, ''),
    ...(listed !== undefined && { listed }),
    schema: schemaOf(explanation, listed),
    ...(exported !== undefined && { exported }),
  };
}

/** Returns the JSON Schema of the form: all arguments, also those of the members of a union. */
function schemaOf({ kind, arguments: given }: Explanation, listed: unknown): Outline['schema'] {
  const schema = isObject(listed) && isObject(listed.inputSchema) ? listed.inputSchema : {};
  const known = isObject(schema.properties) ? schema.properties : {};
  const type = kind === 'tool' ? {} : { type: 'string' };
  const properties = given.map(({ name, description }) => {
    return [name, Object.hasOwn(known, name) ? known[name] : { ...type, description }];
  });
  return {
    ...schema,
    properties: Object.fromEntries(properties) as unknown,
    required: given.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Asks a server for the entry of a definition, as a client that can answer every question. */
async function findListed(definition: AnyDefinition): Promise<unknown> {
  const kind = kindOf(definition);
  // The address is not called.
  const args = kind === 'resource' ? 'none:' : undefined;
  const subject = subjectOf({ definition, args, overrides: [], caller: 'dev' });
  const { factory } = createTestServers(subject, {});
  const answer = (): Promise<never> => Promise.reject(new Error('A listing asks nothing.'));
  const { client, close } = await connect({ era: 'modern', factory, caller: {}, answer });
  try {
    const entries = await list(client, definition);
    return entries.find((entry) => entry.name === definition.name);
  } finally {
    await close();
  }
}

async function list(
  client: Client,
  definition: AnyDefinition,
): Promise<readonly { readonly name: string }[]> {
  const read = definition['~definition'];
  if (read.kind === 'tool') return (await client.listTools()).tools;
  if (read.kind === 'prompt') return (await client.listPrompts()).prompts;
  if (typeof read.location === 'string') return (await client.listResources()).resources;
  return (await client.listResourceTemplates()).resourceTemplates;
}

/** Finds the export that is a definition, or that contains it one level deeper. */
function findExport(definition: AnyDefinition, exports: Exports): Exported | undefined {
  const entries = entriesOf(exports);
  const direct = entries.find(([, value]) => value === definition);
  if (direct !== undefined) return { name: direct[0], path: '' };
  for (const [name, value] of entries) {
    if (Array.isArray(value) && value.includes(definition)) {
      return { name, path: `[${value.indexOf(definition)}]` };
    }
    if (!isPlainObject(value) || isDefinition(value)) continue;
    const inside = entriesOf(value).find(([, member]) => member === definition);
    if (inside !== undefined) return { name, path: memberPath(inside[0]) };
  }
  return undefined;
}

function memberPath(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Returns the properties of an object. Skips those whose getters throw. */
function entriesOf(object: Exports): [string, unknown][] {
  return Object.keys(object).flatMap((name): [string, unknown][] => {
    try {
      return [[name, object[name]]];
    } catch {
      return [];
    }
  });
}
