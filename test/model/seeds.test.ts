import { describe, it } from 'mocha';
import { useStage } from '../support/stage.ts';
import { assertAgree } from './agreement.ts';
import { onStage } from './realities.ts';
import { seeds } from './seeds.ts';

describe('model and service agree that', () => {
  const stage = useStage();

  for (const seed of seeds) {
    it(seed.finds, async () => {
      await assertAgree(seed, await onStage(stage, seed.zone));
    });
  }
});
