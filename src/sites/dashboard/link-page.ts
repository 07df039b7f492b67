import { type Html, html } from '../../platform/html.ts';
import { getPlanDetails, getSubscriptionDetails, takenByResume } from '../../services/dashboard/subject.ts';
import { InvalidState } from '../../services/errors.ts';
import type { Answer } from '../account/account-request.ts';
import { apiRoute } from '../account/api-route.ts';
import type { DashboardRequest, DashboardRoute } from './dashboard-request.ts';
import { takenInWords } from './subject-actions.ts';

type Of = 'plans' | 'subscriptions';

const ended: readonly string[] = ['closed', 'deactivated', 'canceled'];

/** The link to the page that makes a payment link for a plan or subscription, if the person may make one. */
export function linkOffer({ may, base, id }: DashboardRequest, of: Of, state: string): Html | null {
  if (!may('make_link') || ended.includes(state)) return null;
  return html`<a href="${base}${of}/${id}/link">Make a link for the payer</a> `;
}

/** The pages that make a link by which the payer saves a method and pays what is owed. */
export const linkRoutes: readonly DashboardRoute[] = (['plans', 'subscriptions'] as const).flatMap((of) => {
  const path = new RegExp(`^${of}/(${of === 'plans' ? 'pp' : 'sub'}_\\w+)/link$`);
  return [
    { method: 'GET', path, needs: 'make_link', handle: (request) => askLink(of, request) },
    { method: 'POST', path, needs: 'make_link', handle: (request) => makeLink(of, request) },
  ] satisfies DashboardRoute[];
});

async function subjectOf(of: Of, { sql, context, id }: DashboardRequest) {
  const { customer, subject } =
    of === 'plans'
      ? await getPlanDetails(sql, context, id).then(({ customer, plan }) => ({ customer, subject: plan }))
      : await getSubscriptionDetails(sql, context, id).then(({ customer, subscription }) => {
          return { customer, subject: subscription };
        });
  if (!ended.includes(subject.state)) return { customer, subject };
  throw new InvalidState(`It is ${subject.state}, so no link can be made for it.`);
}

async function askLink(of: Of, request: DashboardRequest): Promise<Answer> {
  const { sql, context, base, id, formField } = request;
  const { customer, subject } = await subjectOf(of, request);
  const named = of === 'plans' ? { planId: id as `pp_${string}` } : { subscriptionId: id as `sub_${string}` };
  const coming = await takenByResume(sql, context, named, customer, subject.payment_instrument_id);
  const path = `${of}/${id}/link`;
  return {
    status: 200,
    title: 'Make a link',
    main: html`<h1>Make a link for ${customer.name}?</h1>
<p>Anyone who has the link can save a card or bank account for ${subject.name}. ${
      coming?.waitsForBiller
        ? 'Nothing is taken by that. If it is started or resumed today:'
        : 'What is then taken, as the payer sees it first:'
    }</p>
${takenInWords(coming)}
<form method="post" action="${base}${path}">${formField(path)}<button>Make the link</button>
<a href="${base}${of}/${id}">Do nothing</a></form>`,
  };
}

async function makeLink(of: Of, request: DashboardRequest): Promise<Answer> {
  const { base, id, perform } = request;
  const { customer, subject } = await subjectOf(of, request);
  const made = await perform({
    route: apiRoute('createPaymentLink'),
    params: {},
    body: {
      mode: 'setup',
      name: subject.name,
      customer_id: customer.id,
      apply_to: of === 'plans' ? { payment_plan_id: id } : { subscription_id: id },
    },
    audit: { action: 'payment_link.created', subjectId: id, changes: {} },
  });
  const url = typeof made === 'object' && made !== null && 'url' in made ? String(made.url) : '';
  return {
    status: 200,
    title: 'The link',
    main: html`<h1>The link for ${customer.name}</h1>
<p>Send it to the payer. No other page shows it.</p>
<pre tabindex="0">${url}</pre>
<p><a href="${base}${of}/${id}">${subject.name}</a></p>`,
  };
}
