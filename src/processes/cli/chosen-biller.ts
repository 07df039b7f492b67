import { type Id, namedId } from '../../domain/ids.ts';
import { listBillers } from '../../services/accounts/billers.ts';
import { UsageError } from './command.ts';
import type { CliContext } from './context.ts';

/**
 * Returns the biller of the option `--biller`; without one, the demo biller, or else the only biller.
 * @throws UsageError if there is no such biller, or several to choose from.
 */
export async function chosenBiller(
  { sql, demoBillerId }: CliContext,
  given: string | undefined,
): Promise<Id<'biller'>> {
  const billers = await listBillers(sql);
  const wanted = given === undefined ? demoBillerId : namedId('biller', given);
  const only = given === undefined && billers.length === 1 ? billers[0] : undefined;
  const chosen = billers.find(({ id }) => id === wanted) ?? only;
  if (chosen !== undefined) return chosen.id;
  throw new UsageError(
    given === undefined
      ? 'Give the biller with --biller. billers list shows all of them.'
      : `There is no biller ${given}. billers list shows all of them.`,
  );
}
