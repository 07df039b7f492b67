import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { Reference, StatementText, Strict, withRule } from './common.ts';
import { madeAt, withExamples } from './examples.ts';
import { type FieldError, fieldError } from './field-errors.ts';
import { exampleText, mandateExample, NoticeChannel, NoticeKind } from './mandate.ts';

const acceptanceFields = {
  type: Type.Enum(['online', 'paper', 'telephone', 'imported'], {
    title: 'MandateAcceptanceType',
    description:
      'How the payer agreed. `online` needs `ip_address` and `user_agent`. `imported`: with other words, to another ' +
      'service, from which you bring the mandate. A publishable key accepts `online` only.',
  }),
  accepted_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When the payer agreed, on the customer’s time; not ahead. By default now, if `type` is `online`. With a ' +
        'publishable key it is always now, whatever you send.',
    }),
  ),
  ip_address: Type.Optional(
    Type.Union([Type.String({ format: 'ipv4', maxLength: 15 }), Type.String({ format: 'ipv6', maxLength: 45 })], {
      description: 'The address that the payer’s browser had at your server.',
    }),
  ),
  user_agent: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'The `User-Agent` of the payer’s browser.' }),
  ),
  signatory_name: StatementText({ minLength: 1, maxLength: 200, description: 'The name of the person who agreed.' }),
  text_version: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 20,
      description: 'The `version` of the text that the payer was shown. Required unless `type` is `imported`.',
    }),
  ),
  text_sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      maxLength: 64,
      description: 'The `sha256` of that text. Required unless `type` is `imported`.',
    }),
  ),
};
const AcceptanceInput = Strict(acceptanceFields, { title: 'MandateAcceptanceInput' });
export type AcceptanceInput = Static<typeof AcceptanceInput>;

const clientSecret = Type.Optional(
  Type.String({
    maxLength: 200,
    description:
      'Required with a publishable key: the client_secret of a payment intent of the mandate’s customer that can ' +
      'still be confirmed.',
  }),
);

/** Returns the field errors of an acceptance that need more than one of its fields. `path` leads to it. */
function acceptanceErrors(acceptance: Record<string, unknown>, path: string): FieldError[] {
  const { type } = acceptance;
  const needed = (name: string, why: string) =>
    acceptance[name] === undefined
      ? [fieldError(`${path}/${name}`, 'parameter_missing', `${name} is required ${why}.`)]
      : [];
  if (type === 'imported') {
    const { text_version: version, text_sha256: sha256 } = acceptance;
    return [
      ...needed('accepted_at', 'unless type is online'),
      ...(version === undefined ? [] : needed('text_sha256', 'with text_version')),
      ...(sha256 === undefined ? [] : needed('text_version', 'with text_sha256')),
    ];
  }
  const unlessImported = ['text_version', 'text_sha256'].flatMap((name) => needed(name, 'unless type is imported'));
  return type === 'online'
    ? [...['ip_address', 'user_agent'].flatMap((name) => needed(name, 'if type is online')), ...unlessImported]
    : [...needed('accepted_at', 'unless type is online'), ...unlessImported];
}

const { acceptance: shown } = mandateExample;
const online = {
  type: 'online' as const,
  ip_address: '203.0.113.7',
  user_agent: shown?.user_agent ?? '',
  signatory_name: 'Jo Nguyen',
  text_version: exampleText.version,
  text_sha256: exampleText.sha256,
};

export const MandateCreate = withExamples(
  withRule(
    Strict(
      {
        payment_method_id: Reference(
          'A saved Australian bank account, pm_…. It has no other mandate that has not ended.',
        ),
        customer_id: Type.Optional(
          Reference('The payer. By default the customer of the payment method. A method without one is attached.'),
        ),
        acceptance: Type.Optional(AcceptanceInput),
        max_amount_cents: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 99_999_999,
            description: 'The most that one debit may take, surcharge included, minor units. By default no limit.',
          }),
        ),
        amount_type: Type.Optional(
          Type.Enum(['variable', 'fixed'], {
            title: 'MandateAmountType',
            description: 'Whether the amounts of the debits differ; by default `variable`. It is for the payer only.',
          }),
        ),
        frequency_text: Type.Optional(
          Type.String({ minLength: 1, maxLength: 100, description: 'How often debits are made, for the payer.' }),
        ),
        client_secret: clientSecret,
      },
      { title: 'MandateCreate' },
    ),
    ({ acceptance }) =>
      typeof acceptance === 'object' && acceptance !== null ? acceptanceErrors({ ...acceptance }, '/acceptance') : [],
  ),
  {
    pending: {
      summary: 'A mandate that the payer accepts later',
      value: { payment_method_id: exampleId('payment_method'), max_amount_cents: 10000, frequency_text: 'weekly' },
    },
    online: {
      summary: 'A mandate that the payer has accepted on your page',
      value: { payment_method_id: exampleId('payment_method'), acceptance: online },
    },
    imported: {
      summary: 'A mandate that the payer gave earlier, to another service',
      value: {
        payment_method_id: exampleId('payment_method'),
        acceptance: { type: 'imported', accepted_at: madeAt, signatory_name: 'Jo Nguyen' },
      },
    },
  },
);
export type MandateCreate = Static<typeof MandateCreate>;

export const MandateAccept = withExamples(
  withRule(Strict({ ...acceptanceFields, client_secret: clientSecret }, { title: 'MandateAccept' }), (body) =>
    acceptanceErrors(body, ''),
  ),
  {
    online: { summary: 'On your page', value: online },
    paper: {
      summary: 'On paper',
      value: {
        type: 'paper',
        accepted_at: madeAt,
        signatory_name: 'Jo Nguyen',
        text_version: exampleText.version,
        text_sha256: exampleText.sha256,
      },
    },
  },
);
export type MandateAccept = Static<typeof MandateAccept>;

export const MandateCancel = withExamples(
  Strict(
    {
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'The reason, in your words.' })),
    },
    { title: 'MandateCancel' },
  ),
  {
    reason: { summary: 'With a reason', value: { reason: 'Membership ended' } },
    plain: { summary: 'Without a reason', value: {} },
  },
);
export type MandateCancel = Static<typeof MandateCancel>;

export const MandateNoticeSent = withExamples(
  Strict(
    {
      kind: NoticeKind,
      channel: NoticeChannel,
      sent_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'When you sent it, on the customer’s time; not ahead. By default now.',
        }),
      ),
    },
    { title: 'MandateNoticeSent' },
  ),
  {
    email: { summary: 'The confirmation, by e-mail', value: { kind: 'confirmation', channel: 'email' } },
    letter: {
      summary: 'A change, by letter',
      value: { kind: 'terms_changed', channel: 'letter', sent_at: madeAt },
    },
  },
);
export type MandateNoticeSent = Static<typeof MandateNoticeSent>;
