import { TooManyReports } from '../errors.ts';

/** How many reports are read at a time, in this process. They leave the connections of the pool to payments. */
const atOnce = { ofBiller: 2, ofAll: 4 };

/** Limits the reports that are read at a time. */
export interface ReportSlots {
  /**
   * Returns the batches of a report. It holds a slot from the first batch until it has ended or is left.
   * @throws TooManyReports with the first batch, if no slot is free.
   */
  inSlot<Batch>(billerId: string, read: () => AsyncIterable<Batch>): AsyncIterable<Batch>;
}

export function openReportSlots(): ReportSlots {
  const running = new Map<string, number>();
  let all = 0;

  function count(billerId: string, more: 1 | -1): void {
    all += more;
    const left = (running.get(billerId) ?? 0) + more;
    if (left === 0) running.delete(billerId);
    else running.set(billerId, left);
  }

  return {
    async *inSlot(billerId, read) {
      if (all >= atOnce.ofAll || (running.get(billerId) ?? 0) >= atOnce.ofBiller) throw new TooManyReports();
      count(billerId, 1);
      try {
        yield* read();
      } finally {
        count(billerId, -1);
      }
    },
  };
}
