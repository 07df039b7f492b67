import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import type { Tax } from '../domain/tax/tax.ts';
import { Nullable, present, Strict, type Tag } from './common.ts';
import { example } from './examples.ts';

export const accounts: Tag = {
  name: 'Account',
  description: 'How your account presents itself to payers, on the pages that the service shows them, and where it is.',
};

/** A tax, as the API shows it. */
export const taxMembers = {
  label: Type.String({ description: 'Its name, such as `GST`.' }),
  percent: Type.Number({ description: 'So many per cent of the price without it, at most two decimals.' }),
};

const AccountTax = Strict(taxMembers, { title: 'AccountTax' });

export const Account = Strict(
  {
    id: Type.String({ description: 'Your biller id.' }),
    name: Type.String({ description: 'The name of the account.' }),
    time_zone: Type.String({
      description: 'The IANA name of the zone in which dates begin: payments are due at 00:00 of their date there.',
    }),
    country: Nullable(Type.String(), {
      description: 'ISO 3166-1 alpha-2. It decides which surcharges are allowed. Null: it was not stated.',
    }),
    display_name: Nullable(Type.String(), { description: 'The name that payers read. Null: `name`.' }),
    support_email: Nullable(Type.String(), { description: 'Where payers write with questions.' }),
    support_phone: Nullable(Type.String(), { description: 'Where payers call with questions.' }),
    address: Nullable(Type.String(), { description: 'The business address, as one line.' }),
    tax_id: Nullable(Type.String(), {
      description: 'Such as `ABN 51 824 753 556`. Receipts show it. A tax invoice needs an ABN here.',
    }),
    tax: Nullable(AccountTax, {
      description:
        'The tax that your prices include. Null: you have stated none, and no payment has a tax. It holds for payments ' +
        'that are made from then on.',
    }),
    brand_color: Nullable(Type.String(), { description: 'The colour of buttons, as `#rrggbb`.' }),
    checkout_origins: Type.Array(Type.String(), {
      description: 'The origins of your pages that may hold the widget. Those with `http` count in the sandbox only.',
    }),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

example(Account, {
  id: exampleId('biller'),
  name: 'Harbour Gym Pty Ltd',
  time_zone: 'Australia/Sydney',
  country: 'AU',
  display_name: 'Harbour Gym',
  support_email: 'accounts@harbourgym.example',
  support_phone: '+61 2 5550 1234',
  address: '1 Harbour Street, Sydney NSW 2000',
  tax_id: 'ABN 51 824 753 556',
  tax: { label: 'GST', percent: 10 },
  brand_color: '#0b7285',
  checkout_origins: ['https://shop.harbourgym.example'],
});

/** An account as the API shows it. */
export function presentAccount(profile: Omit<Account, 'tax'> & { tax: Tax | null }): Account {
  return present(Account, { ...profile, tax: profile.tax && presentTax(profile.tax) });
}

/** A tax with its rate in per cent. */
export function presentTax({ label, basisPoints }: Tax) {
  return { label, percent: basisPoints / 100 };
}
