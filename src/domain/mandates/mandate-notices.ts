import { addDays, type PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import type { SchemeProfile } from '../schemes/scheme-profile.ts';

/** What a payer is told: that the mandate holds, and each change of what was agreed. */
export const noticeKinds = ['confirmation', 'amount_changed', 'terms_changed'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const noticeChannels = ['email', 'letter', 'message', 'telephone', 'in_person'] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

/** A notice to the payer. It is open until it is sent. */
export interface MandateNotice {
  kind: NoticeKind;
  /** On the scheme's clock. Null if the biller recorded a notice that was not due. */
  due_by: PlainDate | null;
  /** Customer time, ISO 8601 in UTC. */
  sent_at: string | null;
  channel: NoticeChannel | null;
}

/** A mandate keeps so many notices. */
export const mostNotices = 100;

/**
 * Adds a notice that is due by a date, on the scheme's clock. An open one of the same kind stays the only one, with the
 * earlier date. `isNew` says whether one was added; none is when the mandate has as many as it keeps. Never throws.
 */
export function withNoticeDue(
  notices: readonly MandateNotice[],
  kind: NoticeKind,
  dueBy: PlainDate | null,
): { notices: MandateNotice[]; isNew: boolean } {
  const open = notices.find((notice) => notice.kind === kind && notice.sent_at === null);
  if (open !== undefined) {
    const earlier = dueBy !== null && (open.due_by === null || dueBy < open.due_by) ? dueBy : open.due_by;
    return {
      notices: notices.map((notice) => (notice === open ? { ...open, due_by: earlier } : notice)),
      isNew: false,
    };
  }
  if (notices.length >= mostNotices) return { notices: [...notices], isNew: false };
  return { notices: [...notices, { kind, due_by: dueBy, sent_at: null, channel: null }], isNew: true };
}

/**
 * Marks the open notice of a kind as sent, or adds one that was not due. Returns null if there is no room for it. Never
 * throws.
 */
export function withNoticeSent(
  notices: readonly MandateNotice[],
  { kind, sentAt, channel }: { kind: NoticeKind; sentAt: CustomerInstant; channel: NoticeChannel },
): MandateNotice[] | null {
  const sent = { sent_at: sentAt.toISOString(), channel };
  const open = notices.find((notice) => notice.kind === kind && notice.sent_at === null);
  if (open !== undefined) return notices.map((notice) => (notice === open ? { ...open, ...sent } : notice));
  return notices.length >= mostNotices ? null : [...notices, { kind, due_by: null, ...sent }];
}

/** Returns the last date on which a payer can be told in time of a change that a debit on this date has. */
export function changeNoticeDueBy({ changeNoticeDays }: SchemeProfile, debited: PlainDate): PlainDate {
  return addDays(debited, -changeNoticeDays);
}
