import type { CommitReader } from './link.ts';

const lengthBytes = 4;
const typeBytes = 1;

/**
 * Reads what a client sends to PostgreSQL (frontend messages, protocol 3) from the start of a connection, and returns
 * for each chunk whether a commit is in it: as a plain query, or as the execution of a statement that was prepared
 * before.
 */
export function readCommits(): CommitReader {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  const commitStatements = new Set<string>();
  let bound: string | null = null;

  /** Whether this message commits. */
  function read(type: string, body: Buffer): boolean {
    const [first = '', second = ''] = body.toString('latin1').split('\0', 2);
    switch (type) {
      case 'Q':
        return isCommit(first);
      case 'P': // parse: name, query
        if (isCommit(second)) commitStatements.add(first);
        else commitStatements.delete(first);
        return false;
      case 'B': // bind: portal, statement
        bound = second;
        return false;
      case 'E':
        return bound !== null && commitStatements.has(bound);
      default:
        return false;
    }
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let commits = false;
    for (;;) {
      // The first message of a connection has no type.
      const head = isStarted ? typeBytes : 0;
      if (rest.length < head + lengthBytes) return commits;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return commits;
      if (isStarted)
        commits = read(String.fromCharCode(rest[0] ?? 0), rest.subarray(head + lengthBytes, end)) || commits;
      rest = rest.subarray(end);
      isStarted = true;
    }
  };
}

function isCommit(query: string): boolean {
  return /^\s*commit\s*;?\s*$/i.test(query);
}
