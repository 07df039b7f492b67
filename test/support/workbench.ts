import { realNow } from '../../src/platform/real-time.ts';
import type { Vault } from '../../src/services/accounts/vault.ts';
import { formField } from '../../src/sites/dashboard/form-field.ts';
import { enterDashboard, type Visitor } from './dashboard.ts';

/** The address of the first page of the test clocks, on the API at `url`. */
export const workbenchOf = (url: string) => `${url}/dashboard/sandbox/`;

/** A person in the pages of the test clocks. Paths are relative to the first of them. */
export interface WorkbenchVisitor extends Pick<Visitor, 'cookie' | 'sessionId'> {
  get(path: string): ReturnType<Visitor['get']>;
  /** Posts these fields with the hidden field that the form of this path has. */
  post(path: string, fields?: Record<string, string>): ReturnType<Visitor['get']>;
}

/** Lets a person with this key into the pages of the test clocks. */
export async function enterWorkbench(url: string, key: string, vault: Vault): Promise<WorkbenchVisitor> {
  const visitor = await enterDashboard(url, key, 'admin');
  const { cookie, sessionId } = visitor;
  return {
    ...{ cookie, sessionId },
    get: (path) => visitor.get(`sandbox/${path}`),
    post(path, fields = {}) {
      const field = formField(vault, sessionId, `sandbox/${path}`, realNow()).text;
      const [, form = ''] = /value="([^"]*)"/.exec(field) ?? [];
      return visitor.send(`sandbox/${path}`, { form, ...fields });
    },
  };
}
