// A model of what may be taken, which knows nothing of the service's code. It judges a world by its story alone.
import type { Fault } from '../telling.ts';
import { takenAfterTheEnd } from './after-the-end.ts';
import { givenBackTooMuch } from './given-back.ts';
import { leftOwed } from './left-owed.ts';
import { paidTwice } from './paid-twice.ts';
import type { Story } from './story.ts';

const rules: Record<string, (story: Story) => string[]> = {
  'after an end nothing is taken': takenAfterTheEnd,
  'nothing is paid for twice, and nothing for nothing': paidTwice,
  'never more is given back than is held': givenBackTooMuch,
  'what is owed has a date, or a reason that a biller can act on': leftOwed,
};

/** What is wrong with the money of a story, one fault for each rule that it breaks. */
export function moneyFaults(story: Story): Fault[] {
  return Object.entries(rules).flatMap(([rule, judge]) => {
    const words = judge(story);
    return words.length === 0 ? [] : [{ rule, words: [story.way, ...words] }];
  });
}
