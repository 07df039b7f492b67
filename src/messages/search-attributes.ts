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

/** Returns the search attributes of a delivery, or of a batch, that never change. */
export function deliveryAttributes(about: DeliveryAbout | BatchAbout): SearchAttributePair[] {
  return [
    { key: attributes.billerId, value: about.billerId },
    { key: attributes.livemode, value: about.livemode },
    ...(about.eventType === null ? [] : [{ key: attributes.eventType, value: about.eventType }]),
    ...(about.endpointId === null ? [] : [{ key: attributes.endpointId, value: about.endpointId }]),
    ...(about.testClockId === null ? [] : [{ key: attributes.testClockId, value: about.testClockId }]),
  ];
}

/** What the deliveries of a batch have in common. An endpoint, event type or clock that differs among them is null. */
export interface BatchAbout {
  billerId: string;
  livemode: boolean;
  endpointId: string | null;
  eventType: string | null;
  testClockId: string | null;
}

/** Returns what these deliveries of one biller and mode have in common. */
export function commonOf(deliveries: readonly [DeliveryAbout, ...DeliveryAbout[]]): BatchAbout {
  const [{ billerId, livemode, endpointId, eventType, testClockId }] = deliveries;
  const isCommon = <K extends keyof DeliveryAbout>(name: K, value: DeliveryAbout[K]) =>
    deliveries.every((each) => each[name] === value);
  return {
    billerId,
    livemode,
    endpointId: isCommon('endpointId', endpointId) ? endpointId : null,
    eventType: isCommon('eventType', eventType) ? eventType : null,
    testClockId: isCommon('testClockId', testClockId) ? testClockId : null,
  };
}
