import { auBecs } from './au-becs.ts';
import type { SchemeProfile } from './scheme-profile.ts';

/** The debit schemes by the name that a mandate carries. */
export const schemes = { au_becs: auBecs } as const satisfies Record<string, SchemeProfile>;

export type Scheme = keyof typeof schemes;
