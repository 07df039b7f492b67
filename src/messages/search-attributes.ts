import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';

/**
 * The search attributes by which operators find workflows in the Web UI. Registered at start, with the types given
 * here.
 */
export const attributes = {
  billerId: defineSearchAttributeKey('BillerId', 'KEYWORD'),
  customerId: defineSearchAttributeKey('CustomerId', 'KEYWORD'),
  testClockId: defineSearchAttributeKey('TestClockId', 'KEYWORD'),
  planState: defineSearchAttributeKey('PlanState', 'KEYWORD'),
  livemode: defineSearchAttributeKey('Livemode', 'BOOL'),
  nextDueAt: defineSearchAttributeKey('NextDueAt', 'DATETIME'),
  failedAttempts: defineSearchAttributeKey('FailedAttempts', 'INT'),
  clockStatus: defineSearchAttributeKey('ClockStatus', 'KEYWORD'),
  endpointId: defineSearchAttributeKey('EndpointId', 'KEYWORD'),
  /** Set only on workflows that are stalled, or once were. */
  stalled: defineSearchAttributeKey('Stalled', 'BOOL'),
  /** Set only on deliveries that were not delivered at the first attempt. */
  deliveryState: defineSearchAttributeKey('DeliveryState', 'KEYWORD'),
  eventType: defineSearchAttributeKey('EventType', 'KEYWORD'),
};

/** What a webhook delivery is about, as far as operators search for it. */
export interface DeliveryAbout {
  billerId: string;
  livemode: boolean;
  eventType: string;
  endpointId: string;
  testClockId: string | null;
}

/** Returns the search attributes of a delivery that never change. */
export function deliveryAttributes(about: DeliveryAbout): SearchAttributePair[] {
  return [
    ...batchAttributes(about),
    { key: attributes.eventType, value: about.eventType },
    { key: attributes.endpointId, value: about.endpointId },
    ...(about.testClockId === null ? [] : [{ key: attributes.testClockId, value: about.testClockId }]),
  ];
}

/** Returns the search attributes of the batches of a biller and mode. */
export function batchAttributes({ billerId, livemode }: Pick<DeliveryAbout, 'billerId' | 'livemode'>) {
  return [
    { key: attributes.billerId, value: billerId },
    { key: attributes.livemode, value: livemode },
  ];
}
