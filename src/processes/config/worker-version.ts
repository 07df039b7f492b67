/** The version of the workers: what Temporal's Worker Versioning calls a Worker Deployment Version. */
export interface WorkerVersion {
  /** The same for all versions of the service's workers. */
  readonly deploymentName: string;
  /** Another one for each build of the code. */
  readonly buildId: string;
}

/** What Temporal accepts and a shell needs no quotes for; 100 characters at most. */
const patterns = {
  WORKER_DEPLOYMENT_NAME: { pattern: /^[A-Za-z0-9][\w-]{0,99}$/, wanted: 'letters, digits, hyphens and underscores' },
  WORKER_BUILD_ID: { pattern: /^[A-Za-z0-9][\w.-]{0,99}$/, wanted: 'letters, digits, dots, hyphens and underscores' },
};

/** WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID; null where neither is set. Errors are added to `faults`. */
export function readWorkerVersion(env: NodeJS.ProcessEnv, faults: string[]): WorkerVersion | null {
  const read = (name: keyof typeof patterns): string => {
    const value = env[name]?.trim() ?? '';
    const { pattern, wanted } = patterns[name];
    if (value !== '' && !pattern.test(value)) faults.push(`${name} must be ${wanted}, not "${value}"`);
    return value;
  };
  const [deploymentName, buildId] = [read('WORKER_DEPLOYMENT_NAME'), read('WORKER_BUILD_ID')];
  if (deploymentName === '' && buildId === '') return null;
  const missing = deploymentName === '' ? 'WORKER_DEPLOYMENT_NAME' : buildId === '' ? 'WORKER_BUILD_ID' : null;
  if (missing !== null)
    faults.push(`${missing} is missing: WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID need each other`);
  return { deploymentName, buildId };
}
