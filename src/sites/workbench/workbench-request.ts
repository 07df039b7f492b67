import type { AccountRequest, Answer } from '../account/account-request.ts';

export type { Answer } from '../account/account-request.ts';

/** A request for a page of the workbench. */
export interface WorkbenchRequest extends AccountRequest {
  /** Whether the person may see the books: a page has no link to them otherwise. */
  seesBooks: boolean;
}

/** A page of the workbench. A `GET` writes nothing. */
export interface WorkbenchRoute {
  method: 'GET' | 'POST';
  /** Of the path after that of the first page. Its group is the id. */
  path: RegExp;
  handle(request: WorkbenchRequest): Promise<Answer>;
}
