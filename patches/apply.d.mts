/** See apply.mjs. */
export function patchPostgres(folder?: string): void;
