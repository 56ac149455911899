/** The access checks of hosts that wrap the handlers of a server of SDK 2.x. */
import { beforeInstall, describeAccessChecks, laterMoments } from './accessChecks.js';
import { ways } from './ways.js';

const sdk2 = ways.filter(({ sdk }) => sdk === 2);

describeAccessChecks(sdk2, laterMoments);
describeAccessChecks(
  sdk2.filter(({ layer }) => layer === 'McpServer'),
  [beforeInstall],
);
