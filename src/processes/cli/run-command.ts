import { inWords } from '../../platform/database-causes.ts';
import { causeOf } from '../../platform/postgres/causes.ts';
import { print, printError, safeLine } from '../../platform/terminal.ts';
import { ServiceError } from '../../services/errors.ts';
import { ConfigError } from '../config/config.ts';
import { type Command, UsageError } from './command.ts';
import { type Closable, findContext } from './context.ts';

/** Whether a word asks for the arguments of a command. */
export function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

/** Runs one command. Prints its result on stdout, or its error on stderr as one message. Returns the exit status. */
export async function runCommand(command: Command, args: string[]): Promise<number> {
  if (args.some(isHelp)) {
    print(command.usage);
    return 0;
  }
  const opened: Closable[] = [];
  try {
    const output = await command.run(args, () => findContext(process.env, opened));
    print(typeof output === 'string' ? output : output.text);
    return typeof output === 'string' ? 0 : output.status;
  } catch (error) {
    printError(explain(error, command.usage));
    return isMisuse(error) ? 2 : command.failureStatus;
  } finally {
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

function explain(error: unknown, usage: string): string {
  if (!(error instanceof Error)) return safeLine(String(error));
  if (error instanceof ConfigError) return error.message;
  const message = safeLine(error.message);
  if (isMisuse(error)) return `${message}\n\n${usage}`;
  if (error instanceof ServiceError) return message;
  const cause = causeOf(error);
  return cause === null ? message : safeLine(inWords(cause));
}

function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
