"""The scenario with the package that openapi-python-client writes."""

import os
from datetime import date, datetime, timezone

from payments_service_client import AuthenticatedClient, models
from payments_service_client.api.customers import create_customer
from payments_service_client.api.events import list_events
from payments_service_client.api.payment_intents import create_payment_intent, get_payment_intent
from payments_service_client.api.payment_methods import create_payment_method
from payments_service_client.api.payment_plans import activate_payment_plan, create_payment_plan, list_plan_payments
from payments_service_client.api.test_clocks import (
    advance_test_clock,
    create_test_clock,
    delete_test_clock,
    get_test_clock,
)

with AuthenticatedClient(os.environ["BASE_URL"], os.environ["API_KEY"], raise_on_unexpected_status=True) as client:
    start = datetime(2028, 1, 31, 9, tzinfo=timezone.utc)
    clock = create_test_clock.sync(client=client, body=models.TestClockCreate(frozen_time=start))
    assert isinstance(clock, models.TestClock)
    customer = create_customer.sync(
        client=client, body=models.CustomerCreate(name="Ada Lovelace", test_clock=clock.id)
    )
    assert isinstance(customer, models.Customer)
    card = create_payment_method.sync(
        client=client,
        body=models.CardPaymentMethodCreate(
            type_="card",
            customer_reference=customer.id,
            payment_method_data=models.CardData(
                expiry_month=12,
                expiry_year=2034,
                token_metadata=models.TokenMetadata(type_="fixture", token="tok_sandbox_visa_succeed", data=""),
            ),
        ),
    )
    assert isinstance(card, models.CreatedPaymentMethod)
    made = create_payment_intent.sync(
        client=client,
        body=models.PaymentIntentCreate(
            amount=1200,
            currency=models.Currency.AUD,
            customer_id=customer.id,
            payment_method=card.payment_method.id,
            confirm=True,
        ),
    )
    assert isinstance(made, models.PaymentIntent)
    intent = get_payment_intent.sync(made.id, client=client)
    assert isinstance(intent, models.PaymentIntent)
    print("intent", intent.status.value, intent.amount)

    plan = create_payment_plan.sync(
        client=client,
        body=models.PaymentPlanCreate(
            customer_id=customer.id,
            name="Membership",
            frequency_type=models.PlanFrequency.MONTHLY,
            start_date=date(2028, 1, 31),
            recurring_amount_cents=2500,
            currency=models.Currency.AUD,
            until_further_notice=True,
        ),
    )
    assert isinstance(plan, models.PaymentPlan)
    activate_payment_plan.sync(plan.id, client=client)
    target = datetime(2028, 3, 1, 9, tzinfo=timezone.utc)
    advance_test_clock.sync(clock.id, client=client, body=models.TestClockAdvance(frozen_time=target))
    clock = get_test_clock.sync(clock.id, client=client, prefer="wait=60")
    assert isinstance(clock, models.TestClock)
    print("clock", clock.status.value)
    payments = list_plan_payments.sync(plan.id, client=client)
    assert isinstance(payments, models.PlanPaymentList)
    for payment in payments.data:
        print(payment.due_date, payment.status.value)
    events = list_events.sync(client=client, event_type="payment_intent.succeeded", test_clock=clock.id)
    assert isinstance(events, models.EventList)
    amounts = [event.data.amount for event in events.data if isinstance(event, models.PaymentIntentSucceededEvent)]
    print("events", *sorted(amounts))
    deleted = delete_test_clock.sync(clock.id, client=client)
    assert isinstance(deleted, models.DeletedTestClock)
    print("deleted", deleted.deleted)
