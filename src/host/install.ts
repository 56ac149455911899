/**
 * Attaches definitions to a server, next to its own handlers. All analysis happens when the
 * definitions are made, because HTTP builds a server for every request.
 */
import type { Sentences } from '../author/sentences.js';
import { protect, sealHandler, sealOf } from './boundary.js';
import type { Protection } from './boundary.js';
import { defaultPolicy, sealFor } from './requestStateSeal.js';
import { addLimit } from '../call/clientFacts.js';
import { createRejectionListener } from '../call/callWatch.js';
import { noteInstalled } from '../definition/definitionCounts.js';
import { registerPrompt, registerResource, registerTool } from './attachMcpServer.js';
import type { Installation, McpInstallation } from './attachMcpServer.js';
import { attachTool } from './lowLevelTools.js';
import { wantedOf } from './definitionIndex.js';
import type { AnyDefinition, Definition } from '../definition/definitions.js';
import { assertStoresFit, noteStores } from './onceStores.js';
import { checkOptions, INSTALL } from './installOptions.js';
import type { InstallOptions } from './installOptions.js';
import { hasChallenge, requireScopeChecks } from './scopeChallenges.js';
import { lowLevelServer, registrarOf } from './sdkInternals.js';
import { methodsOf, openRoute, ensureSharing } from './definitionRoutes.js';
import type { AnyServer } from './sdkInternals.js';
import { addPromptOrResource, backingObjects } from './lowLevelPrompts.js';
import { allOrNothing } from './allOrNothing.js';
import { logThrown, STANDARD_ERROR } from '../log.js';
import type { Logger } from '../log.js';

/**
 * Installs definitions on an `McpServer` or a low-level `Server`.
 *
 * @example
 *
 * ```ts
 * serveStdio(() => {
 *   const server = new McpServer({ name: 'payments', version: '1.0.0' });
 *   install(server, [payInvoice]);
 *   return server;
 * });
 * ```
 *
 * If it throws, it has installed none of them, and the error is in the log: the hosts that build a
 * server for each request answer with HTTP 500 and keep the error to themselves.
 *
 * @throws {TypeError} If `server` is not a server, `definitions` is not an array of definitions, or
 *   an option is invalid.
 * @throws {Error} If the server has a definition of the same name.
 */
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- their constraints have the sentences */
export function install<
  S extends AnyServer | Sentences['server'],
  D extends readonly AnyDefinition[] | Sentences['definitions'],
>(server: S, definitions: D, options?: InstallOptions): void;
export function install(
  server: AnyServer,
  definitions: readonly AnyDefinition[],
  options?: InstallOptions,
): void {
  try {
    installAll(server, definitions, options);
  } catch (error) {
    throw logFailure(options, error);
  }
}

/** Logs the error of an installation, and returns it. The options may be wrong. */
export function logFailure(
  options: { readonly logger?: Logger } | null | undefined,
  error: unknown,
): Error {
  const logger = options?.logger;
  const isUsable = typeof logger?.warn === 'function';
  return logThrown('install() failed', error, isUsable ? logger : STANDARD_ERROR);
}

function installAll(
  server: AnyServer,
  definitions: readonly AnyDefinition[],
  options: InstallOptions | undefined,
): void {
  const checked = checkOptions(options, INSTALL);
  const target = lowLevelServer(server, 'install()');
  const { wanted, storing } = wantedOf(definitions, options?.request);
  const policy = checked.seal?.['~policy'] ?? sealOf(target)?.policy ?? defaultPolicy();
  assertStoresFit(target, policy, storing);
  const mcp = registrarOf(server);
  const backing = mcp === undefined ? backingObjects(target) : [];
  allOrNothing([server, target, ...backing], () => {
    const sharing = ensureSharing(target, { logger: checked.logger, fallsBack: mcp === undefined });
    if (wanted.some(hasChallenge)) requireScopeChecks(server, wanted, mcp !== undefined);
    const installation = { server: target, options: checked };
    for (const one of wanted) {
      if (mcp === undefined) attach(installation, one);
      else register({ ...installation, mcp }, one);
    }
    const { usableCapabilities, logger } = checked;
    if (usableCapabilities !== undefined) addLimit(target, { usableCapabilities, logger });
    for (const serve of new Set(wanted.flatMap(({ approvals }) => approvals?.serveTasks ?? [])))
      serve({ server: target, scopesAt: wanted.some(hasChallenge) ? server : undefined, logger });
    // A seal keeps its listeners, so the steps before this one are those that fail.
    const routes = protect(target, protection(installation, mcp !== undefined));
    sharing.definitions.add(wanted);
    // On an McpServer, its own handlers answer for definitions.
    for (const method of methodsOf(wanted)) {
      const ours = routes.takeOther(method);
      if (ours !== undefined)
        openRoute(routes, [method, sealHandler(target, method, ours)], sharing);
    }
  });
  if (storing.length > 0) noteStores(target, storing);
  for (const definition of wanted) noteInstalled(definition, checked.logger);
}

function register(installation: McpInstallation, definition: Definition): void {
  if (definition.kind === 'tool') registerTool(installation, definition);
  else if (definition.kind === 'prompt') registerPrompt(installation, definition);
  else registerResource(installation, definition);
}

function attach(installation: Installation, definition: Definition): void {
  if (definition.kind === 'tool') attachTool(installation, definition);
  else addPromptOrResource(installation, definition);
}

/** A low-level Server keeps its own handlers unsealed, unless the author chose a seal. */
function protection(
  { server, options: { seal, onEvent, logger } }: Installation,
  isMcpServer: boolean,
): Protection {
  const policy = seal === undefined ? defaultPolicy() : seal['~policy'];
  return {
    seal: sealFor(policy, server, { logger }),
    explicit: seal !== undefined,
    coversAll: isMcpServer || seal !== undefined,
    ...(onEvent && { listener: [onEvent, createRejectionListener({ onEvent, logger, server })] }),
  };
}
