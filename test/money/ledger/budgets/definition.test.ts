/** Valid and invalid budgets: each bad input names the culprit and the cure. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { checkBudgets } from "../../../../src/money/ledger/budgets/definition.ts"

const day = { name: "day", window: "day", usd: 5 }

const problemOf = (budgets: unknown, zone?: unknown) => {
  const checked = checkBudgets({ budgets, zone })
  return Result.isFailure(checked) ? checked.failure.message : "accepted"
}

describe("budgets of a caller", () => {
  it.each<readonly [string, unknown, string]>([
    ["of 0", [{ ...day, usd: 0 }], "budgets.0.usd: Expected US dollars, at least 0.000001"],
    ["negative", [{ ...day, usd: -1 }], "budgets.0.usd: Expected US dollars, at least 0.000001"],
    ["no number", [{ ...day, usd: Number.NaN }], "budgets.0.usd: Expected US dollars, at least 0.000001"],
    ["endless", [{ ...day, usd: Number.POSITIVE_INFINITY }], "budgets.0.usd: Expected US dollars, at least 0.000001"],
    ["a text", [{ ...day, usd: "5" }], "budgets.0.usd: Expected a number, not a text"],
    ["less than is kept", [{ ...day, usd: 1e-9 }], "budgets.0.usd: Expected US dollars, at least 0.000001"],
    ["half a token", [{ name: "t", window: "day", tokens: 0.5 }], "budgets.0.tokens: Expected a whole number above 0"],
    [
      "without a limit",
      [{ name: "a", window: "day" }],
      "budgets.0.usd: is missing: a budget has a limit in usd, tokens or turns"
    ],
    [
      "with two limits",
      [{ ...day, tokens: 5 }],
      "budgets.0.tokens: is a second limit beside usd: make two budgets of them"
    ],
    ["two of one name", [day, { ...day, usd: 9 }], 'budgets.1.name: "day" is the name of another budget, too'],
    [
      "in another currency",
      [{ name: "a", window: "day", eur: 5 }],
      "budgets.0.eur: is not known: a budget is in US dollars (usd), tokens or turns: usd: 5"
    ],
    [
      "with a currency",
      [{ ...day, currency: "EUR" }],
      "budgets.0.currency: is not known: a budget is in US dollars (usd), tokens or turns: usd: 5"
    ],
    ["of a week", [{ ...day, window: "week" }], 'budgets.0.window: Expected "run", "day", "month" or "total"'],
    ["per team", [{ ...day, per: "team" }], 'budgets.0.per: Expected "all", "user", "project", "session" or "run"'],
    [
      "a run of a user",
      [{ ...day, window: "run", per: "user" }],
      'budgets.0.per: is user, and the window is one run: leave "per" out, or use window "day", "month" or "total"'
    ],
    ["a run of a day", [{ ...day, per: "run" }], 'budgets.0.window: is not "run", as it is for a budget per run'],
    [
      "a warning in percent",
      [{ ...day, warnAt: 70 }],
      "budgets.0.warnAt: Expected a share of the limit, above 0 and at most 1, such as 0.7"
    ],
    [
      "more reserved than there is",
      [{ ...day, reserve: 9 }],
      "budgets.0.reserve: is more than the limit (usd): no run could start"
    ],
    ["no way of paying", [{ ...day, billing: [] }], "budgets.0.billing: is empty: nothing would count"],
    [
      "a name that paints",
      [{ ...day, name: "a\u001b[1m" }],
      "budgets.0.name: Expected a text of 1 to 64 characters, without control characters"
    ],
    [
      "an unknown field",
      [{ ...day, onExceded: "stop" }],
      'budgets.0.onExceded: is not a known field; did you mean "onExceeded"?'
    ],
    ["a text for all", "day=5", "budgets: Expected a list, not a text; a single one is a list of one"],
    ["null", [null], "budgets.0: Expected an object, not null"]
  ])("%s", (_, budgets, problem) => assert.strictEqual(problemOf(budgets), problem))

  it.each<readonly [unknown, string]>([
    ["Mars/Base", 'zone: "Mars/Base" is not a time zone: write one such as Europe/Berlin or UTC'],
    ["", 'zone: "" is not a time zone: write one such as Europe/Berlin or UTC'],
    [5, "zone: it is not a time zone: write one such as Europe/Berlin or UTC"],
    ["Europe/Berlin", "accepted"],
    [undefined, "accepted"]
  ])("in the zone %s", (zone, problem) => assert.strictEqual(problemOf([day], zone), problem))

  it("have defaults", () => {
    const checked = checkBudgets({ budgets: [day, { name: "run", window: "run", tokens: 5 }], zone: "UTC" })
    assert.deepStrictEqual(Result.getOrUndefined(checked)?.budgets, [
      {
        name: "day",
        per: "all",
        window: "day",
        unit: "usd",
        limit: 5_000_000,
        warnAt: 0.7,
        reserve: undefined,
        stops: false,
        countsReserve: true,
        billing: ["api", "unknown"]
      },
      {
        name: "run",
        per: "run",
        window: "run",
        unit: "tokens",
        limit: 5,
        warnAt: 0.7,
        reserve: undefined,
        stops: true,
        countsReserve: false,
        billing: undefined
      }
    ])
  })
})
