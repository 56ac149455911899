/**
 * The location of a resource: one uri, or a template with variables. Checks it, matches requests
 * against it, and reads its variable names.
 */
import type { ResourceTemplate } from '@modelcontextprotocol/server';
import { followReference, propertyNames, sentNames, toJsonSchema } from '../author/schema.js';
import type { Schema } from '../author/schema.js';
import type { PlanContext } from '../plan/buildPlan.js';
import { parseUrl } from '../platform.js';
import type { Address } from '../call/callable.js';
import type { Location } from './definitions.js';

/**
 * Checks the location of a resource and returns it. A fixed uri is normalized in the same way as
 * the uri of a request.
 *
 * @throws {TypeError} If the value is neither an absolute uri nor a template.
 */
export function readLocation(name: string, given: unknown): Location {
  if (isTemplate(given)) {
    assertMatches(name, given);
    return given;
  }
  if (typeof given !== 'string') {
    throw invalid(name, '`uriOrTemplate` must be a string or a ResourceTemplate.');
  }
  if (/\{[^}\s]+\}/.test(given)) {
    throw invalid(
      name,
      `'${given}' is a template. Write new ResourceTemplate('${given}', { list: undefined }).`,
    );
  }
  const uri = parseUrl(given);
  if (uri === undefined) {
    const hint =
      parseUrl(name) && ' The name comes first. Write defineResource(name, uri, config, body).';
    throw invalid(name, `the uri must be absolute, got '${given}'.${hint ?? ''}`);
  }
  return uri.href;
}

export function addressAt(location: Location): Address {
  const method = 'resources/read';
  if (typeof location === 'string') {
    return { method, target: location, matches: (target) => parseUrl(target)?.href === location };
  }
  const matches = (target: string): boolean => {
    const uri = parseUrl(target);
    return uri !== undefined && isAt(location, uri.href);
  };
  return { method, target: undefined, matches };
}

/**
 * Returns the names that the resolvers of a resource can depend on: the variables of its schema or,
 * without a schema, of its template.
 *
 * @throws {TypeError} If the schema requires a variable that the uri does not have.
 */
export function planContextAt(
  name: string,
  location: Location,
  variables: Schema | undefined,
): PlanContext {
  const wording = { what: 'Resource', source: 'variables' } as const;
  const inUri = new Set(namesIn(location));
  if (variables === undefined) return { argumentNames: inUri, wording };
  const absent = requiredVariables(variables).find((required) => !inUri.has(required));
  if (absent !== undefined) {
    throw invalid(
      name,
      `\`variables\` requires '${absent}', which the uri does not contain. Add it to the template, or make it optional.`,
    );
  }
  const sent = new Set([...inUri, ...sentNames(variables)]);
  return { argumentNames: propertyNames(variables), sentNames: sent, wording };
}

function namesIn(location: Location): string[] {
  if (typeof location === 'string') return [];
  return location.uriTemplate.variableNames.map((name) => name.replace('*', ''));
}

function requiredVariables(schema: Schema): string[] {
  const { required } = followReference(toJsonSchema(schema, 'input'));
  return Array.isArray(required) ? required.map(String) : [];
}

/**
 * Returns true if a template matches a uri. The SDK throws for a uri of more than a million
 * letters. It counts as a match, so that no other handler answers in place of the definition.
 */
function isAt({ uriTemplate }: ResourceTemplate, uri: string): boolean {
  try {
    return uriTemplate.match(uri) !== null;
  } catch {
    return true;
  }
}

/**
 * Checks that a template can match. Uris are normalized before they are matched, so a template with
 * capitals in its host never does.
 *
 * @throws {TypeError} If it cannot.
 */
function assertMatches(name: string, template: ResourceTemplate): void {
  const { uriTemplate } = template;
  const values = uriTemplate.variableNames.map((variable) => [variable.replace('*', ''), 'x']);
  const example = parseUrl(
    uriTemplate.expand(Object.fromEntries(values) as Record<string, string>),
  );
  if (example === undefined || isAt(template, example.href)) return;
  throw invalid(
    name,
    `the template '${uriTemplate.toString()}' never matches, because uris are normalized. Write it so that it matches '${example.href}'.`,
  );
}

/** Checks the shape, because the ESM and the CJS copy of the SDK have different classes. */
function isTemplate(value: unknown): value is ResourceTemplate {
  if (typeof value !== 'object' || value === null) return false;
  const { uriTemplate } = value as Partial<ResourceTemplate>;
  return typeof uriTemplate?.match === 'function';
}

function invalid(name: string, problem: string): TypeError {
  return new TypeError(`Resource '${name}': ${problem}`);
}
