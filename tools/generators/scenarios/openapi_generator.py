"""The scenario with the package that the generator `python` of openapi-generator writes."""

import os
from datetime import date, datetime, timezone

import openapi_client as api

configuration = api.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"])

with api.ApiClient(configuration) as client:
    clocks = api.TestClocksApi(client)
    plans = api.PaymentPlansApi(client)

    start = datetime(2028, 1, 31, 9, tzinfo=timezone.utc)
    clock = clocks.create_test_clock(api.TestClockCreate(frozen_time=start))
    customer = api.CustomersApi(client).create_customer(
        api.CustomerCreate(name="Ada Lovelace", test_clock=clock.id)
    )
    card = api.PaymentMethodsApi(client).create_payment_method(
        api.PaymentMethodCreate(
            api.CardPaymentMethodCreate(
                type="card",
                customer_reference=customer.id,
                payment_method_data=api.CardData(
                    expiry_month=12,
                    expiry_year=2034,
                    token_metadata=api.TokenMetadata(type="fixture", token="tok_sandbox_visa_succeed", data=""),
                ),
            )
        )
    )
    intents = api.PaymentIntentsApi(client)
    made = intents.create_payment_intent(
        api.PaymentIntentCreate(
            amount=1200,
            currency=api.Currency.AUD,
            customer_id=customer.id,
            payment_method=card.payment_method.id,
            confirm=True,
        )
    )
    intent = intents.get_payment_intent(made.id).actual_instance
    assert isinstance(intent, api.PaymentIntent)
    print("intent", intent.status.value, intent.amount)

    plan = plans.create_payment_plan(
        api.PaymentPlanCreate(
            customer_id=customer.id,
            name="Membership",
            frequency_type=api.PlanFrequency.MONTHLY,
            start_date=date(2028, 1, 31),
            recurring_amount_cents=2500,
            currency=api.Currency.AUD,
            until_further_notice=True,
        )
    )
    plans.activate_payment_plan(plan.id)
    clocks.advance_test_clock(
        clock.id, api.TestClockAdvance(frozen_time=datetime(2028, 3, 1, 9, tzinfo=timezone.utc))
    )
    clock = clocks.get_test_clock(clock.id, prefer="wait=60")
    print("clock", clock.status.value)
    for payment in plans.list_plan_payments(plan.id).data:
        print(payment.due_date, payment.status)
    events = api.EventsApi(client).list_events(event_type="payment_intent.succeeded", test_clock=clock.id)
    amounts = [event.actual_instance.data.amount for event in events.data]
    print("events", *sorted(amounts))
    print("deleted", clocks.delete_test_clock(clock.id).deleted)
