/** How long a notice says that is waited, whoever gives it. */
import { assert, describe, it } from "vitest"
import { announcedWaitMs } from "../../../src/agents/engine/announcedWait.ts"

describe("what a notice says of a wait", () => {
  const notice = { type: "notice", message: "" } as const
  it.each<readonly [string, Parameters<typeof announcedWaitMs>[0], number | undefined]>([
    ["milliseconds win", { ...notice, kind: "retry", data: { delayMs: 5, waitUntilMs: 2_000 } }, 5],
    ["a time is counted from now", { ...notice, kind: "rate_limit", data: { waitUntilMs: 1_500 } }, 500],
    ["a time that has passed is none", { ...notice, kind: "rate_limit", data: { waitUntilMs: 1 } }, 0],
    ["a retry by itself is a minute", { ...notice, kind: "retry" }, 60_000],
    ["a limit by itself is none", { ...notice, kind: "rate_limit" }, undefined],
    ["no number is none", { ...notice, kind: "rate_limit", data: { delayMs: "5" } }, undefined],
    ["no other kind is one", { ...notice, kind: "warning", data: { delayMs: 5 } }, undefined]
  ])("%s", (_, given, expected) => {
    assert.strictEqual(announcedWaitMs(given, 1_000), expected)
  })
})
