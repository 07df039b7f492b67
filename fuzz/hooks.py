"""What schemathesis cannot read off the OpenAPI document of this service: how a request comes to mean something, which
refusals depend on what exists and not on the form of the request, and what every refusal looks like."""

import atexit
import collections
import json
import re
from urllib.parse import urlsplit

import requests
import schemathesis
from schemathesis.core.failures import ServerError
from schemathesis.openapi.checks import RejectedPositiveData, UseAfterFree

# --- What is sent ---

OWN_HOSTS = {"127.0.0.1", "localhost", "fuzz.invalid"}
AN_ID = re.compile(r"^(acct|cus|pm|pi|pi_sandbox|pp|clk)_[0-9A-Za-z]{32}$")
# Members that may be left out, and that name another object, or cannot be changed.
OPTIONAL_REFERENCES = (
    "biller_id",
    "customer_reference",
    "default_payment_method",
    "payment_instrument_id",
    "payment_method",
    "test_clock",
)


@schemathesis.hook
def before_call(context, case, kwargs):
    if isinstance(case.body, dict):
        keep_from_strangers(case.body)
    if is_well_formed(case):
        name_once(case)
        if isinstance(case.body, dict) and case.meta.phase.name.value in ("fuzzing", "stateful"):
            make_sense(case)


def is_well_formed(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


def operation_id(case):
    return case.operation.definition.raw.get("operationId")


def name_once(case):
    """Makes an Idempotency-Key this request's alone: short ones come again and again, and only the first would count."""
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and not key.endswith(case.id) and len(key) + len(case.id) <= 255:
        case.headers["Idempotency-Key"] = key + case.id


def keep_from_strangers(body):
    """Webhooks go nowhere else: a made-up host that happens to exist would be sent our events."""
    url = body.get("url")
    try:
        host = urlsplit(url).hostname if isinstance(url, str) else None
    except ValueError:
        host = None
    if host and host not in OWN_HOSTS:
        body["url"] = re.sub(re.escape(host), "fuzz.invalid", url, count=1, flags=re.IGNORECASE)


def make_sense(case):
    """Mends what no random body gets right, so that it reaches further than to the first rule. The examples and the
    boundary values stay as they are, and so do all malformed requests."""
    body, operation = case.body, operation_id(case)
    for name in OPTIONAL_REFERENCES:
        if not AN_ID.match(str(body.get(name, "")).removeprefix('"')):
            body.pop(name, None)
    if operation in ("updateCustomer", "updatePaymentPlan"):
        for name in ("test_clock", "customer_id"):
            body.pop(name, None)
    if operation == "createPaymentIntent":
        body["amount"] = max(body["amount"], 200 + body["amount"])
        if "payment_method" in body:
            # Another endpoint has it already.
            body.pop("customer_id", None)
        else:
            body.pop("scheduled_payment_date", None)
    if operation == "createMandate":
        body.pop("customer_id", None)
    if operation in ("createMandate", "acceptMandate"):
        acceptance = body if operation == "acceptMandate" else body.get("acceptance")
        if isinstance(acceptance, dict) and not IS_PUBLISHABLE:
            # The hash of a text is no matter of chance.
            for name in ("text_version", "text_sha256"):
                acceptance.pop(name, None)
            acceptance.update(type="imported", accepted_at="2020-01-01T00:00:00Z")
    if operation in ("createPaymentLink", "createCheckoutSession"):
        for name in ("amount_range", "apply_to", "collect", "make_default", "mode", "payment_intent_id",
                     "payment_method_types", "subscription_id"):
            body.pop(name, None)
        body.setdefault("amount", 2500)
        body.setdefault("currency", "AUD")
        body.setdefault("name", "Invoice")
    if operation == "createSubscription":
        for name in ("anchor_day", "ends_at", "trial_end_date"):
            body.pop(name, None)
        body["items"] = [{**item, "unit_amount_cents": 100, "quantity": 1} for item in body["items"]]
    if operation == "changeSubscription":
        for name in ("collect", "expected_amount_cents", "when"):
            body.pop(name, None)
        body["items"] = [{**item, "unit_amount_cents": 100, "quantity": 1} for item in body["items"]]
    if operation == "createRefund" and "amount" in body:
        body["amount"] = 1 + body["amount"] % 50
    if operation == "createPaymentPlan":
        body.pop("payment_instrument_id", None)
        if "first_date" in body:
            body["first_date"] = body["start_date"]
        if body.get("until_further_notice"):
            body.pop("total_amount_cents", None)
        else:
            body.setdefault("total_amount_cents", 5 * body["recurring_amount_cents"] % 99_999_999 + 1)


# --- Whose key it is ---

# None where it may do everything. Otherwise the ids of the operations that it may call, of some only with a client secret:
# these there are for a publishable key alone.
with open("rights.json") as file:
    RIGHTS = json.load(file)

IS_PUBLISHABLE = RIGHTS is not None and bool(RIGHTS["withClientSecret"])

# --- What may be answered ---

# `error.code` of refusals of a well-formed request: by the state of an object, by a limit, by an earlier request.
STATE_CODES = {
    "advance_bound_exceeded",
    "idempotency_key_reused",
    "invalid_state",
    "mandate_exists",
    "mandate_limit_exceeded",
    "mandate_text_unknown",
    "mandate_unavailable",
    "quote_changed",
    "test_clock_advancing",
    "test_clock_customers_limit",
    "test_clock_failed",
    "test_clock_full",
    "test_clock_limit",
    "webhook_endpoint_limit",
}

# `code` of faults that are found by looking something up, or by comparing fields with each other.
LOOKED_UP = {
    "amount_or_range",
    "amount_too_small",
    "currency_of_scheme",
    "customer_deleted",
    "customer_reference_ambiguous",
    "duplicate",
    "immutable",
    "mandate_limit_exceeded",
    "mandate_text_unknown",
    "mandate_unavailable",
    "method_currency_mismatch",
    "payment_method_detached",
    "payment_method_not_allowed",
    "payment_method_of_other_customer",
    "payment_method_unattached",
    "resource_missing",
    "total_or_until_further_notice",
    "unknown_event_type",
    "unknown_fixture_token",
    "url_invalid",
    "url_not_public",
    "url_unresolvable",
}

# Fields of a payment link or a checkout session that another field can make superfluous.
DECIDED_ELSEWHERE = (
    "amount",
    "amount_range",
    "apply_to",
    "collect",
    "currency",
    "customer_id",
    "make_default",
    "metadata",
    "mode",
    "save_payment_method",
    "statement_descriptor",
    "surcharge_applied",
    "tax_included",
)

# Faults whose code usually means a wrong form, at the few places where they mean more than a schema can say.
BEYOND_THE_SCHEMA = {
    # Compared with today, with the clock, with what is left to refund or to collect.
    ("out_of_range", "/accepted_at"),
    ("out_of_range", "/acceptance/accepted_at"),
    ("out_of_range", "/amount"),
    ("out_of_range", "/amount_cents"),
    ("out_of_range", "/first_date"),
    ("out_of_range", "/frozen_time"),
    ("invalid_value", "/scheduled_payment_date"),  # together with `confirm`
    ("out_of_range", "/scheduled_payment_date"),
    ("out_of_range", "/sent_at"),
    ("out_of_range", "/start_date"),
    ("out_of_range", "/total_amount_cents"),
    ("out_of_range", "/until"),
    ("out_of_range", "query/from"),  # outside of the calendar
    # Of a report: the names of its columns, those of time zones, and ends that do not go together.
    *(("invalid_value", f"query/{name}") for name in ("columns", "from", "timezone", "to")),
    ("invalid_value", "/payment_method_id"),  # no bank account
    *(
        ("out_of_range", f"/{name}")
        for name in ("anchor_day", "at", "ends_at", "expires_at", "from", "items", "one_off_items", "resumes_at")
    ),
    *(("out_of_range", f"/discounts/{index}/amount_off_cents") for index in range(5)),  # one of two fields
    ("payment_method_missing", "/payment_instrument_id"),  # of a subscription that is started
    ("out_of_range", "/trial_end_date"),
    ("out_of_range", "/amount_range/min"),
    *(("out_of_range", f"/amount_range/suggested/{index}") for index in range(5)),
    # What a payment intent, a customer or the mode of a link decides about.
    *(("invalid_value", f"/{name}") for name in DECIDED_ELSEWHERE),
    ("invalid_value", "/apply_to/payment_plan_id"),
    ("invalid_value", "/apply_to/subscription_id"),
    ("invalid_value", "/apply_to/unpaid"),
    ("invalid_value", "/subscription_id"),
    ("out_of_range", "/unused"),  # together with `at`
    ("out_of_range", "/dry_run"),  # together with `unused`
    *(("invalid_value", f"/{name}") for name in ("collect", "expected_amount_cents")),  # together with `when`
    # Needed together with another field, or where the object or the customer has none yet.
    ("parameter_missing", "/currency"),
    ("parameter_missing", "/customer_id"),
    ("parameter_missing", "/expires_at"),
    ("parameter_missing", "/name"),
    *(
        ("parameter_missing", f"{parent}/{name}")
        for parent in ("", "/acceptance")
        for name in ("accepted_at", "ip_address", "text_sha256", "text_version", "user_agent")
    ),
    ("parameter_missing", "/payment_instrument_id"),
    ("parameter_missing", "/payment_method"),
    # A slot that has not come.
    ("invalid_value", "query/starting_after"),
}
if IS_PUBLISHABLE:
    # A day at most, and 30 days with a secret key: the document has one schema for both.
    BEYOND_THE_SCHEMA.add(("invalid_value", "header/Idempotency-TTL"))

# Readers of JSON differ on what this name means, in free-form members too.
NOT_A_NAME = "The body must not name a member __proto__."
# JSON Schema has no word for what no text of a database can hold.
NOT_TEXT = re.compile(r"(must be|whose name is not) valid text without NUL characters\.$")
# Nor for digits that may be the number of a card, in any string of a card, an account or an acceptance.
CARD_NUMBER = re.compile(r"may hold the number of a card\.")

ENVELOPE = {"message", "type", "code", "details", "request_id", "max_frozen_time", "mandate_id", "missing"}
# RFC 3339, and so the format `date-time`, has leap seconds; the service has none.
LEAP_SECOND = re.compile(r":60(\.\d+)?(Z|[+-])", re.IGNORECASE)
INSIDES = re.compile(r"node_modules|postgres|\.ts:\d+|syntax error|violates|stack", re.IGNORECASE)


def error_of(response):
    """The `error` of a refusal, or an empty one when the body is anything else."""
    try:
        error = response.json()["error"]
    except (ValueError, TypeError, KeyError):
        return {}
    return error if isinstance(error, dict) else {}


def depends_on_what_exists(error):
    if error.get("code") in STATE_CODES or error.get("message") == NOT_A_NAME:
        return True
    details = error.get("details") or []
    return bool(details) and all(map(is_beyond_the_schema, details))


def asks_for_a_leap_second(case):
    return any(isinstance(value, str) and LEAP_SECOND.search(value) for value in (case.query or {}).values())


def is_beyond_the_schema(detail):
    code, path = detail.get("code"), detail.get("path")
    message = detail.get("message", "")
    is_about_text = bool(NOT_TEXT.search(message) or CARD_NUMBER.search(message))
    return code in LOOKED_UP or (code, path) in BEYOND_THE_SCHEMA or is_about_text


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what is no fault of the service; everything else stays a failure."""
    error = error_of(response)
    if isinstance(failure, RejectedPositiveData):
        return not (depends_on_what_exists(error) or asks_for_a_leap_second(case))
    if isinstance(failure, ServerError):
        # Live mode has no processor: a charge is refused, and nothing is charged.
        return error.get("code") != "processor_not_configured"
    if isinstance(failure, UseAfterFree):
        # A deleted customer stays readable, with `deleted_at`, and so do its payments and methods.
        return not (case.method == "GET" and case.path.startswith("/api/v1/customers/{customer_id}"))
    return True


@schemathesis.check
def refusals_have_the_envelope(ctx, response, case):
    """Every refusal, of unknown methods too, is the error envelope, and shows nothing of the inside."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return None
    error = error_of(response)
    assert isinstance(error.get("message"), str) and error["message"], "no `error.message`"
    assert isinstance(error.get("type"), str) and error["type"], "no `error.type`"
    assert set(error) <= ENVELOPE, f"unknown members of `error`: {sorted(set(error) - ENVELOPE)}"
    assert [error.get("request_id")] == response.headers.get("request-id"), "`request_id` is not the Request-Id"
    assert not INSIDES.search(error["message"]), "the message tells of the inside"
    for detail in error.get("details", []):
        assert detail.get("code") and detail.get("message"), "a fault without code or message"
    return None


@schemathesis.check
def repetitions_are_replayed(ctx, response, case):
    """A request with an Idempotency-Key that has succeeded is answered again, byte for byte, and has no second effect."""
    headers = response.request.headers
    if case.method != "POST" or not 200 <= response.status_code < 300 or "Idempotency-Key" not in headers:
        return None
    # It may have run out by now.
    if len(headers.get("Idempotency-TTL", "long")) < 3:
        return None
    again = requests.Session().send(response.request.copy(), timeout=30)
    assert again.headers.get("Idempotent-Replayed") == "true", "the repetition is not marked as one"
    assert again.status_code == response.status_code, f"the repetition is answered with {again.status_code}"
    assert again.content == response.content, "the repetition has another body"
    return None


# --- What the key may do ---


def has_right(case):
    if RIGHTS is None or operation_id(case) in RIGHTS["may"]:
        return not names_a_customer_without_secret(case)
    return operation_id(case) in RIGHTS["withClientSecret"] and presents_client_secret(case)


def presents_client_secret(case):
    return any(isinstance(part, dict) and "client_secret" in part for part in (case.query, case.body))


def names_a_customer_without_secret(case):
    """A publishable key saves a method for a customer only as the payer of one of that customer's payment intents."""
    if not IS_PUBLISHABLE or not isinstance(case.body, dict):
        return False
    return bool(case.body.get("customer_reference")) and not presents_client_secret(case)


@schemathesis.check
def rights_are_kept(ctx, response, case):
    """What the key has no right to is refused, whatever the request is like otherwise; it neither works nor breaks."""
    if not has_right(case):
        assert 400 <= response.status_code < 500, f"{response.status_code} to a key that has no right to this"
    return None


# --- What has been reached ---

accepted = collections.Counter()
refused = collections.Counter()


@schemathesis.hook
def after_call(context, case, response):
    accepted[operation_id(case)] += 200 <= response.status_code < 300 and case.method == case.operation.method.upper()
    if not has_right(case) and 400 <= response.status_code < 500:
        refused[operation_id(case)] += 1


@atexit.register
def write_reached():
    """For each operation, how many requests have succeeded, and how many were refused that the key has no right to: for a
    summary that shows what was not reached."""
    with open("reached.json", "w") as file:
        json.dump({"accepted": accepted, "refused": refused}, file)
