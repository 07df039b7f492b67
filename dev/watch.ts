import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

/** An editor may write several files, or one file several times. */
const settleMs = 200;

/** Watches the sources until the signal comes. `next` resolves when one has changed since it last resolved. */
export function watchSources(signal: AbortSignal): { next(): Promise<'changed'> } {
  let isChanged = false;
  let notify = () => {};
  let timer: NodeJS.Timeout | undefined;
  watch(sources, { recursive: true, signal }, (_event, file) => {
    if (!/\.(ts|sql)$/.test(file ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isChanged = true;
      notify();
    }, settleMs);
  });
  return {
    async next() {
      if (!isChanged) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      isChanged = false;
      return 'changed';
    },
  };
}
