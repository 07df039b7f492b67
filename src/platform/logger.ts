import pino, { type Logger } from 'pino';
import { refusalOf } from './database-causes.ts';
import { describeLoss, type Loss, nonBlockingStdout, openLogOutput } from './log-output.ts';
import { withoutSecrets } from './redact.ts';
import { safeLines } from './terminal.ts';
import { currentTrace, isTracing } from './tracing.ts';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * Fields that would carry a secret or an account number into a log. They are cut at the top level and up to two levels
 * deep. A safety net: the rule is that such values are never logged.
 */
const secretFields = [
  'authorization',
  'client_secret',
  'secret',
  'key',
  'password',
  'account_number',
  'account_number_token',
  'card_number',
  'card_number_token',
  'paypal_token',
  'token',
  'idempotency_key',
  'databaseUrl',
];

/** The fields of an error that are logged next to its type, message and stack: names and states, never values. */
const loggedErrorFields = [
  'code',
  'status',
  'severity_local',
  'schema_name',
  'table_name',
  'column_name',
  'constraint_name',
  'routine',
  'workflowId',
  'runId',
  'activityType',
  'attempt',
] as const;

/** Returns a name in snake case, as the log spells it: `workflow_id` for the SDK's `workflowId`. */
export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Returns an error as it is logged. PostgreSQL's errors carry the whole row that failed, and others carry their input.
 * Only names are kept, and secrets in the message and stack are cut. If PostgreSQL refuses its work, `why` and
 * `remedy` say so in words.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? withoutSecrets(error) : { type: typeof error };
  const { type, message, stack, ...rest } = pino.stdSerializers.err(error);
  const refusal = refusalOf(error);
  const known = loggedErrorFields.filter((name) => ['string', 'number'].includes(typeof rest[name]));
  return {
    type,
    message: withoutSecrets(message),
    stack: withoutSecrets(stack),
    ...Object.fromEntries(known.map((name) => [inSnakeCase(name), rest[name]])),
    ...(refusal === null ? {} : { why: withoutSecrets(refusal.why), remedy: refusal.remedy }),
  };
}

/**
 * Returns the logger of one process. It writes JSON lines to stdout, each with the process's name and the time in ISO
 * 8601. If tracing is on when the logger is made, each line also has the trace id. Logging neither blocks nor ends the
 * process: what cannot be written is dropped, counted, and reported when writing works again (`openLogOutput`).
 */
export function createLogger(level: LogLevel, name: string, destination?: pino.DestinationStream): Logger {
  const options = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(isTracing() ? { mixin: () => ({ trace_id: currentTrace()?.traceId }) } : {}),
    serializers: { err: serializeError, error: serializeError },
    // JSON leaves some control characters unescaped that a terminal would act on. The values stay the same.
    hooks: { streamWrite: safeLines },
    redact: {
      paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[redacted]',
    },
  };
  return pino(options, destination ?? openLogOutput(nonBlockingStdout(), (loss) => lineOfLoss(name, loss)));
}

/** Returns the line that reports lost lines. It has the level `error`, and is written at every level of the log. */
function lineOfLoss(name: string, loss: Loss): string {
  let line = '';
  const destination = {
    write(text: string) {
      line = text;
    },
  };
  pino({ name, timestamp: pino.stdTimeFunctions.isoTime }, destination).error(
    { lost_lines: loss.lines, error_code: loss.code ?? undefined },
    describeLoss(loss),
  );
  return line;
}
