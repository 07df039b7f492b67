import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { scramVerifier } from '../../src/platform/postgres/scram.ts';

describe('the SCRAM verifier of a password', () => {
  it('is that of the example of RFC 7677', () => {
    assert.equal(
      scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')),
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=' +
        ':wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    );
  });

  it('has a salt of its own each time', () => {
    assert.notEqual(scramVerifier('pencil'), scramVerifier('pencil'));
  });
});
