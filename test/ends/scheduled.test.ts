import { describe } from 'mocha';
import { commonEnds, requests, testEnds } from './cells.ts';

describe('what an end of a scheduled payment does to it', () => {
  testEnds('scheduled', { cancel: requests((id) => `/payment_intents/${id}/cancel`), ...commonEnds });
});
