import { setTimeout as pause } from 'node:timers/promises';
import { becomesTrue } from '../../../lab/eventually.ts';
import { runProgram } from '../../../lab/run-program.ts';
import { expect, NotTried, type Row } from '../row.ts';
import { inWords, known, type Session } from '../session.ts';
import { expectNoMoreThanOne } from './charges.ts';
import { partOf } from './refunds.ts';

const payments = 5;
/** Between two charges that are sent while the service is restarted. */
const stepMs = 50;
const commandTimeoutMs = 120_000;
const upTimeoutMs = 60_000;

export const restartRow: Row = {
  promise: 'It is stored before it is sent',
  plays: `${payments} charges before and during a restart of the service, a refund and a reservation`,
  takes: payments,
  async play(session) {
    const { restartCommand: command } = session.options;
    if (command === null) throw new NotTried('give --restart-command, which kills the service and starts it again');
    const before = await session.paid();
    const refund = session.newRefund(before, partOf(session));
    const given = await session.refund(refund);
    const idle = await session.reserve();
    const others = [];
    for (let nth = 2; nth <= payments; nth += 1) others.push(await session.reserve());
    const charges = others.map(async (payment, nth) => {
      await pause(nth * stepMs);
      return { payment, told: await known(session.client.charge(payment.request, payment.reference)) };
    });
    for (const payment of others) session.mayBeCharged(payment);
    await restart(session, command);
    const charged = [{ payment: before, told: { kind: 'succeeded' } }, ...(await Promise.all(charges))];
    for (const { payment, told } of charged) {
      const state = told === null ? null : await session.settled(payment);
      const isKept = told === null || state?.kind === told.kind;
      expect(isKept, `/charges said ${told?.kind}, and /inquire after the restart ${state === null ? '' : state.kind}`);
      const again = await session.charge(payment);
      expect(again.kind === 'succeeded', `/charges again after the restart says ${inWords(again)}`);
      await expectNoMoreThanOne(session, payment);
    }
    const refunded = await session.inquireRefund(refund);
    const isGiven = refunded.kind === given.kind;
    expect(isGiven, `/refunds said ${given.kind}, and /refunds/inquire after the restart ${refunded.kind}`);
    const { reference } = await session.reserve(idle.request);
    expect(reference === idle.reference, 'after the restart, /prepare gives another reference under the same key');
  },
};

/** Runs the command, and waits until the service answers again. */
async function restart(session: Session, command: string): Promise<void> {
  const { code, stderr } = await runProgram('/bin/sh', ['-c', command], { timeoutMs: commandTimeoutMs });
  if (code !== 0) throw new NotTried(`the restart command ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  const isUp = await becomesTrue(async () => (await known(session.client.movements(null))) !== null, {
    timeoutMs: upTimeoutMs,
    everyMs: 250,
  });
  expect(isUp, `the service does not answer within ${upTimeoutMs / 1000} s after the restart command`);
}
