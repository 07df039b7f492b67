import { realNow } from '../../platform/real-time.ts';
import { countLeft, findUnreadable, keyUsage, rotateEncryption } from '../../services/accounts/encryption.ts';
import { findKeyProblems } from '../../services/accounts/recorded-keys.ts';
import { KeysRefused } from '../checked-vault.ts';
import { defineCommand, operator, refuseMore, unknownForm } from './command.ts';
import { table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  encryption status [--json]    what is sealed with which key and in which format. A key or format without any values can
                                be removed
  encryption rotate [--json]    seal everything with the first key, in the first format, while the service runs. If it is
                                interrupted, run it again
  encryption verify [--json]    open everything and list what cannot be opened; changes nothing

Set ENCRYPTION_KEYS as for the service. The exit status of rotate is 1 if anything is left under another key or format,
that of verify if anything cannot be opened. docs/security.md, "Encryption keys, and their rotation", has the steps.`,
  options: { json: { type: 'boolean' } },
  async run({ values, words: [form, ...rest] }, openContext) {
    refuseMore(rest);
    const open = async () => {
      const { sql, vault } = await openContext();
      return { sql, vault: await vault() };
    };
    if (form === 'status') {
      const { sql, vault } = await open();
      const keys = await keyUsage(sql, vault);
      return values.json ? JSON.stringify({ keys }) : table(keys);
    }
    if (form === 'rotate') {
      const { sql, vault } = await open();
      // A key that is missing only leaves its values as they are.
      const wrong = (await findKeyProblems(sql, vault)).filter(({ kind }) => kind === 'wrong');
      if (wrong.length > 0) throw new KeysRefused(wrong, 'ENCRYPTION_KEYS');
      const rotation = await rotateEncryption(sql, vault, { by: operator(), now: realNow() });
      const keys = await keyUsage(sql, vault);
      const isAnythingLeft = keys.some((row) => countLeft(row) > 0);
      const status = isAnythingLeft ? 1 : 0;
      if (values.json) return { status, text: JSON.stringify({ ...rotation, keys }) };
      const isWaiting = keys.some((row) => row.role !== 'encrypts' && row.requests > 0);
      const advice = adviceOf(isAnythingLeft, rotation.unreadable, isWaiting);
      return { status, text: `${table(keys)}\n\n${rotation.resealed} values were sealed again. ${advice}` };
    }
    if (form === 'verify') {
      const { sql, vault } = await open();
      const unreadable = await findUnreadable(sql, vault);
      const status = unreadable.length > 0 ? 1 : 0;
      if (values.json) return { status, text: JSON.stringify({ unreadable }) };
      return { status, text: status === 0 ? 'Everything can be opened.' : table(unreadable) };
    }
    throw unknownForm(form);
  },
});

function adviceOf(isAnythingLeft: boolean, unreadable: number, isWaiting: boolean): string {
  if (unreadable > 0) return `${unreadable} cannot be opened. encryption verify lists them.`;
  if (!isAnythingLeft && isWaiting) {
    return 'Nothing is sealed with another key or format. Remove the key when encryption status shows no requests for it.';
  }
  if (!isAnythingLeft) return 'Nothing is left under another key or format.';
  return (
    'Some process still writes with another key or format. Give every process the same version and the same\n' +
    'ENCRYPTION_KEYS, then run this again.'
  );
}
