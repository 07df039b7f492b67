import { listVersions, setCurrentVersion } from '../../operations/worker-versions.ts';
import { readConfig } from '../config/config.ts';
import { defineCommand, operator, refuseMore, UsageError, unknownForm } from './command.ts';
import { table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  versions list [--json]             the versions of the workers, and how many workflows run on each
  versions set-current BUILD_ID      let new workflows begin on this version, and running ones move to it when they
                                     continue as new

For workers with WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID. --deployment NAME names the deployment if they are not set here.
The old workers of a version may go when it is not current and 0 workflows run on it.`,
  options: { json: { type: 'boolean' }, deployment: { type: 'string' } },
  async run({ values, words: [name, ...words] }, openContext) {
    const deployment = values.deployment ?? readConfig(process.env).workerVersion?.deploymentName;
    if (name !== 'list' && name !== 'set-current') throw unknownForm(name);
    if (deployment === undefined) {
      throw new UsageError(
        'Set WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID as for the workers, or give --deployment NAME.',
      );
    }
    if (!/^[A-Za-z0-9][\w-]*$/.test(deployment))
      throw new UsageError(`"${deployment}" cannot be the name of a deployment.`);
    const { sides: openSides } = await openContext();
    if (name === 'list') {
      refuseMore(words);
      const rows = await listVersions(await openSides(), deployment);
      return values.json ? JSON.stringify({ deployment, versions: rows }) : table(rows);
    }
    const [buildId, ...more] = words;
    if (buildId === undefined) throw new UsageError('Give the BUILD_ID of the version.');
    refuseMore(more);
    await setCurrentVersion(await openSides(), deployment, buildId, operator().id);
    return `${buildId} is now the current version of ${deployment}.`;
  },
});
