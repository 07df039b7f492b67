import { describe } from 'mocha';
import { commonEnds, requests, testEnds } from './cells.ts';

const move = (transition: string) => requests((id) => `/payment_plans/${id}/${transition}`);

describe('what an end of a plan does to its payments', () => {
  testEnds('plan', { suspend: move('suspend'), deactivate: move('deactivate'), close: move('close'), ...commonEnds });
});
