import type { LogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/worker';
import { idFieldsIn } from '../../domain/id-fields.ts';
import { inSnakeCase, type Logger } from '../../platform/logger.ts';

const levels: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'debug', // the SDK's own housekeeping, too noisy for operators at this level
  WARN: 'warn',
  ERROR: 'error',
};

/**
 * Writes the Temporal SDK's log lines to the process's own log, in its spelling: `workflow_id` instead of workflowId.
 * It adds the id of the workflow's object, under the same field name as in all other lines.
 */
export function temporalLogger(logger: Logger): TemporalLogger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
    const method = levels[level];
    if (logger.isLevelEnabled(method)) logger[method](inOurWords(meta), message);
  };
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}

function inOurWords(meta: LogMetadata): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(meta)) {
    fields[inSnakeCase(name)] = value;
  }
  return typeof meta.workflowId === 'string' ? { ...idFieldsIn(meta.workflowId), ...fields } : fields;
}
