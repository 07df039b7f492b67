import { fitLine, median } from '../../lab/statistics.ts';
import type { Bench, Measurement } from '../bench.ts';
import { type Figure, figure, type Target } from '../figure.ts';
import { advance, expectAttempts, type Scene, setUp, tearDown } from '../scenery.ts';

/** One thing that is done to a clock, and how many attempts that has to make. */
interface Case {
  id: string;
  what: string;
  scene: Scene;
  /** Days of each advance; the figure is the sum over them. */
  days: number[];
  /** Attempts in all, those of the activation too. */
  attempts: { succeeded: number; failed: number };
  target?: Target;
  /** Attempts that fall into the advance, where the case is a point of the line over due dates. */
  dueDates?: number;
  /** Plans that it moves, where it is a point of the line over plans. */
  plans?: number;
  /** Left out of a quick run, and measured less often. */
  large?: true;
}

const one = { customers: 1, plansEach: 1 } as const;
const upTo = (seconds: number): Target => ({ atMost: seconds });
const promised: Target = { atMost: 0.3, aim: 0.15 };

const weeks = (plans: number, perCustomer: number, more: Partial<Case> = {}): Case => ({
  id: `advance.weekly-14-days.plans-${plans}`,
  what: `14 days, ${plans} weekly plans of 3 customers`,
  scene: { customers: 3, plansEach: perCustomer, frequency: 'weekly' },
  days: [14],
  attempts: { succeeded: 3 * plans, failed: 0 },
  plans,
  ...more,
});

const cases: Case[] = [
  {
    id: 'advance.weekly-14-days',
    what: '14 days, one weekly plan',
    scene: { ...one, frequency: 'weekly' },
    days: [14],
    attempts: { succeeded: 3, failed: 0 },
    target: promised,
    dueDates: 2,
    plans: 1,
  },
  {
    id: 'advance.monthly-60-days',
    what: '60 days, one monthly plan',
    scene: { ...one, frequency: 'monthly' },
    days: [60],
    attempts: { succeeded: 3, failed: 0 },
    target: promised,
  },
  {
    id: 'advance.weekly-56-days-in-four',
    what: '56 days, one weekly plan, four advances',
    scene: { ...one, frequency: 'weekly' },
    days: [14, 14, 14, 14],
    attempts: { succeeded: 9, failed: 0 },
    target: upTo(0.8),
  },
  weeks(9, 3, { what: '14 days, 3 customers with 3 weekly plans each', target: upTo(1) }),
  {
    id: 'advance.nothing-due',
    what: '1 day, one monthly plan, nothing due',
    scene: { ...one, frequency: 'monthly' },
    days: [1],
    attempts: { succeeded: 1, failed: 0 },
    dueDates: 0,
  },
  {
    id: 'advance.weekly-7-days',
    what: '7 days, one weekly plan, one due date',
    scene: { ...one, frequency: 'weekly' },
    days: [7],
    attempts: { succeeded: 2, failed: 0 },
    dueDates: 1,
  },
  {
    id: 'advance.retries-60-days',
    what: '60 days, one monthly plan, 2 payments with 3 retries each',
    scene: { ...one, frequency: 'monthly', startsAfterDays: 3, outcomes: 'decline,decline,decline,succeed' },
    days: [60],
    attempts: { succeeded: 2, failed: 6 },
    dueDates: 8,
  },
  weeks(3, 1),
  weeks(27, 9, { large: true }),
  weeks(81, 27, { large: true }),
];

/** How long a client waits for an advance, and what it costs when there is more to do. */
export const advances: Measurement = {
  name: 'advance',
  needs: 'copy',
  async measure(bench) {
    const rounds = bench.quick ? 1 : 9;
    const chosen = cases.filter((item) => !(bench.quick && item.large));
    const samples = new Map(chosen.map((item) => [item, [] as number[]]));
    await play(bench, { ...one, frequency: 'weekly' }, [14]); // the first one meets cold code
    for (let round = 0; round < rounds; round++) {
      bench.log(`advance: round ${round + 1} of ${rounds}`);
      for (const [item, taken] of samples) {
        if (!(item.large && round >= 3)) taken.push(await sampleOf(bench, item));
      }
    }
    const figures = [...samples].map(([item, taken]) =>
      figure(item.id, item.what, 's', taken, { target: item.target ?? null }),
    );
    return {
      name: 'advance',
      title: 'Advancing a test clock: from the POST to `ready` seen by the client',
      how: [
        'A new clock for each sample, its first payments (slot 0) made and everything at rest before; one advance at a time, no webhook endpoint.',
        'The client looks every 5 ms over a kept-alive connection; it runs on the same cores. The cases take turns, round by round.',
        'After each sample the database is asked whether exactly the expected attempts were made; if not, the run fails.',
        'Growth is the least-squares line through the medians: over the attempts that fall due for one plan, and over the plans that each have two due dates.',
      ],
      figures: [...figures, ...growth(samples), await longHistory(bench)],
    };
  },
};

async function sampleOf(bench: Bench, { scene, days, attempts }: Case): Promise<number> {
  return play(bench, scene, days, attempts);
}

async function play(bench: Bench, scene: Scene, days: number[], attempts?: Case['attempts']): Promise<number> {
  const played = await setUp(bench, scene);
  let seconds = 0;
  for (const span of days) seconds += await advance(bench, played, span);
  if (attempts !== undefined) await expectAttempts(bench.sql, played, attempts);
  await tearDown(bench, played);
  return seconds;
}

function growth(samples: Map<Case, number[]>): Figure[] {
  const points = (of: 'dueDates' | 'plans') =>
    [...samples].flatMap(([item, taken]) => {
      const x = item[of];
      return x === undefined ? [] : [{ x, y: median(taken) * 1000 }];
    });
  const overDates = points('dueDates');
  const overPlans = points('plans');
  return [
    figure(
      'advance.per-due-date',
      `each further due date of one plan (line through ${overDates.length} points)`,
      'ms',
      [fitLine(overDates).slope],
    ),
    figure('advance.per-plan', `each further plan with two due dates (line through ${overPlans.length} points)`, 'ms', [
      fitLine(overPlans).slope,
    ]),
  ];
}

/** Whether a clock that was advanced often becomes slow: its plan's history has grown by then. */
async function longHistory(bench: Bench): Promise<Figure> {
  const count = bench.quick ? 3 : 30;
  const played = await setUp(bench, { ...one, frequency: 'weekly' });
  const taken: number[] = [];
  for (let nth = 0; nth < count; nth++) taken.push(await advance(bench, played, 14));
  await expectAttempts(bench.sql, played, { succeeded: 1 + 2 * count, failed: 0 });
  await tearDown(bench, played);
  const part = Math.floor(count / 3);
  const ratio = median(taken.slice(-part)) / median(taken.slice(0, part));
  return figure('advance.long-history', `advance ${count} of one clock ÷ its first (thirds of the series)`, 'ratio', [
    ratio,
  ]);
}
