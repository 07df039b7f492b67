import type { Command } from './command.ts';

/** The commands for developers of a biller. A command's module is loaded only when it runs. */
export const commands: Readonly<Record<string, { summary: string; load: () => Promise<Command> }>> = {
  listen: {
    summary: 'forward events to your receiver, signed and in order',
    load: async () => (await import('./listen.ts')).listen,
  },
  trigger: {
    summary: 'make the objects that cause an event',
    load: async () => (await import('./trigger.ts')).trigger,
  },
  clock: {
    summary: 'create, advance, watch, list and delete test clocks',
    load: async () => (await import('./clock.ts')).clock,
  },
  events: {
    summary: 'show events as they come; send one again',
    load: async () => (await import('./events.ts')).events,
  },
  balance: {
    summary: 'what the account has in each currency',
    load: async () => (await import('./balance.ts')).balance,
  },
  payouts: {
    summary: 'what was paid to the bank account, and when it arrives',
    load: async () => (await import('./payouts.ts')).payouts,
  },
  disputes: {
    summary: 'what payers have disputed, and what came of it',
    load: async () => (await import('./disputes.ts')).disputes,
  },
  report: {
    summary: 'write a report of the books, of plans or of what is owed, as CSV',
    load: async () => (await import('./report.ts')).report,
  },
  statement: {
    summary: 'write what a customer was charged, has paid and owes, as CSV',
    load: async () => (await import('./report.ts')).statement,
  },
  open: {
    summary: 'show an object, and its page in the browser',
    load: async () => (await import('./open.ts')).open,
  },
  dashboard: {
    summary: 'print a URL that lets a person into the dashboard',
    load: async () => (await import('./dashboard.ts')).dashboard,
  },
  workbench: {
    summary: 'print a link to the pages of your test clocks',
    load: async () => (await import('./workbench.ts')).workbench,
  },
};
