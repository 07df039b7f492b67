import Type, { type Static } from 'typebox';
import type { CustomerRow } from '../db/customers.ts';
import { FreeForm, Id, instant, Livemode, Nullable, Reference, Strict, Timestamp } from './common.ts';

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'Full name.' });
const Email = Type.String({ format: 'email', maxLength: 254, description: 'Email address.' });
const Status = Type.Enum(['active', 'inactive'], { description: 'For your own use. By default `active`.' });

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

const optionalFields = {
  email: Email,
  reference: Text(255, 'Your own reference.'),
  status: Status,
  business_name: Text(255, 'Business name.'),
  billing_address: Address,
  shipping_address: Address,
  notification_preferences: NotificationPreferences,
  fee_preferences: FeePreferences,
  additional_attributes: FreeForm,
  phones: Type.Array(Phone, { maxItems: 20, description: 'At most 20.' }),
};

export const CustomerCreate = Strict(
  {
    name: Name,
    email: Type.Optional(optionalFields.email),
    reference: Type.Optional(optionalFields.reference),
    status: Type.Optional(optionalFields.status),
    business_name: Type.Optional(optionalFields.business_name),
    billing_address: Type.Optional(optionalFields.billing_address),
    shipping_address: Type.Optional(optionalFields.shipping_address),
    notification_preferences: Type.Optional(optionalFields.notification_preferences),
    fee_preferences: Type.Optional(optionalFields.fee_preferences),
    additional_attributes: Type.Optional(optionalFields.additional_attributes),
    phones: Type.Optional(optionalFields.phones),
    test_clock: Type.Optional(
      Reference('Sandbox only: the test clock whose time the customer follows. Set at creation; it cannot be changed.'),
    ),
  },
  { title: 'CustomerCreate' },
);
export type CustomerCreate = Static<typeof CustomerCreate>;

export const CustomerUpdate = Strict(
  {
    name: Type.Optional(Name),
    email: Type.Optional(Nullable(optionalFields.email)),
    reference: Type.Optional(Nullable(optionalFields.reference)),
    status: Type.Optional(optionalFields.status),
    business_name: Type.Optional(Nullable(optionalFields.business_name)),
    billing_address: Type.Optional(Nullable(optionalFields.billing_address)),
    shipping_address: Type.Optional(Nullable(optionalFields.shipping_address)),
    notification_preferences: Type.Optional(Nullable(optionalFields.notification_preferences)),
    fee_preferences: Type.Optional(Nullable(optionalFields.fee_preferences)),
    additional_attributes: Type.Optional(Nullable(optionalFields.additional_attributes)),
    phones: Type.Optional(Nullable(optionalFields.phones)),
    default_payment_method: Type.Optional(
      Nullable(Reference('A method of this customer, or null to have no default.')),
    ),
    test_clock: Type.Optional(Type.Unknown({ description: 'Cannot be changed. Sending it is a validation error.' })),
  },
  { title: 'CustomerUpdate' },
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

/**
 * A customer as the API shows it. `default_payment_method` and `test_clock` are the columns `default_payment_method_id`
 * and `test_clock_id`.
 */
export function presentCustomer(row: CustomerRow): Customer {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    reference: row.reference,
    status: row.status,
    business_name: row.business_name,
    billing_address: row.billing_address,
    shipping_address: row.shipping_address,
    notification_preferences: row.notification_preferences,
    fee_preferences: row.fee_preferences,
    additional_attributes: row.additional_attributes,
    phones: row.phones,
    default_payment_method: row.default_payment_method_id,
    test_clock: row.test_clock_id,
    biller_id: row.biller_id,
    livemode: row.livemode,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    deleted_at: instant(row.deleted_at),
  };
}
