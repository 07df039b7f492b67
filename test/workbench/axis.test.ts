import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { place, positionOf, ticksOf } from '../../src/sites/workbench/axis.ts';

const axisOf = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
const january = axisOf('2028-01-01T00:00:00Z', '2028-01-31T00:00:00Z');

describe('the axis of the workbench', () => {
  it('keeps instants in order, within a margin at both ends', () => {
    const days = ['2027-12-01', '2028-01-01', '2028-01-16', '2028-01-31', '2029-01-01'];
    assert.deepEqual(
      days.map((day) => positionOf(january, new Date(day))),
      [1.5, 1.5, 50, 98.5, 98.5],
    );
  });

  it('has one to nine round ticks, from an hour to two centuries', () => {
    const spans = [
      '2028-01-01T01:00:00Z',
      '2028-01-02',
      '2028-01-09',
      '2028-03-03',
      '2029-06-01',
      '2045-01-01',
      '2200-01-01',
    ];
    const labels = spans.map((to) => ticksOf(axisOf('2028-01-01T00:00:00Z', to)).map(({ label }) => label));
    for (const each of labels) assert.ok(each.length >= 1 && each.length <= 9, String(each));
    assert.deepEqual(labels[1], ['1 Jan', '06:00', '12:00', '18:00', '1 Jan'.replace('1', '2')]);
    assert.deepEqual(labels[4], ['2028', 'Apr', 'Jul', 'Oct', '2029', 'Apr']);
    assert.deepEqual(labels[6], ['2050', '2100', '2150', '2200']);
  });

  it('has no ticks before its beginning, although they are round', () => {
    const ticks = ticksOf(axisOf('2028-01-05T09:30:00Z', '2028-03-20T00:00:00Z'));
    assert.ok(ticks.every(({ at }) => at >= new Date('2028-01-05T09:30:00Z')));
  });

  it('puts marks at the same instant into rows of their own, and counts those without room', () => {
    const marks = [9, 1, 1, 1, 1, 1, 1, 9].map((day) => ({ at: new Date(`2028-01-0${day}`) }));
    const { placed, hidden, rows } = place(january, marks);
    assert.equal(rows, 4);
    assert.equal(hidden.length, 2);
    assert.deepEqual(
      placed.map(({ row, mark }) => `${mark.at.getUTCDate()} ${row}`),
      ['1 0', '1 1', '1 2', '1 3', '9 0', '9 1'],
    );
  });

  it('an axis without length puts everything at its beginning', () => {
    const point = axisOf('2028-01-01', '2028-01-01');
    assert.equal(positionOf(point, point.from), 1.5);
    assert.equal(place(point, []).rows, 1);
  });
});
