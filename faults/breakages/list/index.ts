import { burstBreakages } from './bursts.ts';
import { onCallBreakages } from './on-call.ts';
import { paymentBreakages } from './payments.ts';
import { processBreakages } from './processes.ts';
import { receiverBreakages } from './receivers.ts';
import { reportBreakages } from './reports.ts';
import { startBreakages } from './starts.ts';
import { temporalBreakages } from './temporal.ts';

/** What breaks in a service that runs. In this order. */
export const ofTheRunning = [
  ...paymentBreakages,
  ...temporalBreakages,
  ...receiverBreakages,
  ...processBreakages,
  ...onCallBreakages,
  ...reportBreakages,
  ...burstBreakages,
];

/** What breaks a start, or all of a service at once. In this order. */
export const ofTheStart = startBreakages;

/** The names of all. */
export const breakageNames: readonly string[] = [...ofTheRunning, ...ofTheStart].map(({ name }) => name);
