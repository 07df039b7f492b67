import { defineSearchAttributeKey } from '@temporalio/common';

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
  deliveryState: defineSearchAttributeKey('DeliveryState', 'KEYWORD'),
  eventType: defineSearchAttributeKey('EventType', 'KEYWORD'),
};
