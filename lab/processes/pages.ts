// The process of the pages for payers in a run that kills its parts: the same as in production, and it carries out
// orders at crash points.
import { flushCompileCache } from 'node:module';
import { carryOutOrders } from './crash-orders.ts';

carryOutOrders(process.argv[2] ?? '');
await import('../../src/processes/pages.ts');
flushCompileCache(); // otherwise Node.js does it at the end, which a killed process does not reach
