import { describe } from 'mocha';
import { commonEnds, type End, requests, testEnds, type World } from './cells.ts';
import { linkExpiresAt, sessionExpiresAt } from './subjects.ts';

/** A clock does not move while a charge is asked for: its session and link come to their time beside it. */
const chargedIn = ({ cases }: World) => cases.find(({ state }) => state === 'charged')?.subject;

const linkExpiry: End = async (world) => {
  const { stage, life, answered } = world;
  await stage.expireLink(chargedIn(world)?.id ?? '', linkExpiresAt);
  await answered();
  await life.to(linkExpiresAt, { isForetold: false });
  return undefined;
};

const sessionExpiry: End = async (world) => {
  const { stage, life, answered } = world;
  await stage.expireSession((await chargedIn(world)?.session?.()) ?? '', sessionExpiresAt);
  await answered();
  await life.to(sessionExpiresAt, { isForetold: false });
  return undefined;
};

describe('what an end of a payment link does to its payments', () => {
  testEnds('link', {
    deactivate: requests((id) => `/payment_links/${id}/deactivate`),
    linkExpiry,
    sessionExpiry,
    ...commonEnds,
  });
});
