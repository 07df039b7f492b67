"""An account in Sydney: its dates begin there."""

import pytest


@pytest.fixture
def payments_account():
    return {"time_zone": "Australia/Sydney", "country": "AU"}


def test_a_date_begins_at_midnight_in_sydney(payments_sandbox):
    payments = payments_sandbox.payments
    account = payments.account.get()
    assert (account["time_zone"], account["country"]) == ("Australia/Sydney", "AU")
    clock = payments_sandbox.clock(at="2028-01-31T12:00:00Z")
    member = payments.customers.create({"name": "Ada Lovelace", "test_clock": clock.id})
    token = {"type": "fixture", "token": "tok_sandbox_visa_succeed", "data": ""}
    data = {"expiry_month": 12, "expiry_year": 2034, "token_metadata": token}
    card = payments.payment_methods.create({"type": "card", "payment_method_data": data})
    intent = payments.payment_intents.create(
        {
            "amount": 2500,
            "currency": "AUD",
            "customer_id": member["id"],
            "payment_method": card["payment_method"]["id"],
            "scheduled_payment_date": "2028-02-01",
        }
    )
    clock.advance("2028-01-31T13:00:00Z")
    assert payments.payment_intents.get(intent["id"])["collected_at"] == "2028-01-31T13:00:00.000Z"
