// The API process of a fault run: the same as any other, with somebody listening at its crash points.
import { obey } from './obey.ts';

obey(process.argv[2] ?? '');
await import('../../src/processes/api.ts');
