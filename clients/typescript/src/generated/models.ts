// Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.

import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type Account = Schemas['Account'];
export type Address = Schemas['Address'];
export type AdvancingTestClock = Schemas['AdvancingTestClock'];
export type AgingReport = Schemas['AgingReport'];
export type AgingReportRow = Schemas['AgingReportRow'];
export type AmountRange = Schemas['AmountRange'];
export type AmountRangeInput = Schemas['AmountRangeInput'];
export type ApplyTo = Schemas['ApplyTo'];
export type ApplyToInput = Schemas['ApplyToInput'];
export type Balance = Schemas['Balance'];
export type BalanceTransaction = Schemas['BalanceTransaction'];
export type BalanceTransactionList = Schemas['BalanceTransactionList'];
export type BalanceTransactionType = Schemas['BalanceTransactionType'];
export type BalanceTransactionsReport = Schemas['BalanceTransactionsReport'];
export type BalanceTransactionsReportRow = Schemas['BalanceTransactionsReportRow'];
export type BankDebit = Schemas['BankDebit'];
export type BankDebitCounts = Schemas['BankDebitCounts'];
export type BecsData = Schemas['BecsData'];
export type BecsInstrument = Schemas['BecsInstrument'];
export type BecsPaymentMethod = Schemas['BecsPaymentMethod'];
export type BecsPaymentMethodCreate = Schemas['BecsPaymentMethodCreate'];
export type BecsSummary = Schemas['BecsSummary'];
export type BusinessDays = Schemas['BusinessDays'];
export type CanceledSubscription = Schemas['CanceledSubscription'];
export type CardData = Schemas['CardData'];
export type CardFunding = Schemas['CardFunding'];
export type CardInstrument = Schemas['CardInstrument'];
export type CardNetwork = Schemas['CardNetwork'];
export type CardPaymentMethod = Schemas['CardPaymentMethod'];
export type CardPaymentMethodCreate = Schemas['CardPaymentMethodCreate'];
export type CardSummary = Schemas['CardSummary'];
export type CheckoutSession = Schemas['CheckoutSession'];
export type CheckoutSessionChanges = Schemas['CheckoutSessionChanges'];
export type CheckoutSessionCompletedEvent = Schemas['CheckoutSessionCompletedEvent'];
export type CheckoutSessionConsent = Schemas['CheckoutSessionConsent'];
export type CheckoutSessionCreate = Schemas['CheckoutSessionCreate'];
export type CheckoutSessionEffect = Schemas['CheckoutSessionEffect'];
export type CheckoutSessionExpiredEvent = Schemas['CheckoutSessionExpiredEvent'];
export type CheckoutSessionForPayer = Schemas['CheckoutSessionForPayer'];
export type CheckoutSessionList = Schemas['CheckoutSessionList'];
export type CheckoutSessionStatus = Schemas['CheckoutSessionStatus'];
export type ClockEffect = Schemas['ClockEffect'];
export type ClockEffectList = Schemas['ClockEffectList'];
export type ClockEffectType = Schemas['ClockEffectType'];
export type Collect = Schemas['Collect'];
export type CollectChoice = Schemas['CollectChoice'];
export type CollectInput = Schemas['CollectInput'];
export type ComingPeriod = Schemas['ComingPeriod'];
export type ComingPeriodList = Schemas['ComingPeriodList'];
export type CreatedPaymentMethod = Schemas['CreatedPaymentMethod'];
export type Currency = Schemas['Currency'];
export type CurrencyBalance = Schemas['CurrencyBalance'];
export type CurrentPeriod = Schemas['CurrentPeriod'];
export type Customer = Schemas['Customer'];
export type CustomerCreate = Schemas['CustomerCreate'];
export type CustomerList = Schemas['CustomerList'];
export type CustomerStatus = Schemas['CustomerStatus'];
export type CustomerUpdate = Schemas['CustomerUpdate'];
export type DashboardRole = Schemas['DashboardRole'];
export type DashboardSession = Schemas['DashboardSession'];
export type DashboardSessionCreate = Schemas['DashboardSessionCreate'];
export type DashboardSessionList = Schemas['DashboardSessionList'];
export type DateOfBirth = Schemas['DateOfBirth'];
export type DateOfBirthData = Schemas['DateOfBirthData'];
export type DebitScheme = Schemas['DebitScheme'];
export type DeletedTestClock = Schemas['DeletedTestClock'];
export type DeletedWebhookEndpoint = Schemas['DeletedWebhookEndpoint'];
export type EffectiveOn = Schemas['EffectiveOn'];
export type EffectsManifest = Schemas['EffectsManifest'];
export type ErrorEnvelope = Schemas['Error'];
export type ErrorBody = Schemas['ErrorBody'];
export type ErrorDetail = Schemas['ErrorDetail'];
export type Event = Schemas['Event'];
export type EventList = Schemas['EventList'];
export type EventOrder = Schemas['EventOrder'];
export type EventType = Schemas['EventType'];
export type FailedPaymentIntent = Schemas['FailedPaymentIntent'];
export type FailedPaymentsReport = Schemas['FailedPaymentsReport'];
export type FailedPaymentsReportRow = Schemas['FailedPaymentsReportRow'];
export type FailureBehaviour = Schemas['FailureBehaviour'];
export type FeePreferences = Schemas['FeePreferences'];
export type Healthy = Schemas['Healthy'];
export type KlarnaData = Schemas['KlarnaData'];
export type KlarnaInstrument = Schemas['KlarnaInstrument'];
export type KlarnaPaymentMethod = Schemas['KlarnaPaymentMethod'];
export type KlarnaPaymentMethodCreate = Schemas['KlarnaPaymentMethodCreate'];
export type Mandate = Schemas['Mandate'];
export type MandateAccept = Schemas['MandateAccept'];
export type MandateAcceptance = Schemas['MandateAcceptance'];
export type MandateAcceptanceInput = Schemas['MandateAcceptanceInput'];
export type MandateAcceptanceType = Schemas['MandateAcceptanceType'];
export type MandateActivatedEvent = Schemas['MandateActivatedEvent'];
export type MandateAmountType = Schemas['MandateAmountType'];
export type MandateCancel = Schemas['MandateCancel'];
export type MandateCanceledEvent = Schemas['MandateCanceledEvent'];
export type MandateChanges = Schemas['MandateChanges'];
export type MandateConnection = Schemas['MandateConnection'];
export type MandateCreate = Schemas['MandateCreate'];
export type MandateCreatedEvent = Schemas['MandateCreatedEvent'];
export type MandateEffect = Schemas['MandateEffect'];
export type MandateExpiredEvent = Schemas['MandateExpiredEvent'];
export type MandateFailedEvent = Schemas['MandateFailedEvent'];
export type MandateForPayer = Schemas['MandateForPayer'];
export type MandateList = Schemas['MandateList'];
export type MandateNotice = Schemas['MandateNotice'];
export type MandateNoticeChannel = Schemas['MandateNoticeChannel'];
export type MandateNoticeDueEvent = Schemas['MandateNoticeDueEvent'];
export type MandateNoticeKind = Schemas['MandateNoticeKind'];
export type MandateNoticeSent = Schemas['MandateNoticeSent'];
export type MandateStatus = Schemas['MandateStatus'];
export type MandateText = Schemas['MandateText'];
export type MandatesReport = Schemas['MandatesReport'];
export type MandatesReportRow = Schemas['MandatesReportRow'];
export type NewDashboardSession = Schemas['NewDashboardSession'];
export type NextAction = Schemas['NextAction'];
export type NotPayableReason = Schemas['NotPayableReason'];
export type NotificationPreferences = Schemas['NotificationPreferences'];
export type PayIdData = Schemas['PayIdData'];
export type PayIdInstrument = Schemas['PayIdInstrument'];
export type PayIdPaymentMethod = Schemas['PayIdPaymentMethod'];
export type PayIdPaymentMethodCreate = Schemas['PayIdPaymentMethodCreate'];
export type PayPalData = Schemas['PayPalData'];
export type PayPalInstrument = Schemas['PayPalInstrument'];
export type PayPalPaymentMethod = Schemas['PayPalPaymentMethod'];
export type PayPalPaymentMethodCreate = Schemas['PayPalPaymentMethodCreate'];
export type PayableMethodType = Schemas['PayableMethodType'];
export type PaymentError = Schemas['PaymentError'];
export type PaymentIntent = Schemas['PaymentIntent'];
export type PaymentIntentActionCompletion = Schemas['PaymentIntentActionCompletion'];
export type PaymentIntentBankResult = Schemas['PaymentIntentBankResult'];
export type PaymentIntentCanceledEvent = Schemas['PaymentIntentCanceledEvent'];
export type PaymentIntentChanges = Schemas['PaymentIntentChanges'];
export type PaymentIntentConfirm = Schemas['PaymentIntentConfirm'];
export type PaymentIntentCreate = Schemas['PaymentIntentCreate'];
export type PaymentIntentEffect = Schemas['PaymentIntentEffect'];
export type PaymentIntentFailedEvent = Schemas['PaymentIntentFailedEvent'];
export type PaymentIntentForPayer = Schemas['PaymentIntentForPayer'];
export type PaymentIntentList = Schemas['PaymentIntentList'];
export type PaymentIntentProcessingEvent = Schemas['PaymentIntentProcessingEvent'];
export type PaymentIntentRequiresActionEvent = Schemas['PaymentIntentRequiresActionEvent'];
export type PaymentIntentRestrictedEvent = Schemas['PaymentIntentRestrictedEvent'];
export type PaymentIntentReturnedEvent = Schemas['PaymentIntentReturnedEvent'];
export type PaymentIntentStatus = Schemas['PaymentIntentStatus'];
export type PaymentIntentSucceededEvent = Schemas['PaymentIntentSucceededEvent'];
export type PaymentLink = Schemas['PaymentLink'];
export type PaymentLinkChanges = Schemas['PaymentLinkChanges'];
export type PaymentLinkCompletedEvent = Schemas['PaymentLinkCompletedEvent'];
export type PaymentLinkCreate = Schemas['PaymentLinkCreate'];
export type PaymentLinkCreatedEvent = Schemas['PaymentLinkCreatedEvent'];
export type PaymentLinkDeactivatedEvent = Schemas['PaymentLinkDeactivatedEvent'];
export type PaymentLinkEffect = Schemas['PaymentLinkEffect'];
export type PaymentLinkExpiredEvent = Schemas['PaymentLinkExpiredEvent'];
export type PaymentLinkList = Schemas['PaymentLinkList'];
export type PaymentLinkMode = Schemas['PaymentLinkMode'];
export type PaymentLinkPaidEvent = Schemas['PaymentLinkPaidEvent'];
export type PaymentLinkRenew = Schemas['PaymentLinkRenew'];
export type PaymentLinkRenewedEvent = Schemas['PaymentLinkRenewedEvent'];
export type PaymentLinkReopenedEvent = Schemas['PaymentLinkReopenedEvent'];
export type PaymentLinkStatus = Schemas['PaymentLinkStatus'];
export type PaymentLinkThrottledEvent = Schemas['PaymentLinkThrottledEvent'];
export type PaymentLinkUpdate = Schemas['PaymentLinkUpdate'];
export type PaymentMethod = Schemas['PaymentMethod'];
export type PaymentMethodAttach = Schemas['PaymentMethodAttach'];
export type PaymentMethodCreate = Schemas['PaymentMethodCreate'];
export type PaymentMethodEnvelope = Schemas['PaymentMethodEnvelope'];
export type PaymentMethodList = Schemas['PaymentMethodList'];
export type PaymentMethodSummary = Schemas['PaymentMethodSummary'];
export type PaymentPlan = Schemas['PaymentPlan'];
export type PaymentPlanActivatedEvent = Schemas['PaymentPlanActivatedEvent'];
export type PaymentPlanChanges = Schemas['PaymentPlanChanges'];
export type PaymentPlanClosedEvent = Schemas['PaymentPlanClosedEvent'];
export type PaymentPlanCreate = Schemas['PaymentPlanCreate'];
export type PaymentPlanDeactivatedEvent = Schemas['PaymentPlanDeactivatedEvent'];
export type PaymentPlanEffect = Schemas['PaymentPlanEffect'];
export type PaymentPlanList = Schemas['PaymentPlanList'];
export type PaymentPlanState = Schemas['PaymentPlanState'];
export type PaymentPlanSuspendedEvent = Schemas['PaymentPlanSuspendedEvent'];
export type PaymentPlanUpdate = Schemas['PaymentPlanUpdate'];
export type Payout = Schemas['Payout'];
export type PayoutChanges = Schemas['PayoutChanges'];
export type PayoutCreatedEvent = Schemas['PayoutCreatedEvent'];
export type PayoutEffect = Schemas['PayoutEffect'];
export type PayoutFailedEvent = Schemas['PayoutFailedEvent'];
export type PayoutList = Schemas['PayoutList'];
export type PayoutPaidEvent = Schemas['PayoutPaidEvent'];
export type PayoutReconciledEvent = Schemas['PayoutReconciledEvent'];
export type PayoutStatus = Schemas['PayoutStatus'];
export type Phone = Schemas['Phone'];
export type PingedWebhookEndpoint = Schemas['PingedWebhookEndpoint'];
export type PlanFrequency = Schemas['PlanFrequency'];
export type PlanPayment = Schemas['PlanPayment'];
export type PlanPaymentAttempt = Schemas['PlanPaymentAttempt'];
export type PlanPaymentList = Schemas['PlanPaymentList'];
export type PlansReport = Schemas['PlansReport'];
export type PlansReportRow = Schemas['PlansReportRow'];
export type ReconciliationStatus = Schemas['ReconciliationStatus'];
export type Refund = Schemas['Refund'];
export type RefundCreate = Schemas['RefundCreate'];
export type RefundFailedEvent = Schemas['RefundFailedEvent'];
export type RefundList = Schemas['RefundList'];
export type RefundStatus = Schemas['RefundStatus'];
export type RefundSucceededEvent = Schemas['RefundSucceededEvent'];
export type ReplayResult = Schemas['ReplayResult'];
export type ReportingCategory = Schemas['ReportingCategory'];
export type ReturnedPaymentIntent = Schemas['ReturnedPaymentIntent'];
export type SandboxPaymentMethodCreate = Schemas['SandboxPaymentMethodCreate'];
export type SavePaymentMethod = Schemas['SavePaymentMethod'];
export type ScheduledPayment = Schemas['ScheduledPayment'];
export type ScheduledPaymentList = Schemas['ScheduledPaymentList'];
export type SecretRotation = Schemas['SecretRotation'];
export type Statement = Schemas['Statement'];
export type StatementLineType = Schemas['StatementLineType'];
export type StatementRow = Schemas['StatementRow'];
export type StatementTotals = Schemas['StatementTotals'];
export type Subscription = Schemas['Subscription'];
export type SubscriptionCancel = Schemas['SubscriptionCancel'];
export type SubscriptionCancelRemovedEvent = Schemas['SubscriptionCancelRemovedEvent'];
export type SubscriptionCancelScheduledEvent = Schemas['SubscriptionCancelScheduledEvent'];
export type SubscriptionCanceledEvent = Schemas['SubscriptionCanceledEvent'];
export type SubscriptionChange = Schemas['SubscriptionChange'];
export type SubscriptionChangeFailedEvent = Schemas['SubscriptionChangeFailedEvent'];
export type SubscriptionChangeRemovedEvent = Schemas['SubscriptionChangeRemovedEvent'];
export type SubscriptionChangeResult = Schemas['SubscriptionChangeResult'];
export type SubscriptionChangeScheduledEvent = Schemas['SubscriptionChangeScheduledEvent'];
export type SubscriptionChangedEvent = Schemas['SubscriptionChangedEvent'];
export type SubscriptionChanges = Schemas['SubscriptionChanges'];
export type SubscriptionCreate = Schemas['SubscriptionCreate'];
export type SubscriptionCreditRefund = Schemas['SubscriptionCreditRefund'];
export type SubscriptionCreditRefunds = Schemas['SubscriptionCreditRefunds'];
export type SubscriptionDiscount = Schemas['SubscriptionDiscount'];
export type SubscriptionDiscountInput = Schemas['SubscriptionDiscountInput'];
export type SubscriptionEffect = Schemas['SubscriptionEffect'];
export type SubscriptionFrequency = Schemas['SubscriptionFrequency'];
export type SubscriptionInEffectChangedEvent = Schemas['SubscriptionInEffectChangedEvent'];
export type SubscriptionItem = Schemas['SubscriptionItem'];
export type SubscriptionItemInput = Schemas['SubscriptionItemInput'];
export type SubscriptionLettingGo = Schemas['SubscriptionLettingGo'];
export type SubscriptionList = Schemas['SubscriptionList'];
export type SubscriptionMadeChange = Schemas['SubscriptionMadeChange'];
export type SubscriptionMadeChangeList = Schemas['SubscriptionMadeChangeList'];
export type SubscriptionOneOffItem = Schemas['SubscriptionOneOffItem'];
export type SubscriptionOneOffItemInput = Schemas['SubscriptionOneOffItemInput'];
export type SubscriptionPaidPeriod = Schemas['SubscriptionPaidPeriod'];
export type SubscriptionPastDueEvent = Schemas['SubscriptionPastDueEvent'];
export type SubscriptionPause = Schemas['SubscriptionPause'];
export type SubscriptionPauseRemovedEvent = Schemas['SubscriptionPauseRemovedEvent'];
export type SubscriptionPauseScheduledEvent = Schemas['SubscriptionPauseScheduledEvent'];
export type SubscriptionPausedEvent = Schemas['SubscriptionPausedEvent'];
export type SubscriptionPaymentError = Schemas['SubscriptionPaymentError'];
export type SubscriptionPeriod = Schemas['SubscriptionPeriod'];
export type SubscriptionPeriodLine = Schemas['SubscriptionPeriodLine'];
export type SubscriptionPeriodList = Schemas['SubscriptionPeriodList'];
export type SubscriptionPeriodPaidEvent = Schemas['SubscriptionPeriodPaidEvent'];
export type SubscriptionPeriodStatus = Schemas['SubscriptionPeriodStatus'];
export type SubscriptionRecoveredEvent = Schemas['SubscriptionRecoveredEvent'];
export type SubscriptionRenewedEvent = Schemas['SubscriptionRenewedEvent'];
export type SubscriptionResume = Schemas['SubscriptionResume'];
export type SubscriptionResumedEvent = Schemas['SubscriptionResumedEvent'];
export type SubscriptionStartedEvent = Schemas['SubscriptionStartedEvent'];
export type SubscriptionState = Schemas['SubscriptionState'];
export type SubscriptionTrialEndingEvent = Schemas['SubscriptionTrialEndingEvent'];
export type SubscriptionUnusedQuote = Schemas['SubscriptionUnusedQuote'];
export type SubscriptionUpdate = Schemas['SubscriptionUpdate'];
export type SubscriptionUpdatedEvent = Schemas['SubscriptionUpdatedEvent'];
export type SurchargeReason = Schemas['SurchargeReason'];
export type SurchargeRule = Schemas['SurchargeRule'];
export type SurchargeRules = Schemas['SurchargeRules'];
export type SurchargeVerdict = Schemas['SurchargeVerdict'];
export type SurchargedMethodType = Schemas['SurchargedMethodType'];
export type TestClock = Schemas['TestClock'];
export type TestClockAdvance = Schemas['TestClockAdvance'];
export type TestClockAdvancing = Schemas['TestClockAdvancing'];
export type TestClockAdvancingEvent = Schemas['TestClockAdvancingEvent'];
export type TestClockCreate = Schemas['TestClockCreate'];
export type TestClockCreatedEvent = Schemas['TestClockCreatedEvent'];
export type TestClockDeletedEvent = Schemas['TestClockDeletedEvent'];
export type TestClockDryRun = Schemas['TestClockDryRun'];
export type TestClockLastAdvance = Schemas['TestClockLastAdvance'];
export type TestClockList = Schemas['TestClockList'];
export type TestClockReady = Schemas['TestClockReady'];
export type TestClockReadyEvent = Schemas['TestClockReadyEvent'];
export type TestClockState = Schemas['TestClockState'];
export type TestClockStatus = Schemas['TestClockStatus'];
export type TokenMetadata = Schemas['TokenMetadata'];
export type TrialEndBehaviour = Schemas['TrialEndBehaviour'];
export type UnpaidBehaviour = Schemas['UnpaidBehaviour'];
export type UnpaidService = Schemas['UnpaidService'];
export type WebhookAttempt = Schemas['WebhookAttempt'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryCounts = Schemas['WebhookDeliveryCounts'];
export type WebhookDeliveryList = Schemas['WebhookDeliveryList'];
export type WebhookDeliveryStatus = Schemas['WebhookDeliveryStatus'];
export type WebhookDisabledReason = Schemas['WebhookDisabledReason'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEndpointCreate = Schemas['WebhookEndpointCreate'];
export type WebhookEndpointDisabledEvent = Schemas['WebhookEndpointDisabledEvent'];
export type WebhookEndpointList = Schemas['WebhookEndpointList'];
export type WebhookEndpointPingEvent = Schemas['WebhookEndpointPingEvent'];
export type WebhookEndpointStatus = Schemas['WebhookEndpointStatus'];
export type WebhookEndpointUpdate = Schemas['WebhookEndpointUpdate'];
export type WebhookReplay = Schemas['WebhookReplay'];

/** What is posted to a webhook endpoint, by `event_type`. More types may follow: ignore unknown ones. */
export type WebhookEvent =
  | Schemas['PaymentIntentSucceededEvent']
  | Schemas['PaymentIntentFailedEvent']
  | Schemas['PaymentIntentCanceledEvent']
  | Schemas['PaymentIntentRequiresActionEvent']
  | Schemas['PaymentIntentRestrictedEvent']
  | Schemas['PaymentIntentProcessingEvent']
  | Schemas['PaymentIntentReturnedEvent']
  | Schemas['MandateCreatedEvent']
  | Schemas['MandateActivatedEvent']
  | Schemas['MandateNoticeDueEvent']
  | Schemas['MandateCanceledEvent']
  | Schemas['MandateFailedEvent']
  | Schemas['MandateExpiredEvent']
  | Schemas['PaymentPlanActivatedEvent']
  | Schemas['PaymentPlanSuspendedEvent']
  | Schemas['PaymentPlanDeactivatedEvent']
  | Schemas['PaymentPlanClosedEvent']
  | Schemas['PaymentLinkCreatedEvent']
  | Schemas['PaymentLinkPaidEvent']
  | Schemas['PaymentLinkCompletedEvent']
  | Schemas['PaymentLinkReopenedEvent']
  | Schemas['PaymentLinkExpiredEvent']
  | Schemas['PaymentLinkDeactivatedEvent']
  | Schemas['PaymentLinkRenewedEvent']
  | Schemas['PaymentLinkThrottledEvent']
  | Schemas['CheckoutSessionCompletedEvent']
  | Schemas['CheckoutSessionExpiredEvent']
  | Schemas['RefundSucceededEvent']
  | Schemas['RefundFailedEvent']
  | Schemas['PayoutCreatedEvent']
  | Schemas['PayoutReconciledEvent']
  | Schemas['PayoutPaidEvent']
  | Schemas['PayoutFailedEvent']
  | Schemas['SubscriptionStartedEvent']
  | Schemas['SubscriptionTrialEndingEvent']
  | Schemas['SubscriptionRenewedEvent']
  | Schemas['SubscriptionPastDueEvent']
  | Schemas['SubscriptionRecoveredEvent']
  | Schemas['SubscriptionPauseScheduledEvent']
  | Schemas['SubscriptionPauseRemovedEvent']
  | Schemas['SubscriptionPausedEvent']
  | Schemas['SubscriptionResumedEvent']
  | Schemas['SubscriptionCancelScheduledEvent']
  | Schemas['SubscriptionCancelRemovedEvent']
  | Schemas['SubscriptionCanceledEvent']
  | Schemas['SubscriptionChangedEvent']
  | Schemas['SubscriptionChangeScheduledEvent']
  | Schemas['SubscriptionChangeRemovedEvent']
  | Schemas['SubscriptionChangeFailedEvent']
  | Schemas['SubscriptionPeriodPaidEvent']
  | Schemas['SubscriptionUpdatedEvent']
  | Schemas['SubscriptionInEffectChangedEvent']
  | Schemas['TestClockCreatedEvent']
  | Schemas['TestClockAdvancingEvent']
  | Schemas['TestClockReadyEvent']
  | Schemas['TestClockDeletedEvent']
  | Schemas['WebhookEndpointPingEvent']
  | Schemas['WebhookEndpointDisabledEvent'];
