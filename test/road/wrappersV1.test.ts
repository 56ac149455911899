/** The access checks of hosts that wrap the handlers of a server of SDK 1.x after install. */
import { describeAccessChecks, laterMoments } from './accessChecks.js';
import { ways } from './ways.js';

describeAccessChecks(
  ways.filter(({ sdk }) => sdk === 1),
  laterMoments,
);
