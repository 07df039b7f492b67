import { type ServiceProcess, spawnProcess } from './process.ts';

/** Starts an API process; resolves when it is ready. Temporal is away unless the environment names one. */
export function startApiProcess(env: Record<string, string>, options: string[] = []): Promise<ServiceProcess> {
  const common = {
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    LOG_LEVEL: 'fatal',
  };
  return spawnProcess('api', { ...common, ...env }, { options }).ready();
}
