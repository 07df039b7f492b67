import { userInfo } from 'node:os';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { CommandLineUser } from '../../messages/operator-command.ts';
import type { CliContext } from './context.ts';

/** What a command prints on stdout, with exit status 0 unless another is given. */
export type Output = string | { text: string; status: number };

/** Connects to the running service. The connections are closed with the command. */
export type OpenContext = () => Promise<CliContext>;

export interface Command {
  usage: string;
  /** The exit status of an error that is not one of the command line. */
  failureStatus: number;
  run(args: string[], openContext: OpenContext): Promise<Output>;
}

/** The command line is not valid. The message says what to type instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>['values'];

/** A command with its options, as `parseArgs` of Node.js takes them. `words` are the arguments that are no options. */
export function defineCommand<const O extends Options>(definition: {
  usage: string;
  options: O;
  failureStatus?: number;
  run(input: { values: Values<O>; words: string[] }, openContext: OpenContext): Promise<Output>;
}): Command {
  const { usage, options, failureStatus = 1 } = definition;
  return {
    usage,
    failureStatus,
    run(args, openContext) {
      const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
      return definition.run({ values, words: positionals }, openContext);
    },
  };
}

/** @throws UsageError when there are words beyond those that the command takes. */
export function refuseMore(words: readonly string[]): void {
  if (words.length > 0)
    throw new UsageError(`"${words.join(' ')}" is too much. Put a value of several words in quotes.`);
}

/** The error for a missing or unknown first word of a command that has several forms. */
export function unknownForm(form: string | undefined): UsageError {
  return new UsageError(form === undefined ? 'Give a command.' : `There is no command "${form}".`);
}

/** Who runs the command, for the audit log: the user of the operating system, or its uid if it has no name. */
export function operator(): CommandLineUser {
  try {
    return { kind: 'command_line', id: userInfo().username };
  } catch {
    return { kind: 'command_line', id: `uid ${process.getuid?.() ?? 'unknown'}` };
  }
}
