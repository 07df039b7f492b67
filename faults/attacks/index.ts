import type { Attack } from './attack.ts';
import { jumpClock } from './clock-jump.ts';
import { cutAtByte, disturbConnections, loseCommitReply } from './connections.ts';
import { crashPoint } from './crash-points.ts';
import { fillDisk } from './disk.ts';
import { freeze } from './freeze.ts';
import { killBackend, killProcess, killServer, killTogether, terminateSessions } from './kill.ts';
import { shutReceiver } from './receiver.ts';
import { suspendHost } from './suspend.ts';
import { loseTemporal } from './temporal-lost.ts';

export const attacks: readonly Attack[] = [
  killProcess,
  killTogether,
  killServer,
  killBackend,
  terminateSessions,
  freeze,
  suspendHost,
  jumpClock,
  disturbConnections,
  loseCommitReply,
  cutAtByte,
  fillDisk,
  loseTemporal,
  shutReceiver,
  crashPoint,
];
