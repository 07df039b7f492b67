from gym import Gym

GOOD = "tok_sandbox_visa_succeed"
EMPTY = "tok_sandbox_visa_decline_insufficient_funds"

# What each member pays in each month, in cents, worked out by hand. Membership 49.00, joining fee 25.00.
# Ada: half of two months; away in summer; leaves in December. Grace: a course of 120.00 three times; declined for a day
# in April. Linus: towels in April; Gold from 25 May (16 of 31 days: 40.77 less 25.29); an empty card in September, and
# paid for the month on the 20th.
TABLE = """
          Ada   Grace  Linus
2028-01   4950   7400   7400
2028-02   2450  16900   4900
2028-03   4900  16900   4900
2028-04   4900  16900   5500
2028-05   4900   4900   6448
2028-06      0   4900   7900
2028-07      0   4900   7900
2028-08   4900   4900   7900
2028-09   4900   4900   7900
2028-10   4900   4900   7900
2028-11   4900   4900   7900
2028-12      0   4900   7900
"""


def test_it_is_paid_as_the_table_says_and_opens_its_door_to_those_who_have_paid(payments_sandbox):
    payments = payments_sandbox.payments
    webhooks = payments_sandbox.webhooks("payment_intent.*", "subscription.*")
    clock = payments_sandbox.clock(at="2028-01-10T00:00:00Z")
    gym = Gym(payments)

    def to(date):
        """Lets time pass. Every webhook of that time has come when it returns."""
        clock.advance(f"{date}T00:00:00Z")
        for event in webhooks.events:
            gym.handle(event)

    def door():
        return [name for name in ("Ada", "Grace", "Linus") if gym.may_enter(name)]

    for name in ("Ada", "Grace", "Linus"):
        gym.register(name, GOOD, clock.id)
    gym.join("Ada", discounts=[{"name": "First months", "percent_off": 50, "periods": 2}])
    outcomes = "succeed;succeed;succeed;decline,succeed;succeed"
    gym.join("Grace", metadata={"_sandbox_outcome_by_period": outcomes})
    gym.join("Linus")
    gym.sell_course("Grace", "2028-02-01")
    gym.freeze("Ada", "2028-06-10", "2028-08-10")
    to("2028-03-20")
    gym.sell_towels("Linus", 2)
    to("2028-04-10")
    assert door() == ["Ada", "Grace", "Linus"], "a declined payment is retried before the door closes"
    to("2028-05-25")
    assert gym.upgrade("Linus") == 1548
    to("2028-06-15")
    assert door() == ["Grace", "Linus"]
    to("2028-08-20")
    assert door() == ["Ada", "Grace", "Linus"]
    gym.add_card("Linus", EMPTY)
    gym.leave("Ada", "2028-12-10")
    to("2028-09-20")
    assert door() == ["Ada", "Grace"]
    gym.add_card("Linus", GOOD)
    gym.come_back("Linus")
    to("2028-12-09")
    assert door() == ["Ada", "Grace", "Linus"]
    to("2029-01-01")
    assert door() == ["Grace", "Linus"]

    heading, *rows = TABLE.strip().splitlines()
    names = heading.split()
    total = 0
    for month, *amounts in map(str.split, rows):
        expected = dict(zip(names, map(int, amounts), strict=True))
        assert {name: gym.paid(name, month) for name in names} == expected, month
        total += sum(expected.values())
    collected = payments.payment_intents.list(test_clock=clock.id)
    held = sum(payment["net_collected_amount"] for payment in collected)
    assert held == total, "the service holds what the table says"


def test_it_has_been_paid_for_what_was_served_when_a_member_returns_late(payments_sandbox):
    webhooks = payments_sandbox.webhooks("payment_intent.*", "subscription.*")
    clock = payments_sandbox.clock(at="2028-01-10T00:00:00Z")
    gym = Gym(payments_sandbox.payments)

    def to(date):
        clock.advance(f"{date}T00:00:00Z")
        for event in webhooks.events:
            gym.handle(event)

    gym.register("Joan", GOOD, clock.id)
    gym.join("Joan")
    to("2028-02-01")
    gym.add_card("Joan", EMPTY)
    to("2028-02-14")
    assert gym.may_enter("Joan"), "the payment is still retried"
    to("2028-03-20")
    assert not gym.may_enter("Joan")
    gym.add_card("Joan", GOOD)
    assert gym.owes("Joan") == 845  # 5 of 29 days
    gym.come_back("Joan")
    assert gym.owes("Joan") == 0
    to("2028-04-05")
    assert gym.may_enter("Joan")
    assert gym.downgrade("Joan") == 968  # 15 of 31 days: 23.71, less 14.03
    to("2028-05-21")
    paid = [gym.paid("Joan", f"2028-0{month}") for month in range(1, 6)]
    assert paid == [7400, 0, 4900 + 845, 2900 - 968, 2900]
