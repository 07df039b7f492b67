/** What a person of a biller may be on the dashboard. */
export const dashboardRoles = ['viewer', 'support', 'finance', 'admin'] as const;
export type DashboardRole = (typeof dashboardRoles)[number];

/** What a person can do on the dashboard, beside looking. */
export type DashboardAction =
  | 'retry_payment'
  | 'change_plan'
  | 'change_subscription'
  | 'make_link'
  | 'see_receipt'
  | 'send_webhook'
  | 'move_clock'
  | 'refund'
  | 'see_books'
  | 'download';

const ofSupport: readonly DashboardAction[] = [
  'retry_payment',
  'change_plan',
  'change_subscription',
  'make_link',
  'see_receipt',
  'send_webhook',
  'move_clock',
];
const ofFinance: readonly DashboardAction[] = ['refund', 'see_books', 'download'];

const actions: Readonly<Record<DashboardRole, readonly DashboardAction[]>> = {
  viewer: [],
  support: ofSupport,
  finance: ofFinance,
  admin: [...ofSupport, ...ofFinance],
};

/** Whether a role may do this (capabilities: dashboard, the table of roles). */
export function mayDo(role: DashboardRole, action: DashboardAction): boolean {
  return actions[role].includes(action);
}
