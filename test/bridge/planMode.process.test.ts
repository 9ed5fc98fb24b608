/** `/planmode`: the agent plans before it acts, where a plan can be approved. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const agentOf = (cli: keyof typeof clis) =>
  TestRuntime.layer(
    ({ permissionMode = "none" }): ReadonlyArray<AgentEvent> => [{ type: "text", text: `${cli} in ${permissionMode}` }],
    { cli: clis[cli] }
  )

const agents = { claude: agentOf("claude"), codex: agentOf("codex"), opencode: agentOf("opencode"), pi: agentOf("pi") }

/** The replies to these messages, one after the other. */
const replies = (messages: ReadonlyArray<string>, options: Partial<BridgeOptions> = {}) =>
  Effect.gen(function* () {
    const { say, ours, until } = yield* (yield* bridgeOf(agents.claude, { agent: "claude", ...options, agents }))()
    for (const [index, message] of messages.entries()) {
      yield* say(message)
      yield* until(() => (ours("ann").length > index ? true : undefined))
    }
    return ours("ann").map(({ text }) => text)
  }).pipe(Effect.scoped)

describe("/planmode", () => {
  it.live.each(["on", "auto"])("%s starts the CLI in plan mode", (mode) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* replies([`/planmode ${mode}`, "hello", "/planmode off", "hello"]), [
        `Plan mode: ${mode}`,
        "claude in plan",
        "Plan mode: off",
        "claude in none"
      ])
    })
  )

  it.live("auto of the configuration starts the CLI in plan mode", () =>
    Effect.gen(function* () {
      const options: Partial<BridgeOptions> = { chats: { ann: { planMode: "auto" } } }
      assert.deepStrictEqual(yield* replies(["hello"], options), ["claude in plan"])
      // An agent without plans would never act.
      assert.deepStrictEqual(yield* replies(["hello"], { ...options, agent: "codex" }), ["codex in none"])
      assert.deepStrictEqual(yield* replies(["hello"], { ...options, live: false }), ["claude in none"])
    })
  )

  it.live.each(["codex", "opencode", "pi"] as const)("is refused for %s, which has no plan to approve", (agent) =>
    Effect.gen(function* () {
      const [on, auto, answer] = yield* replies(["/planmode on", "/planmode auto", "hello"], { agent })
      for (const refusal of [on, auto]) assert.include(refusal, `${agent} does not ask for approval of a plan`)
      assert.strictEqual(answer, `${agent} in none`)
    })
  )

  it.live("ends when the chat chooses an agent without plans", () =>
    Effect.gen(function* () {
      const [, chosen, answer, back] = yield* replies(["/planmode on", "/agent codex", "hello", "/planmode"])
      assert.include(chosen, "Agent: codex\nPlan mode: off. codex does not ask for approval of a plan.")
      assert.strictEqual(answer, "codex in none")
      assert.strictEqual(back, "Plan mode: off")
    })
  )

  it.live("auto is refused where no session is live, and on is not", () =>
    Effect.gen(function* () {
      const [auto, on, answer] = yield* replies(["/planmode auto", "/planmode on", "hello"], { live: false })
      assert.include(auto, "live: false")
      assert.strictEqual(on, "Plan mode: on")
      assert.strictEqual(answer, "claude in plan")
    })
  )
})
