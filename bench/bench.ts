import type { PaymentsClient } from '@payments-service/client';
import type { ServiceCopy } from '../lab/service.ts';
import type { StandIn } from '../lab/stand-in.ts';
import type { Pool } from '../src/platform/postgres/connection.ts';
import type { FigureGroup } from './figure.ts';

/** What every group is given. */
export interface RunContext {
  /** Fewer samples and smaller numbers: shows that everything works, not for comparison. */
  quick: boolean;
  /** How many plans fall due at once. */
  plans: number;
  /** How often each of them was charged before that. */
  age: number;
  /** Whether what falls due is also measured in live mode, with a processor in a process of its own. */
  live: boolean;
  /** A folder of this run, removed after it. */
  folder: string;
  /** Prints what goes on to stderr. */
  log(line: string): void;
}

/** What most groups are measured with. */
export interface Bench extends RunContext {
  copy: ServiceCopy;
  client: PaymentsClient;
  /** The same biller's live mode, and its processor; null unless it is measured. */
  liveMode: { client: PaymentsClient; standIn: StandIn } | null;
  /** On the copy's database: to check that what was measured has really happened. */
  sql: Pool;
}

/** One group, under the name that `--only` knows; some start copies of their own, the others share one. */
export type Measurement =
  | { name: string; needs: 'nothing'; measure(context: RunContext): Promise<FigureGroup> }
  | { name: string; needs: 'copy'; measure(bench: Bench): Promise<FigureGroup> };
