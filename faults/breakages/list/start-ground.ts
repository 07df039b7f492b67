import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recordFile } from '../../../dev/daemon.ts';
import { findRecordedProcess } from '../../../dev/process-record.ts';
import { type Disk, mountDisk } from '../../../lab/disks.ts';
import { eventually } from '../../../lab/eventually.ts';
import { signal as send } from '../../../lab/process-table.ts';
import { runProgram } from '../../../lab/run-program.ts';
import { type ServiceCopy, startService } from '../../../lab/service.ts';

const processNames = ['postgres', 'temporal', 'worker', 'api'] as const;
const diskMegabytes = 3_000;

/** A data folder from which npm start is started again and again, on a disk of its own where this machine allows it. */
export interface StartGround {
  readonly dataDir: string;
  /** Null where this machine does not let us mount one: only root may. */
  readonly disk: Disk | null;
  /** The running copy. Starts one if there is none. */
  running(): Promise<ServiceCopy>;
  /** Starts another copy, with these variables. Returns the end of its output: it is expected to end with an error. */
  startInVain(environment?: Record<string, string>): Promise<string>;
  /** Ends the running copy in order. */
  end(): Promise<void>;
  /** Kills all processes of the running copy at once, npm start itself included. */
  killAll(): Promise<void>;
  /** Replaces the database by the copy that `backUp` has made. Both need the service to be down. */
  backUp(): Promise<void>;
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error if the folder cannot be prepared */
export async function openStartGround(folder: string, signal: AbortSignal): Promise<StartGround> {
  const dataDir = join(folder, 'data');
  const disk = await mountDisk(dataDir, diskMegabytes);
  const logFile = join(folder, 'start.log');
  const [cluster, copy] = [join(dataDir, 'postgres/cluster'), join(dataDir, 'back-up')];
  let present: ServiceCopy | null = null;
  const end = async () => {
    const ending = present;
    present = null;
    await ending?.stop();
  };
  return {
    dataDir,
    disk,
    end,
    async running() {
      present ??= await startService(dataDir, { signal, logFile });
      return present;
    },
    async startInVain(environment = {}) {
      const started = await startService(dataDir, { environment, signal, logFile: join(folder, 'in-vain.log') }).catch(
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (typeof started === 'string') return started;
      await started.stop();
      throw new Error('it starts');
    },
    async killAll() {
      if (present === null) throw new Error('nothing runs');
      const recorded = await Promise.all(processNames.map((name) => findRecordedProcess(recordFile(dataDir, name))));
      for (const pid of [present.pid, ...recorded]) if (pid !== null) send(pid, 'SIGKILL');
      const lock = join(dataDir, 'run', 'start.lock');
      await eventually('it has ended', async () => (await findRecordedProcess(lock)) === null, { signal });
      present = null;
    },
    async backUp() {
      await rm(copy, { recursive: true, force: true });
      // With its owner: PostgreSQL does not run as root.
      const { code, stderr } = await runProgram('cp', ['--archive', cluster, copy]);
      if (code !== 0) throw new Error(stderr);
    },
    async restore() {
      await rm(cluster, { recursive: true });
      await rename(copy, cluster);
    },
    async stop() {
      await end();
      await disk?.unmount();
    },
  };
}
