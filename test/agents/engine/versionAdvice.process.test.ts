/** The advice of a version about a failure, and the notice of one that is too old. */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { Claude } from "../../../src/agents/Agents.ts"
import { versionHint, versionNotice } from "../../../src/agents/engine/sessionChecks.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { errorOf } from "../../kit/events.ts"

const cli = {
  id: "some",
  testedVersion: "2.5.0",
  oldestVersion: "2.1.0",
  belowOldest: "costs are wrong",
  install: "npm i some"
}
const { oldestVersion: _, ...unknown } = cli
const session = (cliVersion?: string, parentToolId?: string): AgentEvent => ({
  type: "session",
  sessionId: "s",
  ...(cliVersion === undefined ? {} : { cliVersion }),
  ...(parentToolId === undefined ? {} : { parentToolId })
})

describe("the hint behind a crash", () => {
  it.each([
    ["older than the oldest", "2.0.9", true, "some 2.0.9 (oldest known good 2.1.0): see reins doctor"],
    ["newer than the tested one", "3.0.0-rc.1 (Some)", true, "some 3.0.0-rc.1 (tested with 2.5.0): see reins doctor"],
    ["known to work", "2.1.0", true, undefined],
    ["the tested one", "2.5.0", true, undefined],
    ["not told by one that has spoken", undefined, true, undefined],
    ["not told by one that never spoke", undefined, false, "some 2.1.0 to 2.5.0 are known to work: see reins doctor"],
    ["no version", "tomorrow's", false, "some 2.1.0 to 2.5.0 are known to work: see reins doctor"]
  ])("where the version is %s", (_about, version, hasSpoken, hint) => {
    assert.strictEqual(versionHint(cli, version, hasSpoken), hint)
  })

  it("is missing if the versions are unknown", () => {
    assert.isUndefined(versionHint(unknown, "1.0.0", false))
  })

  it.prop("is short and shows nothing of the version but its number", [Schema.String], ([version]) => {
    const hint = versionHint(cli, version, true) ?? ""
    assert.isBelow(hint.length, 200)
    assert.match(hint, /^[\w .()-]*:?[\w -]*$/)
  })
})

describe("a session event", () => {
  it("of an old version is followed by a notice that names the damage and the cure", () => {
    assert.deepStrictEqual(versionNotice(cli, session("2.0.9")), {
      type: "notice",
      kind: "warning",
      message:
        "some 2.0.9 is older than 2.1.0, the oldest version that is known to work: costs are wrong. Update it: npm i some@2.5.0",
      data: { version: "2.0.9", oldestVersion: "2.1.0", testedVersion: "2.5.0" }
    })
  })

  it.each([
    ["of a version that works", cli, session("2.1.0")],
    ["of a newer version", cli, session("9.0.0")],
    ["without a version", cli, session()],
    ["of a sub-agent", cli, session("2.0.9", "t1")],
    ["of an agent that only its caller knows", unknown, session("2.0.9")]
  ])("%s has none", (_about, facts, event) => {
    assert.isUndefined(versionNotice(facts, event))
  })
})

const init = (version: string) => ({
  type: "system",
  subtype: "init",
  session_id: "s",
  claude_code_version: version
})

describe("a run and a session of an old CLI", () => {
  const program = (version: string) => ({
    command: process.execPath,
    baseArgs: ["-e", `console.log('${JSON.stringify(init(version))}'); process.exitCode = 7`, "--"]
  })

  it.live("say so, once and behind the session, and in the message of the crash", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const events = yield* Stream.runCollect(agent.execute({ prompt: "hello" }))
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["session", "notice", "error", "done"]
      )
      assert.include(errorOf(events).message, "(claude 2.1.99 (oldest known good")
      const refused = yield* Effect.flip(Effect.scoped(agent.open()))
      assert.include(refused.message, "(claude 2.1.99 (oldest known good")
    }).pipe(Effect.provide(Claude.layer(program("2.1.99"))), Effect.provide(NodeServices.layer))
  )

  it.live("that never spoke: the message names the versions that are known to work", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const { message } = yield* Effect.flip(agent.run({ prompt: "hello" }))
      assert.include(
        message,
        `(claude ${claude.oldestVersion} to ${claude.testedVersion} are known to work: see reins doctor)`
      )
    }).pipe(
      Effect.provide(Claude.layer({ command: process.execPath, baseArgs: ["-e", "process.exit(7)", "--"] })),
      Effect.provide(NodeServices.layer)
    )
  )
})
