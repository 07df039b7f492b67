import type { PaymentsClient } from '../client.ts';
import { type Command, exactly, parse } from './command.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

/** A command that prints the newest objects of a list, in real time or on a test clock. */
interface NewestOf<Listed> {
  usage: string;
  read(payments: PaymentsClient, query: { test_clock?: string; limit: number }): PromiseLike<PageOf<Listed>>;
  /** What is said if there are none. */
  none: string;
  titles: string[];
  row(one: Listed): string[];
}

interface PageOf<Listed> {
  data: Listed[];
  has_more: boolean;
}

/** Returns the command, with the options `--clock`, `--limit` and `--json`. */
export function newestOf<Listed>({ usage, read, none, titles, row }: NewestOf<Listed>): Command {
  return {
    usage,
    async run(args, connect) {
      const { values, positionals } = parse(args, {
        clock: { type: 'string' },
        limit: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
      });
      exactly(positionals);
      const { payments } = connect();
      const where = values.clock === undefined ? {} : { test_clock: values.clock };
      const { data, has_more: hasMore } = await read(payments, { ...where, limit: Number(values.limit) });
      if (values.json) {
        for (const one of data) printJson(one);
        return 0;
      }
      print(data.length === 0 ? none : columns([titles, ...data.map(row)]));
      if (hasMore) printNote('There are more: see --limit.');
      return 0;
    },
  };
}
