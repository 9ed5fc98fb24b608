/** An agent that crashes takes one turn with it: the next message gets a process of its own. */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Claude } from "../../src/agents/Agents.ts"
import { storeKinds } from "../conversations/store/stores.ts"
import { programPath } from "../kit/agent.ts"
import { processesWith } from "../kit/processes.ts"
import { bridgeOf } from "./bridgeOf.ts"

/** A child that ignores SIGTERM: after the crash, the end of the session takes as long as the grace. */
const withChild = `trap "" TERM; sleep 600 </dev/null >/dev/null 2>&1 & exec "$0" "$@"`

const prompt = (...steps: ReadonlyArray<object>) => JSON.stringify(steps)

describe.each(storeKinds)("a crash with a store in $name", ({ place }) => {
  it.live("leaves a queued message to a new process", () =>
    Effect.gen(function* () {
      const mark = `--mark=${randomUUID()}`
      const agent = Claude.layer({
        command: "/bin/sh",
        baseArgs: ["-c", withChild, process.execPath, programPath("live/claude"), mark],
        killGrace: 1_000
      })
      const { say, ours, until, shown: visible } = yield* (yield* bridgeOf(agent, { progress: "edit" }, yield* place))()
      for (const round of ["first", "second"]) {
        yield* say(prompt({ tool: { id: round, command: `work ${round}`, open: true } }, { hang: true }))
        yield* visible("ann", `work ${round}`)
        yield* say(prompt({ say: `after the ${round}` }))
        yield* visible("ann", "Queued · 1")
        for (const pid of processesWith(mark)) process.kill(pid, "SIGKILL")
        const crashes = () => ours("ann").filter(({ text }) => text.includes("The agent crashed."))
        const answers = () => ours("ann").filter(({ text }) => text.startsWith("after the"))
        yield* until(() => (crashes().length + answers().length === (round === "first" ? 2 : 4) ? true : undefined))
        assert.strictEqual(crashes().length, answers().length)
      }
    }).pipe(Effect.scoped)
  )
})
