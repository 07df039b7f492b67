import Type, { type Static } from 'typebox';
import type { MandateRow } from '../db/mandates.ts';
import { exampleId } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import { mandateStatuses, nextChargeDate } from '../domain/mandates/mandate.ts';
import { noticeChannels, noticeKinds } from '../domain/mandates/mandate-notices.ts';
import { currentMandateText } from '../domain/mandates/mandate-texts.ts';
import { schemes } from '../domain/schemes/schemes.ts';
import { Id, instant, lastFields, Nullable, pick, present, Strict, type Tag, Timestamp } from './common.ts';
import { example, madeAt, owned } from './examples.ts';

export const mandates: Tag = {
  name: 'Mandates',
  description:
    'The authority of a payer to debit a bank account, with the evidence that it was given. An account that has a ' +
    'mandate is debited only while the mandate is active.',
};

export const Scheme = Type.Enum(Object.keys(schemes) as (keyof typeof schemes)[], {
  title: 'DebitScheme',
  description: 'The debit scheme. `au_becs`: direct debits in Australia.',
});

export const MandateStatus = Type.Enum([...mandateStatuses], {
  title: 'MandateStatus',
  description:
    '`pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`, `failed`, ' +
    '`expired`: ended for good; `status_reason` says why. The payer can give a new mandate.',
});

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the bytes of `html` in UTF-8.' });

const Connection = Strict(
  {
    ip_address: Type.String({ description: 'The address from which the payer accepted.' }),
    user_agent: Nullable(Type.String(), { description: 'The browser; null if it did not name itself.' }),
  },
  { title: 'MandateConnection' },
);

/** The acceptance of a mandate as it is shown. The input is in mandate-input.ts. */
const Acceptance = Strict(
  {
    type: Type.Enum(['online', 'paper', 'telephone', 'imported'], {
      title: 'MandateAcceptanceType',
      description: 'How the payer agreed.',
    }),
    accepted_at: Timestamp,
    ip_address: Nullable(Type.String(), { description: 'The payer’s address, as it was sent.' }),
    user_agent: Nullable(Type.String(), { description: 'The payer’s browser, as it was sent.' }),
    connection: Nullable(Connection, {
      description:
        'What the service has seen of a payer who accepted with a publishable key or on a page; null if you recorded it.',
    }),
    signatory_name: Type.String({ description: 'Who agreed.' }),
    text_version: Nullable(Type.String(), {
      description: 'The version of the text; null for an imported mandate that was agreed to with other words.',
    }),
    text_sha256: Nullable(Type.String(), { description: 'The hash of the text.' }),
  },
  { title: 'MandateAcceptance' },
);

export const NoticeKind = Type.Enum([...noticeKinds], {
  title: 'MandateNoticeKind',
  description:
    '`confirmation`: that the mandate is active. `amount_changed`, `terms_changed`: a change of what the payer agreed to.',
});
export const NoticeChannel = Type.Enum([...noticeChannels], {
  title: 'MandateNoticeChannel',
  description: 'How you notified the payer.',
});

const MandateNotice = Strict(
  {
    kind: NoticeKind,
    due_by: Nullable(Type.String({ format: 'date' }), {
      description: 'The last date, on the scheme’s clock, to send it in time; null if you recorded it unasked.',
    }),
    sent_at: Nullable(Timestamp, { description: 'When you sent it, as you recorded it; null until then.' }),
    channel: Nullable(NoticeChannel, { description: 'How you sent it; null until then.' }),
  },
  { title: 'MandateNotice', description: 'A notice that the payer must get. You send it, not the service.' },
);

export const Mandate = Strict(
  {
    id: Id('mandate', 'The id of the mandate.'),
    customer_id: Type.String({ description: 'The payer.' }),
    payment_method_id: Type.String({ description: 'The bank account that may be debited.' }),
    scheme: Scheme,
    reference: Type.String({ description: 'For people: `DDR-` and 14 letters and digits. Show it to the payer.' }),
    status: MandateStatus,
    status_reason: Nullable(Type.String(), {
      description:
        'Why it has ended; null until then. `requested`: by you. `payer_canceled`, `payment_stopped`: by the payer at ' +
        'the bank. `debit_disputed`: the payer has claimed a debit back. `payment_method_detached`, ' +
        '`customer_deleted`: with its account or customer. `account_invalid`, `account_closed`, ' +
        '`account_holder_deceased`: the bank has refused a debit. `unused`: 15 months without a debit.',
    }),
    cancellation_reason: Nullable(Type.String(), { description: 'Why you canceled it, in your words.' }),
    acceptance: Nullable(Acceptance, { description: 'How the payer agreed; null until then.' }),
    max_amount_cents: Nullable(Type.Integer(), {
      description: 'The most that one debit may take, surcharge included, minor units; null for no limit.',
    }),
    amount_type: Type.Enum(['variable', 'fixed'], {
      title: 'MandateAmountType',
      description: 'Whether the amounts of the debits differ, as the payer was told.',
    }),
    frequency_text: Nullable(Type.String(), { description: 'How often debits are made, as the payer was told.' }),
    next_possible_charge_date: Nullable(Type.String({ format: 'date' }), {
      description:
        'The date, on the scheme’s clock, on which a debit that is requested now would be charged. Null unless the ' +
        'mandate is active, and after the last cut-off before it lapses.',
    }),
    last_debited_at: Nullable(Timestamp, { description: 'When it was last used; null if it never was.' }),
    activated_at: Nullable(Timestamp, { description: 'When it became active; null while it is pending.' }),
    ended_at: Nullable(Timestamp, { description: 'When it ended; null until then.' }),
    notices: Type.Array(MandateNotice, {
      description: 'Notices that the payer must get, and those that were sent; oldest first.',
    }),
    ...lastFields('the customer'),
  },
  { title: 'Mandate' },
);
export type Mandate = Static<typeof Mandate>;

/** The text that the examples name. It is of no biller. */
export const exampleText = currentMandateText('au_becs', 'Harbour Gym');

export const mandateExample = example(Mandate, {
  id: exampleId('mandate'),
  customer_id: exampleId('customer'),
  payment_method_id: exampleId('payment_method'),
  scheme: 'au_becs',
  reference: 'DDR-7KQ2M9XW4CPT3H',
  status: 'active',
  status_reason: null,
  cancellation_reason: null,
  acceptance: {
    type: 'online',
    accepted_at: madeAt,
    ip_address: '203.0.113.7',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    connection: null,
    signatory_name: 'Jo Nguyen',
    text_version: exampleText.version,
    text_sha256: exampleText.sha256,
  },
  max_amount_cents: 10000,
  amount_type: 'fixed',
  frequency_text: 'weekly, on Mondays',
  next_possible_charge_date: '2027-01-05',
  last_debited_at: null,
  activated_at: madeAt,
  ended_at: null,
  notices: [{ kind: 'confirmation', due_by: '2027-01-05', sent_at: null, channel: null }],
  ...owned,
  test_clock: exampleId('test_clock'),
  created_at: madeAt,
  updated_at: madeAt,
});

/** The fields that a checkout page needs. The others are only for the biller. */
const payerFields = [
  'id',
  'payment_method_id',
  'scheme',
  'reference',
  'status',
  'status_reason',
  'max_amount_cents',
  'amount_type',
  'frequency_text',
  'next_possible_charge_date',
  'activated_at',
  'ended_at',
  'livemode',
  'created_at',
  'updated_at',
] as const;
export const MandateForPayer = Type.Pick(Mandate, [...payerFields], {
  title: 'MandateForPayer',
  additionalProperties: false,
});
export type MandateForPayer = Static<typeof MandateForPayer>;

/** The view for a secret key, or the view for a publishable key. */
export const MandateByKey = Type.Union([Mandate, MandateForPayer]);
export type MandateByKey = Static<typeof MandateByKey>;

/** The mandate as the API and its events show it at this instant. */
export function presentMandate(row: MandateRow, at: CustomerInstant): Mandate {
  return present(Mandate, {
    ...row,
    acceptance: acceptanceOf(row),
    next_possible_charge_date: row.status === 'active' ? nextChargeDate(schemes[row.scheme], at, row.lapses_at) : null,
    test_clock: row.test_clock_id,
  });
}

/** The mandate as a publishable key sees it. */
export function presentMandateToPayer(row: MandateRow, at: CustomerInstant): MandateForPayer {
  return pick(presentMandate(row, at), payerFields);
}

function acceptanceOf(row: MandateRow): Mandate['acceptance'] {
  const { acceptance_type: type, accepted_at: at, signatory_name: name } = row;
  if (type === null || at === null || name === null) return null;
  return {
    type,
    accepted_at: instant(at),
    ip_address: row.ip_address,
    user_agent: row.user_agent,
    connection:
      row.connection_ip_address === null
        ? null
        : { ip_address: row.connection_ip_address, user_agent: row.connection_user_agent },
    signatory_name: name,
    text_version: row.text_version,
    text_sha256: row.text_sha256,
  };
}

export const MandateText = Strict(
  {
    scheme: Scheme,
    version: Type.String({ description: 'The version of the words. A text never changes under one version and name.' }),
    html: Type.String({ description: 'A part of a page, without scripts and styles. Show it as it is.' }),
    sha256: Sha256,
  },
  { title: 'MandateText' },
);
example(MandateText, exampleText);
