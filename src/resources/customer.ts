import Type, { type Static } from 'typebox';
import type { CustomerRow } from '../db/customers.ts';
import { exampleId } from '../domain/ids.ts';
import {
  FreeForm,
  Id,
  Livemode,
  Metadata,
  Nullable,
  nullable,
  optional,
  present,
  Reference,
  Strict,
  type Tag,
  Timestamp,
  Unchangeable,
} from './common.ts';
import { example, madeAt, owned, withExamples } from './examples.ts';

export const customers: Tag = { name: 'Customers', description: 'The payers and their saved payment methods.' };

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'Full name.' });
const Email = Type.String({ format: 'email', maxLength: 254, description: 'Email address.' });
const Status = Type.Enum(['active', 'inactive'], {
  title: 'CustomerStatus',
  description: 'For your own use. By default `active`.',
});

const Address = Strict(
  {
    line1: Type.Optional(Text(500, 'Street and number.')),
    line2: Type.Optional(Text(500, 'Further address line.')),
    city_or_suburb: Type.Optional(Text(200, 'City or suburb.')),
    state_or_region: Type.Optional(Text(200, 'State or region.')),
    postal_code: Type.Optional(Text(40, 'Postal code.')),
    country: Type.Optional(Text(100, 'Country.')),
  },
  { title: 'Address' },
);
const NotificationPreferences = Strict(
  {
    send_payment_emails: Type.Optional(
      Type.Boolean({ description: 'Emails about payments. Stored for you; the service sends nothing.' }),
    ),
    send_sms_reminders: Type.Optional(
      Type.Boolean({ description: 'Reminders by SMS. Stored for you; the service sends nothing.' }),
    ),
    send_sms_failures: Type.Optional(
      Type.Boolean({ description: 'Failures by SMS. Stored for you; the service sends nothing.' }),
    ),
  },
  { title: 'NotificationPreferences' },
);
const FeePreferences = Strict(
  {
    customer_pays_transaction_fees: Type.Optional(
      Type.Boolean({ description: 'Whether every payment of the customer carries the fee as a surcharge.' }),
    ),
  },
  { title: 'FeePreferences' },
);
const Phone = Strict(
  {
    kind: Type.Optional(Text(40, 'Such as mobile or home.')),
    raw: Type.String({ minLength: 1, maxLength: 60, description: 'The number, in any form.' }),
    country_code: Type.Optional(Text(8, 'Such as AU or +61.')),
  },
  { title: 'Phone' },
);

/** The fields that may be left out at creation, and cleared by null later. */
const clearable = {
  email: Email,
  reference: Text(255, 'Your own reference.'),
  business_name: Text(255, 'Business name.'),
  billing_address: Address,
  shipping_address: Address,
  notification_preferences: NotificationPreferences,
  fee_preferences: FeePreferences,
  additional_attributes: FreeForm,
  phones: Type.Array(Phone, { maxItems: 20, description: 'At most 20.' }),
};

export const CustomerCreate = withExamples(
  Strict(
    {
      name: Name,
      status: Type.Optional(Status),
      ...optional(clearable),
      metadata: Type.Optional(Metadata),
      test_clock: Type.Optional(
        Reference(
          'Sandbox only: the test clock whose time the customer follows. Set at creation; it cannot be changed.',
        ),
      ),
    },
    { title: 'CustomerCreate' },
  ),
  {
    plain: { summary: 'Only a name', value: { name: 'Jo Nguyen' } },
    full: {
      summary: 'With address, phone and your own reference',
      value: {
        name: 'Jo Nguyen',
        email: 'jo@example.com',
        reference: 'member-1042',
        billing_address: { line1: '12 Wattle Street', city_or_suburb: 'Ultimo', postal_code: '2007', country: 'AU' },
        phones: [{ kind: 'mobile', raw: '0400 000 000', country_code: 'AU' }],
        additional_attributes: { tier: 'gold' },
      },
    },
    clock: {
      summary: 'On a test clock (sandbox)',
      value: { name: 'Jo Nguyen', test_clock: exampleId('test_clock') },
    },
  },
);
export type CustomerCreate = Static<typeof CustomerCreate>;

export const CustomerUpdate = withExamples(
  Strict(
    {
      name: Type.Optional(Name),
      status: Type.Optional(Status),
      ...optional(nullable(clearable)),
      metadata: Type.Optional(Metadata),
      default_payment_method: Type.Optional(
        Nullable(Reference('A method of this customer, or null to have no default.')),
      ),
      test_clock: Type.Optional(Unchangeable),
    },
    { title: 'CustomerUpdate' },
  ),
  {
    email: {
      summary: 'Change the email address, remove the shipping address',
      value: { email: 'jo.n@example.com', shipping_address: null },
    },
  },
);
export type CustomerUpdate = Static<typeof CustomerUpdate>;

export const Customer = Strict(
  {
    id: Id('customer', 'The id of the customer.'),
    name: Nullable(Type.String(), { description: 'Full name.' }),
    email: Nullable(Type.String(), { description: 'Email address.' }),
    reference: Nullable(Type.String(), { description: 'Your own reference.' }),
    status: Nullable(Status),
    business_name: Nullable(Type.String(), { description: 'Business name.' }),
    billing_address: Nullable(Address),
    shipping_address: Nullable(Address),
    notification_preferences: Nullable(NotificationPreferences),
    fee_preferences: Nullable(FeePreferences),
    additional_attributes: Nullable(FreeForm),
    phones: Nullable(Type.Array(Phone), { description: 'In the order given.' }),
    metadata: Metadata,
    default_payment_method: Nullable(Type.String(), {
      description: 'The method that is charged if no other is named. At first, the first method that was saved.',
    }),
    test_clock: Nullable(Type.String(), {
      description: 'The test clock whose time the customer follows; null in real time.',
    }),
    biller_id: Nullable(Type.String(), { description: 'The account that the customer belongs to.' }),
    livemode: Livemode,
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: Nullable(Timestamp, { description: 'When it was deleted; null if it was not.' }),
  },
  { title: 'Customer' },
);
export type Customer = Static<typeof Customer>;

export const customerExample = example(Customer, {
  id: exampleId('customer'),
  name: 'Jo Nguyen',
  email: 'jo@example.com',
  reference: 'member-1042',
  status: 'active',
  business_name: null,
  billing_address: {
    line1: '12 Wattle Street',
    city_or_suburb: 'Ultimo',
    state_or_region: 'NSW',
    postal_code: '2007',
    country: 'AU',
  },
  shipping_address: null,
  notification_preferences: { send_payment_emails: true },
  fee_preferences: { customer_pays_transaction_fees: false },
  additional_attributes: { tier: 'gold' },
  phones: [{ kind: 'mobile', raw: '0400 000 000', country_code: 'AU' }],
  metadata: { crm: '7-1042' },
  default_payment_method: exampleId('payment_method'),
  test_clock: exampleId('test_clock'),
  ...owned,
  created_at: madeAt,
  updated_at: madeAt,
  deleted_at: null,
});

/**
 * A customer as the API shows it. `default_payment_method` and `test_clock` are the columns `default_payment_method_id`
 * and `test_clock_id`.
 */
export function presentCustomer(row: CustomerRow): Customer {
  return present(Customer, {
    ...row,
    default_payment_method: row.default_payment_method_id,
    test_clock: row.test_clock_id,
  });
}
