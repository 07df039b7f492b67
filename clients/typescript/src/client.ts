import { Resources } from './generated/resources.ts';
import type { ClientOptions } from './options.ts';
import { TestClocks } from './test-clocks.ts';
import { createRequester } from './transport.ts';
import { signWebhook, verifyWebhook } from './webhooks.ts';

/** A client of the payments service, with a member per resource and a method per operation. */
export class PaymentsClient extends Resources {
  override readonly testClocks: TestClocks;
  /** For webhook receivers. The functions also work without a client. */
  readonly webhooks = { verify: verifyWebhook, sign: signWebhook };

  /** @throws TypeError if the key or the address is missing or malformed. */
  constructor(options: ClientOptions) {
    const request = createRequester(options);
    super(request);
    this.testClocks = new TestClocks(request);
  }
}
