import { Resources } from './generated/resources.ts';
import type { ClientOptions } from './options.ts';
import { TestClocks } from './test-clocks.ts';
import { createRequester } from './transport.ts';
import { signWebhook, verifyWebhook } from './webhooks.ts';

/** A client of the payments service: a member for each resource, a method for each operation. */
export class PaymentsClient extends Resources {
  override readonly testClocks: TestClocks;
  /** For receivers of webhooks; the functions work without a client too. */
  readonly webhooks = { verify: verifyWebhook, sign: signWebhook };

  /** @throws TypeError when the key or the address is missing or cannot be one. */
  constructor(options: ClientOptions) {
    const request = createRequester(options);
    super(request);
    this.testClocks = new TestClocks(request);
  }
}
