"""Calls the Python client as the tests ask: a JSON request per line in, a JSON response per line out.

A request names the resource, the method, its arguments, query and options; `client` has options of the
client. `iterate` reads a list to its end, or to its limit. Resource `webhooks` is for the functions, and
`sandbox` for the sandboxes, which keep their number.
"""

import json
import keyword
import sys

import payments_service as package
from payments_service.sandbox import start_sandbox

sandboxes = []
clocks = {}
receivers = {}


def call_sandbox(method, arguments, options):
    if method == "start":
        sandboxes.append(start_sandbox(**options))
        return shown(len(sandboxes) - 1)
    number, *rest = arguments
    sandbox = sandboxes[number]
    match method:
        case "clock":
            clock = sandbox.clock(**options)
            clocks[clock.id] = clock
            return clock.state
        case "advance":
            return clocks[rest[0]].advance(rest[1], **options)
        case "delete_clock":
            return clocks[rest[0]].delete()
        case "webhooks":
            receivers[number] = sandbox.webhooks(*rest)
            return {"url": receivers[number].url}
        case "events":
            return receivers[number].events
        case "wait_for":
            return receivers[number].wait_for(*rest, **options)
        case "call":
            resource, name, *given = rest
            result = getattr(getattr(sandbox.payments, resource), name)(*given)
            return result.page() if isinstance(result, package.Listing) else result
        case "trigger":
            return sandbox.trigger(*rest)
        case "reset":
            sandbox.reset(**options)
            return shown(number)
        case "stop":
            return sandbox.stop()


def shown(number):
    sandbox = sandboxes[number]
    members = ("base_url", "data_dir", "biller_id", "keys")
    return {"number": number, **{name: getattr(sandbox, name) for name in members}}


def call(request):
    resource, method = request["resource"], request["method"]
    arguments = request.get("arguments", [])
    query = {f"{name}_" if keyword.iskeyword(name) else name: value for name, value in request.get("query", {}).items()}
    options = {**query, **request.get("options", {})}
    if resource == "webhooks":
        return getattr(package, f"{method}_webhook")(*arguments, **options)
    if resource == "sandbox":
        return call_sandbox(method, arguments, options)
    client = package.PaymentsClient(**request["client"])
    result = getattr(getattr(client, resource), method)(*arguments, **options)
    if isinstance(result, package.Listing):
        return result.to_list(limit=request.get("limit")) if "iterate" in request else result.page()
    return result


def described(error):
    members = {key: value for key, value in vars(error).items() if not key.startswith("_")}
    return {"name": type(error).__name__, "message": str(error), **members}


for line in sys.stdin:
    try:
        answer = {"result": call(json.loads(line))}
    except Exception as error:
        answer = {"error": described(error)}
    print(json.dumps(answer), flush=True)
