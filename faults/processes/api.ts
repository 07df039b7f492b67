// The API process of a fault run: the same as any other, with somebody listening at its crash points.
import { flushCompileCache } from 'node:module';
import { obey } from './obey.ts';

obey(process.argv[2] ?? '');
await import('../../src/processes/api.ts');
flushCompileCache(); // otherwise Node.js does it at the end, which a killed process does not reach
