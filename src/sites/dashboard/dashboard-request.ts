import type { DashboardAction, DashboardRole } from '../../domain/dashboard-roles.ts';
import type { Table } from '../../resources/reports/report.ts';
import type { Scope } from '../../services/accounts/scopes.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import type { PageUrls } from '../../services/pages/page-urls.ts';
import type { ReportSlots } from '../../services/reports/report-slots.ts';
import type { AccountRequest, Answer } from '../account/account-request.ts';

/** A request for a page of the dashboard, by a person whose session has not ended. */
export interface DashboardRequest extends AccountRequest {
  vault: Vault;
  pageUrls: PageUrls;
  reportSlots: ReportSlots;
  sessionId: string;
  person: string;
  role: DashboardRole;
  /** Whether the person may do this: the role has it, and the mode. A page shows no form that may not be sent. */
  may(action: DashboardAction): boolean;
}

/** A table to stream as CSV: the path ends in `.csv`. */
export interface Download {
  table: Table;
}

/** A page of the dashboard, or what a form of one does. A `GET` writes nothing. */
export interface DashboardRoute {
  method: 'GET' | 'POST';
  /** Of the path after `/dashboard/`. Its first group is the id. */
  path: RegExp;
  /** What the person must be allowed to do; otherwise 403. */
  needs?: DashboardAction;
  /** A scope of the session's key that not every key has which may give the role; otherwise 403. */
  scope?: Scope;
  /** In live mode there is no such page. */
  sandboxOnly?: true;
  /** Its name in the bar, and its path there, if it has one. */
  menu?: { title: string; path: string };
  handle(request: DashboardRequest): Promise<Answer | Download>;
}
