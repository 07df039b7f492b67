import { readFile } from 'node:fs/promises';
import { namedId } from '../../domain/ids.ts';
import { type CostKey, costKeys, inPercent, readPercentage } from '../../domain/surcharges/costs.ts';
import { inWords, mostFixed, readFee } from '../../domain/surcharges/fees.ts';
import { methodTypes } from '../../domain/surcharges/means.ts';
import type { Tax } from '../../domain/tax/tax.ts';
import { realNow } from '../../platform/real-time.ts';
import {
  type BillerProfile,
  changeBillerProfile,
  changeCheckoutOrigins,
  getBillerProfile,
  type ProfileChange,
  profileTexts,
} from '../../services/accounts/biller-profile.ts';
import { createBiller, listBillers } from '../../services/accounts/billers.ts';
import { defineCommand, operator, refuseMore, UsageError, unknownForm } from './command.ts';
import { card, table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  billers create --name NAME [--timezone Australia/Sydney] [--country AU] [--statement-descriptor TEXT] [--require-mandates]
                      [--json]
  billers list [--json]
  billers update ID [--display-name TEXT] [--support-email ADDRESS] [--support-phone NUMBER] [--address TEXT]
                    [--tax-id TEXT] [--brand-color '#rrggbb'] [--logo FILE]
                    [--timezone Australia/Sydney] [--country AU] [--cost-of-acceptance amex=1.9%]...
                    [--fees 1.75%+30]... [--fees au_becs_debit=1%+30]... [--tax GST=10%] [--json]
      What payers see, what decides which surcharges are allowed, what a payment costs the biller (of the amount, and
      in minor units), and the tax that its prices include. An empty value removes what was there. The time zone can change while nothing is scheduled.
  billers origins ID [--add ORIGIN]... [--remove ORIGIN]... [--json]
      The pages that may hold the widget, such as https://shop.example.com. Without options: lists them.`,
  options: {
    name: { type: 'string' },
    timezone: { type: 'string' },
    'statement-descriptor': { type: 'string' },
    'require-mandates': { type: 'boolean' },
    'display-name': { type: 'string' },
    'support-email': { type: 'string' },
    'support-phone': { type: 'string' },
    address: { type: 'string' },
    'tax-id': { type: 'string' },
    'brand-color': { type: 'string' },
    logo: { type: 'string' },
    country: { type: 'string' },
    'cost-of-acceptance': { type: 'string', multiple: true },
    fees: { type: 'string', multiple: true },
    tax: { type: 'string' },
    add: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
  async run({ values, words: [form, ...rest] }, openContext) {
    if (form === 'update') {
      const [id, ...more] = rest;
      if (id === undefined) throw new UsageError('billers update needs the ID of a biller.');
      refuseMore(more);
      const change = await changeIn(values);
      const origin = { by: operator(), now: realNow() };
      const profile = await changeBillerProfile((await openContext()).sql, namedId('biller', id), change, origin);
      return values.json ? JSON.stringify(profile) : card(shown(profile));
    }
    if (form === 'origins') {
      const [text, ...more] = rest;
      const id = namedId('biller', text);
      if (id === undefined) throw new UsageError('billers origins needs the ID of a biller.');
      refuseMore(more);
      const { add = [], remove = [] } = values;
      const { sql } = await openContext();
      const origin = { by: operator(), now: realNow() };
      const isRead = add.length + remove.length === 0;
      const { checkout_origins: origins } = isRead
        ? await getBillerProfile(sql, id)
        : await changeCheckoutOrigins(sql, id, { add, remove }, origin);
      return values.json ? JSON.stringify(origins) : table(origins.map((text) => ({ origin: text })));
    }
    refuseMore(rest);
    if (form === 'create') {
      if (values.name === undefined) throw new UsageError('billers create needs --name.');
      const { sql } = await openContext();
      const biller = await createBiller(sql, {
        name: values.name,
        timeZone: values.timezone,
        country: values.country,
        statementDescriptor: values['statement-descriptor'],
        requireMandates: values['require-mandates'],
        by: operator(),
        now: realNow(),
      });
      return values.json ? JSON.stringify(biller) : card(biller);
    }
    if (form === 'list') {
      const billers = await listBillers((await openContext()).sql);
      return values.json ? JSON.stringify(billers) : table(billers);
    }
    throw unknownForm(form);
  },
});

/** What the options change. An empty one removes the value. @throws UsageError if they change nothing */
async function changeIn(
  values: Readonly<Record<string, string | boolean | string[] | undefined>>,
): Promise<ProfileChange> {
  const change: ProfileChange = {};
  for (const name of profileTexts) {
    const value = values[name.replaceAll('_', '-')];
    if (typeof value === 'string') change[name] = value === '' ? null : value;
  }
  if (typeof values.logo === 'string') change.logo = values.logo === '' ? null : await readLogo(values.logo);
  if (typeof values.country === 'string') change.country = values.country === '' ? null : values.country;
  const costs = values['cost-of-acceptance'];
  if (Array.isArray(costs)) change.costs = Object.fromEntries(costs.map(costIn));
  if (Array.isArray(values.fees)) Object.assign(change, feesIn(values.fees));
  if (typeof values.tax === 'string') change.tax = values.tax === '' ? null : taxIn(values.tax);
  if (typeof values.timezone === 'string') change.timeZone = values.timezone;
  if (Object.keys(change).length === 0) {
    const options = [...profileTexts, 'logo', 'timezone', 'country', 'cost-of-acceptance', 'fees', 'tax'];
    const names = options.map((name) => `--${name.replaceAll('_', '-')}`);
    throw new UsageError(`billers update changes ${names.join(', ')}. Give at least one.`);
  }
  return change;
}

/** Reads a cost such as `amex=1.9%`. Without a percentage it is removed. */
function costIn(text: string): [CostKey, number | null] {
  const [, name, percentage = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const key = costKeys.find((known) => known === name);
  if (key === undefined) {
    throw new UsageError(`${text}: write a cost as amex=1.9%. The name is one of ${costKeys.join(', ')}.`);
  }
  const points = percentage === '' ? null : readPercentage(percentage);
  if (percentage !== '' && points === null) {
    throw new UsageError(`${text}: a cost is from 0 % to 100 %, with at most two decimals.`);
  }
  return [key, points];
}

/** Reads fees such as `1.75%+30`, for every way to pay, and `au_becs_debit=1%+30`, for one of them. */
function feesIn(texts: string[]): Pick<ProfileChange, 'standardFee' | 'feesByMethod'> {
  const change: Pick<ProfileChange, 'standardFee' | 'feesByMethod'> = {};
  for (const text of texts) {
    const [, name, fee = ''] = /^(?:([^=]*)=)?(.*)$/.exec(text) ?? [];
    const type = methodTypes.find((known) => known === name);
    if (name !== undefined && type === undefined) {
      throw new UsageError(`${text}: the way to pay is one of ${methodTypes.join(', ')}.`);
    }
    const schedule = readFee(fee);
    if (schedule === null && (type === undefined || fee !== '')) {
      throw new UsageError(`${text}: write a fee as 1.75%+30. The fixed part is at most ${mostFixed} minor units.`);
    }
    if (type === undefined) change.standardFee = schedule ?? change.standardFee;
    else change.feesByMethod = { ...change.feesByMethod, [type]: schedule };
  }
  return change;
}

/** Reads a tax such as `GST=10%`. */
function taxIn(text: string): Tax {
  const [, label = '', percentage = ''] = /^(.*)=([^=]*)$/.exec(text) ?? [];
  const basisPoints = readPercentage(percentage);
  if (label === '' || basisPoints === null) {
    throw new UsageError(`${text}: write the tax that prices include as GST=10%, with at most two decimals.`);
  }
  return { label, basisPoints };
}

async function readLogo(file: string): Promise<Buffer> {
  return readFile(file).catch(() => {
    throw new UsageError(`The logo cannot be read: ${file}`);
  });
}

function shown({ logo_name: logo, checkout_origins: origins, fees, tax, ...profile }: BillerProfile) {
  const stated = Object.entries(profile.cost_of_acceptance).map(([key, points]) => `${key}=${inPercent(points)}`);
  const byMethod = Object.entries(fees.byMethod).map(([type, schedule]) => `${type}=${inWords(schedule)}`);
  return {
    ...profile,
    cost_of_acceptance: stated.join(' ') || null,
    fees: [inWords(fees.standard), ...byMethod].join(' '),
    tax: tax && `${tax.label}=${inPercent(tax.basisPoints)}`,
    logo: logo === null ? null : 'yes',
    checkout_origins: origins.join(' ') || null,
  };
}
