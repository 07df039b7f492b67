import { defineSearchAttributeKey } from '@temporalio/common';

/** The attributes by which operators find workflows in the Web UI; registered at start, typed there as here. */
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
  /** Only of what cannot go on, or could not at some time. */
  stalled: defineSearchAttributeKey('Stalled', 'BOOL'),
  deliveryState: defineSearchAttributeKey('DeliveryState', 'KEYWORD'),
  eventType: defineSearchAttributeKey('EventType', 'KEYWORD'),
};
