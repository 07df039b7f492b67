import type { StuckReport } from './find-stuck.ts';

/** The kind of stuck that only a look at the data folder of `npm start` shows: only `ops stuck` looks there. */
export const keyFileMissing: Pick<StuckReport, 'kind' | 'meaning' | 'after_seconds'> = {
  kind: 'encryption_key_missing',
  meaning: 'The file with the encryption keys is missing or has other keys: the next start fails.',
  after_seconds: 0,
};
