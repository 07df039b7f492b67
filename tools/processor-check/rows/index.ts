import type { Row } from '../row.ts';
import { answerRows } from './answers.ts';
import { bookRows } from './books.ts';
import { callRows } from './calls.ts';
import { challengeRows } from './challenges.ts';
import { chargeRows, lateChargeRow } from './charges.ts';
import { movementRows } from './movements.ts';
import { noticeRows } from './notices.ts';
import { giveBackRow, refundRows } from './refunds.ts';
import { reservationRows } from './reservations.ts';
import { restartRow } from './restarts.ts';
import { setupRows } from './setups.ts';

/** All rows, in the order in which they are played. */
export const rows: readonly Row[] = [
  ...reservationRows,
  ...chargeRows,
  ...refundRows,
  ...callRows,
  restartRow,
  ...movementRows,
  ...bookRows,
  ...noticeRows,
  ...challengeRows,
  ...setupRows,
  lateChargeRow,
  ...answerRows,
  giveBackRow,
];
