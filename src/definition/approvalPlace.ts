/** Checks that a definition which asks for approvals can get them. */
import { isKind } from '../author/brand.js';
import type { ParkingDesk, ParkingPlace } from '../call/parking.js';
import { InvalidGraphError } from '../errors.js';
import type { Wording } from '../plan/buildPlan.js';
import type { Plan, PlanNode } from '../plan/plan.js';

/** The options of a tool that its place depends on. */
interface PlaceOptions {
  readonly approvals: ParkingDesk | undefined;
  readonly once: unknown;
}

/**
 * Returns the place where the calls of a tool wait.
 *
 * @throws {TypeError} If `approvals` is not a desk, or gives handles for results that nothing
 *   keeps.
 * @throws {@link InvalidGraphError} If a resolver asks for an approval without a desk, or in a
 *   guard.
 */
export function placeOf(
  name: string,
  plan: Plan,
  { approvals, once }: PlaceOptions,
): ParkingPlace | undefined {
  if (approvals !== undefined && !isKind(approvals, 'desk')) {
    throw new TypeError(
      `Tool '${name}': \`approvals\` must be a desk. Create one with approvalDesk({ store }) of 'mcp-resolve/approvals'.`,
    );
  }
  if (approvals?.['~place'].serveTasks !== undefined && once === undefined) {
    throw new TypeError(
      `Tool '${name}': its desk has \`tasks: true\`, so clients poll for the result of an approved call, and \`once\` keeps it. Add \`once: store\`.`,
    );
  }
  const asking = plan.nodes.find(asksForApproval);
  if (asking === undefined) return approvals?.['~place'];
  const { key } = asking;
  if (approvals === undefined)
    throw invalid(
      plan,
      asking,
      `Tool '${name}': resolver '${key}' asks for an approval, so the tool needs a desk. Add \`approvals: desk\`.`,
    );
  if (asking.index < plan.guardNodes)
    throw invalid(
      plan,
      asking,
      `Tool '${name}': resolver '${key}' asks for an approval, but a guard needs it, and guards run before the values that an approval is about. List the resolver under \`resolve\`.`,
    );
  return approvals['~place'];
}

/** @throws {@link InvalidGraphError} If a resolver of a prompt or resource asks for an approval. */
export function refuseApprovals(what: Wording['what'], plan: Plan): void {
  const asking = plan.nodes.find(asksForApproval);
  if (asking === undefined) return;
  throw invalid(
    plan,
    asking,
    `${what} '${plan.name}': resolver '${asking.key}' asks for an approval, but only the calls of a tool can wait. Use a tool.`,
  );
}

function asksForApproval({ resolver }: PlanNode): boolean {
  return resolver.options.asks === 'approval';
}

function invalid(plan: Plan, { key }: PlanNode, message: string): InvalidGraphError {
  return new InvalidGraphError('ERR_GRAPH_ASKS', message, [plan.name, key]);
}
