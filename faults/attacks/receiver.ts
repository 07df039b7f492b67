import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, seconds } from './attack.ts';

/** All receivers reset every connection for a while; their single moods go on all the time. */
export const shutReceiver: Attack = {
  kind: 'receiver away',
  weight: 2,
  draw({ receiver, chance }) {
    const ms = chance.between(500, 3_000);
    return {
      title: `the receiver away for ${seconds(ms)}`,
      targets: ['receiver'],
      async run() {
        receiver.shut();
        await pause(ms);
        receiver.open();
        return true;
      },
    };
  },
};
