import { TooManyReports } from '../errors.ts';

/**
 * How many reports are open at a time in this process, and how many batches of them are read at a time. A report whose
 * client reads slowly holds a batch in memory and no connection, so it does not keep others from theirs.
 */
const atOnce = { ofBiller: 2, ofAll: 40, reading: 4 };

/** Limits the reports that are read at a time. */
export interface ReportSlots {
  /**
   * Returns the batches of a report. It holds a slot from the first batch until it has ended or is left, and waits for
   * its turn to read each: the other connections of the pool are for payments.
   * @throws TooManyReports with the first batch, if no slot is free.
   */
  inSlot<Batch>(billerId: string, read: () => AsyncIterable<Batch>): AsyncIterable<Batch>;
}

export function openReportSlots(): ReportSlots {
  const running = new Map<string, number>();
  let all = 0;
  let reading = 0;
  const waiting: (() => void)[] = [];

  function count(billerId: string, more: 1 | -1): void {
    all += more;
    const left = (running.get(billerId) ?? 0) + more;
    if (left === 0) running.delete(billerId);
    else running.set(billerId, left);
  }

  /** First come, first served. A reading that ends passes its turn on. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (reading < atOnce.reading) reading += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) reading -= 1;
      else next();
    }
  }

  return {
    async *inSlot(billerId, read) {
      if (all >= atOnce.ofAll || (running.get(billerId) ?? 0) >= atOnce.ofBiller) throw new TooManyReports();
      count(billerId, 1);
      const batches = read()[Symbol.asyncIterator]();
      try {
        for (;;) {
          const batch = await inTurn(() => batches.next());
          if (batch.done === true) return;
          yield batch.value;
        }
      } finally {
        await batches.return?.();
        count(billerId, -1);
      }
    },
  };
}
