/** The wait that a notice announces, whichever CLI sent it. */
import { assert, describe, it } from "vitest"
import { announcedWaitMs } from "../../../src/agents/engine/watchdog.ts"

describe("what a notice says of a wait", () => {
  const notice = { type: "notice", message: "" } as const
  it.each<readonly [string, Parameters<typeof announcedWaitMs>[0], number | undefined]>([
    ["milliseconds win", { ...notice, kind: "retry", data: { delayMs: 5, waitUntilMs: 2_000 } }, 5],
    ["a time is counted from now", { ...notice, kind: "rate_limit", data: { waitUntilMs: 1_500 } }, 500],
    ["a past time does not count", { ...notice, kind: "rate_limit", data: { waitUntilMs: 1 } }, 0],
    ["a retry by itself is a minute", { ...notice, kind: "retry" }, 60_000],
    ["a limit alone does not count", { ...notice, kind: "rate_limit" }, undefined],
    [
      "a value that is not a number does not count",
      { ...notice, kind: "rate_limit", data: { delayMs: "5" } },
      undefined
    ],
    ["no other kind is one", { ...notice, kind: "warning", data: { delayMs: 5 } }, undefined]
  ])("%s", (_, input, expected) => {
    assert.strictEqual(announcedWaitMs(input, 1_000), expected)
  })
})
