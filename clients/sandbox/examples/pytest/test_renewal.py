def test_a_membership_is_paid_every_week(payments_sandbox):
    payments = payments_sandbox.payments
    webhooks = payments_sandbox.webhooks("payment_intent.*")
    clock = payments_sandbox.clock(at="2028-01-03T09:00:00Z")
    member = payments.customers.create({"name": "Ada Lovelace", "test_clock": clock.id})["id"]
    token = {"type": "fixture", "token": "tok_sandbox_visa_succeed", "data": ""}
    card = {"expiry_month": 12, "expiry_year": 2040, "token_metadata": token}
    payments.payment_methods.create({"type": "card", "customer_reference": member, "payment_method_data": card})
    terms = {"frequency_type": "weekly", "start_date": "2028-01-04", "recurring_amount_cents": 2500}
    plan = payments.payment_plans.create(
        {"customer_id": member, "name": "Gym", "currency": "AUD", "until_further_notice": True, **terms}
    )
    payments.payment_plans.activate(plan["id"])

    clock.advance("2028-01-26T00:00:00Z")  # the webhooks have come when this returns

    assert [(event["event_type"], event["data"]["amount"]) for event in webhooks.events] == [
        ("payment_intent.succeeded", 2500)
    ] * 4


def test_each_test_has_an_account_of_its_own(payments_sandbox):
    assert payments_sandbox.payments.customers.list().to_list() == []


def test_a_declined_payment_is_told(payments_sandbox):
    webhooks = payments_sandbox.webhooks()
    failed = payments_sandbox.trigger("payment_intent.failed")

    received = webhooks.wait_for("payment_intent.failed", about=failed["data"]["id"])

    assert received["data"]["last_payment_error"]["code"] == "insufficient_funds"
