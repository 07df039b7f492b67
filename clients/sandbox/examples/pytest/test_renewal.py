def test_a_membership_is_paid_every_week(sandbox):
    clock = sandbox.clock("2028-01-03T09:00:00.000Z")
    member = sandbox.call("POST", "/customers", {"name": "Ada Lovelace", "test_clock": clock})["id"]
    token = {"type": "fixture", "token": "tok_sandbox_visa_succeed", "data": ""}
    card = {"expiry_month": 12, "expiry_year": 2040, "token_metadata": token}
    method = {"type": "card", "customer_reference": member, "payment_method_data": card}
    sandbox.call("POST", "/payment_methods", method)
    terms = {"frequency_type": "weekly", "start_date": "2028-01-04", "recurring_amount_cents": 2500}
    plan = {"customer_id": member, "name": "Gym", "currency": "AUD", "until_further_notice": True, **terms}
    plan = sandbox.call("POST", "/payment_plans", plan)["id"]
    sandbox.call("POST", f"/payment_plans/{plan}/activate")

    sandbox.advance(clock, "2028-01-26T00:00:00.000Z")

    assert sandbox.call("GET", f"/payment_plans/{plan}")["collected_amount_cents"] == 4 * 2500
