"""The billing of a gym: it sells memberships and courses, and opens its door to those who have paid."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from payments_service import PaymentsClient

PRICES = {"Standard": 4900, "Gold": 7900, "Morning": 2900}  # per month, in cents


@dataclass
class Member:
    """What the gym knows of a member: the service tells it by webhooks."""

    customer: str
    subscription: str | None = None
    may_enter: bool = False
    paid: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # cents by month


class Gym:
    def __init__(self, payments: PaymentsClient) -> None:
        self._payments = payments
        self._members: dict[str, Member] = {}
        self._handled: set[str] = set()

    def register(self, name: str, token: str, test_clock: str) -> None:
        """Registers a member who pays by a card."""
        customer = self._payments.customers.create({"name": name, "test_clock": test_clock})
        self._members[name] = Member(customer["id"])
        self.add_card(name, token)

    def add_card(self, name: str, token: str) -> None:
        """Adds a card, which pays from now on."""
        member = self._members[name]
        fixture = {"type": "fixture", "token": token, "data": ""}
        card = {"expiry_month": 12, "expiry_year": 2040, "token_metadata": fixture}
        made = self._payments.payment_methods.create(
            {"type": "card", "customer_reference": member.customer, "payment_method_data": card}
        )
        if member.subscription is not None:
            method = {"payment_instrument_id": made["payment_method"]["id"]}
            self._payments.subscriptions.update(member.subscription, method)

    def join(self, name: str, **more: Any) -> None:
        """Sells a membership, with a joining fee."""
        member = self._members[name]
        subscription = self._payments.subscriptions.create(
            {
                "customer_id": member.customer,
                "name": "Membership",
                "currency": "AUD",
                "frequency_type": "monthly",
                "items": [{"name": "Standard", "unit_amount_cents": PRICES["Standard"]}],
                "one_off_items": [{"name": "Joining fee", "unit_amount_cents": 2500}],
                **more,
            }
        )
        member.subscription = subscription["id"]
        started = self._payments.subscriptions.start(member.subscription)
        if started["state"] != "active":
            raise RuntimeError(f"{name} has not joined: {started['last_payment_error']}")

    def sell_towels(self, name: str, quantity: int) -> None:
        """Sells towels, which the next month takes."""
        towels = [{"name": "Towel", "unit_amount_cents": 300, "quantity": quantity}]
        self._payments.subscriptions.update(self._subscription(name), {"one_off_items": towels})

    def upgrade(self, name: str) -> int:
        """Upgrades a member today. Returns what was shown to the member and then charged, in cents."""
        subscription = self._subscription(name)
        items = [{"name": "Gold", "unit_amount_cents": PRICES["Gold"]}]
        change = {"items": items, "when": "now", "collect": "now"}
        quote = self._payments.subscriptions.change(subscription, {**change, "dry_run": True})
        sure = {"expected_amount_cents": quote["amount_cents"]}
        made = self._payments.subscriptions.change(subscription, {**change, **sure})
        if made["subscription"]["last_payment_error"] is not None:
            raise RuntimeError(made["subscription"]["last_payment_error"]["message"])
        return quote["amount_cents"]

    def freeze(self, name: str, start: str, until: str) -> None:
        """A member is away. The first date is an end of a month of the membership."""
        self._payments.subscriptions.pause(self._subscription(name), {"from": start, "resumes_at": until})

    def downgrade(self, name: str) -> int:
        """A member may train in the mornings only, from today on. What is left of the month goes back: in cents."""
        subscription = self._subscription(name)
        items = [{"name": "Morning", "unit_amount_cents": PRICES["Morning"]}]
        self._payments.subscriptions.change(subscription, {"items": items, "when": "now"})
        refund = self._payments.subscriptions.refund_credit(subscription)
        self._members[name].paid[refund["created_at"][:7]] -= refund["amount"]
        return refund["amount"]

    def owes(self, name: str) -> int:
        """What a member owes for days in the gym that were not paid, in cents."""
        return self._payments.subscriptions.get(self._subscription(name))["owed_amount_cents"]

    def come_back(self, name: str) -> None:
        """A member comes back after payments have failed, and pays what is owed."""
        self._payments.subscriptions.resume(self._subscription(name))

    def leave(self, name: str, at: str) -> None:
        self._payments.subscriptions.cancel(self._subscription(name), {"at": at})

    def sell_course(self, name: str, start_date: str) -> None:
        """Sells a course in three parts."""
        plan = self._payments.payment_plans.create(
            {
                "customer_id": self._members[name].customer,
                "name": "Swimming course",
                "frequency_type": "monthly",
                "start_date": start_date,
                "recurring_amount_cents": 12_000,
                "total_amount_cents": 36_000,
                "currency": "AUD",
            }
        )
        self._payments.payment_plans.activate(plan["id"])

    def handle(self, event: Any) -> None:
        """Handles a verified webhook. One that comes twice changes nothing."""
        if event["id"] in self._handled:
            return
        self._handled.add(event["id"])
        data = event["data"]
        member = next((one for one in self._members.values() if one.customer == data.get("customer_id")), None)
        if member is None:
            return
        if event["event_type"] == "subscription.in_effect_changed":
            member.may_enter = data["in_effect"]
        elif event["event_type"] == "payment_intent.succeeded":
            member.paid[event["created_at"][:7]] += data["amount"]

    def may_enter(self, name: str) -> bool:
        return self._members[name].may_enter

    def paid(self, name: str, month: str) -> int:
        """What a member has paid in a month such as `2028-01`, less what went back, in cents."""
        return self._members[name].paid.get(month, 0)

    def _subscription(self, name: str) -> str:
        subscription = self._members[name].subscription
        if subscription is None:
            raise LookupError(f"{name} has no membership")
        return subscription
