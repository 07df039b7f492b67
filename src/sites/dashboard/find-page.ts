import { html } from '../../platform/html.ts';
import type { Answer } from '../account/account-request.ts';
import type { DashboardRequest } from './dashboard-request.ts';

/** The first page: one field that finds. */
export async function showFind({ base, query }: DashboardRequest): Promise<Answer> {
  return {
    status: 200,
    title: 'Find',
    main: html`<h1>Find</h1>
<form method="get" action="${base.slice(0, -1)}" class="find" role="search"><label for="q">Find</label>
<input id="q" name="q" type="search" maxlength="255" value="${query.get('q') ?? ''}"><button>Find</button></form>`,
  };
}
