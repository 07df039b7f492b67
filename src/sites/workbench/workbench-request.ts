import type { AccountRequest, Answer } from '../account/account-request.ts';

export type { Answer, Page } from '../account/account-request.ts';

/** A request for a page of the workbench, by a link that is valid. */
export type WorkbenchRequest = AccountRequest;

/** A page of the workbench. A `GET` writes nothing. */
export interface WorkbenchRoute {
  method: 'GET' | 'POST';
  /** Of the path after the token. Its group is the id. */
  path: RegExp;
  handle(request: WorkbenchRequest): Promise<Answer>;
}
