// The API process of a run that kills its parts: the same as in production, and it carries out orders at crash points.
import { carryOutOrders } from './crash-orders.ts';

carryOutOrders(process.argv[2] ?? '');
await import('../../src/processes/api.ts');
