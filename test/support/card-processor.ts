import { declined } from '../../src/domain/charge-outcome.ts';
import type { CardDetails, SetupState } from '../../src/processors/card-setups.ts';
import { type ChargeRequest, OutcomeUnknown, type PaymentProcessor } from '../../src/processors/processor.ts';

export const script = 'https://js.processor.example';
const frames = [script, 'https://bank.processor.example'];
const requests = ['https://api.processor.example'];
export const visa: CardDetails = {
  ...{ brand: 'visa', network: 'visa', funding: 'credit', lastFour: '4242', expiryMonth: 12, expiryYear: 2040 },
  ...{ country: 'AU', fingerprint: 'fp_1' },
};

/** What live pages may load for its fields. */
export const cardFields = { scripts: [script], frames, requests };

/** A live processor with fields for cards. */
export class CardProcessor implements PaymentProcessor {
  readonly calls: string[] = [];
  readonly charged: ChargeRequest[] = [];
  /** What the payer has entered in each setup, by its reference. */
  readonly states = new Map<string, SetupState>();
  readonly byKey = new Map<string, string>();
  cards = new Map<string, CardDetails | null>();
  hasFields = true;
  isAway = false;
  scriptUrl = `${script}/v1/`;
  /** What it waits for before it tells of a card. */
  hold = async (): Promise<void> => {};
  referenceOf = () => `seti_${crypto.randomUUID().replaceAll('-', '')}`;
  readonly prepare = null;
  readonly movements = null;
  readonly notices = null;

  ask(call: string): void {
    this.calls.push(call);
    if (this.isAway) throw new OutcomeUnknown('it is away');
  }

  async charge(request: ChargeRequest) {
    this.charged.push(request);
    const isDeclined = request.paymentMethodToken?.includes('declined') === true;
    return isDeclined ? declined('card_declined') : { kind: 'succeeded' as const };
  }
  async inquire() {
    return { kind: 'not_charged' as const, nextAt: null };
  }
  async cancel() {}
  async refund() {
    return { kind: 'failed' as const };
  }
  async inquireRefund() {
    return { kind: 'not_found' as const };
  }
  readonly setups = {
    create: async ({ idempotencyKey: key }: { idempotencyKey: string }) => {
      this.ask('create');
      if (!this.hasFields) return null;
      const reference = this.byKey.get(key) ?? this.referenceOf();
      this.byKey.set(key, reference);
      const scriptUrl = new URL(this.scriptUrl);
      return { reference, clientSecret: `${reference}_secret`, publishableKey: 'pk_live_1', scriptUrl };
    },
    inquire: async (_: string, reference: string): Promise<SetupState> => {
      this.ask('inquire');
      return this.states.get(reference) ?? { kind: 'open' };
    },
    describe: async (_: string, token: string) => {
      this.ask('describe');
      await this.hold();
      return this.cards.has(token) ? (this.cards.get(token) ?? null) : visa;
    },
  };
}
