import assert from 'node:assert/strict';

/** Asks the API at `url` for a link to the workbench with this key, as the command line does. Returns its URL. */
export async function workbenchLink(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/test_helpers/workbench_links`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return `${url}${JSON.parse(text).path}`;
}
