import { advanceClock, askForDeletion, createClock, deleteClock, retryDelivery } from './actions.ts';
import { showBooks, showRows } from './books-pages.ts';
import { showClock } from './clock-page.ts';
import { showCustomer } from './customer-page.ts';
import { showEvent, showEvents } from './event-pages.ts';
import { showOverview } from './overview-page.ts';
import type { WorkbenchRoute } from './workbench-request.ts';

/** The pages of the test clocks of a sandbox account. */
export const workbenchRoutes: readonly WorkbenchRoute[] = [
  { method: 'GET', path: /^$/, handle: showOverview },
  { method: 'POST', path: /^clocks$/, handle: createClock },
  { method: 'GET', path: /^clocks\/(clk_\w+)$/, handle: showClock },
  { method: 'POST', path: /^clocks\/(clk_\w+)\/advance$/, handle: advanceClock },
  { method: 'GET', path: /^clocks\/(clk_\w+)\/delete$/, handle: askForDeletion },
  { method: 'POST', path: /^clocks\/(clk_\w+)\/delete$/, handle: deleteClock },
  { method: 'GET', path: /^events$/, handle: showEvents },
  { method: 'GET', path: /^events\/(evt_\w+)$/, handle: showEvent },
  { method: 'GET', path: /^books$/, handle: showBooks },
  { method: 'GET', path: /^rows$/, handle: showRows },
  { method: 'GET', path: /^customers\/(cus_\w+)$/, handle: showCustomer },
  { method: 'POST', path: /^deliveries\/(whd_\w+)\/retry$/, handle: retryDelivery },
];
