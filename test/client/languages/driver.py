"""Calls the Python client as the tests ask: a JSON request per line in, a JSON response per line out.

A request names the resource, the method, its arguments, query and options; `client` has options of the
client. `iterate` reads a list to its end, or to its limit. Resource `webhooks` is for the functions.
"""

import json
import keyword
import sys

import payments_service as package


def call(request):
    resource, method = request["resource"], request["method"]
    arguments = request.get("arguments", [])
    query = {f"{name}_" if keyword.iskeyword(name) else name: value for name, value in request.get("query", {}).items()}
    options = {**query, **request.get("options", {})}
    if resource == "webhooks":
        return getattr(package, f"{method}_webhook")(*arguments, **options)
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
