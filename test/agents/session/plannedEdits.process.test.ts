/** A plan that is approved with its edits, in a live session of Claude Code: what is requests afterwards, and until when. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { PermissionAnswer, PlanAnswer } from "../../../src/contract/Rule.ts"
import { Approvals } from "../../../src/index.ts"
import { content, open, typed } from "../../kit/live.ts"

const workingDirectory = process.cwd()
const plan = { ask: { id: "plan", plan: "1. Write." } }
const write = (id: string, path: string, reason?: string) => {
  const file = path.startsWith("/") ? path : `${workingDirectory}/${path}`
  return { ask: { id, path: file, content: "x", ...(reason === undefined ? {} : { reason }) } }
}

/** Plans are answered like this, and everything else is denied by a person. */
const session = (answer: PlanAnswer) => {
  const requests: Array<string> = []
  const person = (title: string): PermissionAnswer => {
    requests.push(title)
    return { decision: "deny" }
  }
  const approvals = [Approvals.plan(() => answer), Approvals.ask(({ toolId }) => person(toolId.replace("toolu_", "")))]
  return Effect.map(open("claude", { approvals, workingDirectory }), (opened) => ({ ...opened, requests }))
}

const withEdits = { decision: "allow", remember: "edits", person: "Ann" } as const

describe("a plan that is approved with its edits", () => {
  it.live("lets Claude Code change files without asking, and nothing else", () =>
    Effect.gen(function* () {
      const { turn, requests } = yield* session(withEdits)
      const events = yield* turn(
        plan,
        { await: 1 },
        write("in", "src/new.ts"),
        write("hidden", ".github/workflows/ci.yml"),
        write("out", "/etc/hosts"),
        write("sensitive", "src/settings.json", "safetyCheck"),
        { ask: { id: "shell", command: "echo x > src/new.ts" } },
        { await: 6 },
        { tell: true }
      )
      assert.deepStrictEqual(requests, ["hidden", "out", "sensitive", "shell"])
      const decisions = typed(events, "permission_decision").map(({ decision, by, remembered }) => [
        decision,
        by,
        ...(remembered === undefined ? [] : [remembered])
      ])
      assert.deepStrictEqual(decisions.slice(0, 2), [
        ["allow", "handler", "edits"],
        ["allow", "memory"]
      ])
      assert.include(content(events).join(" "), "in=allow")
      const [request] = typed(events, "permission_request")
      assert.deepStrictEqual(
        request?.scopes.map(({ id }) => id),
        ["exact", "edits"]
      )
    })
  )

  it.live("ends with its turn", () =>
    Effect.gen(function* () {
      const { turn, requests } = yield* session(withEdits)
      yield* turn(plan, { await: 1 }, write("first", "a.ts"), { await: 2 })
      assert.deepStrictEqual(requests, [])
      yield* turn(write("second", "a.ts"), { await: 1 })
      assert.deepStrictEqual(requests, ["second"])
    })
  )

  it.live("ends with an interruption", () =>
    Effect.gen(function* () {
      const { turn, requests, session: live, log } = yield* session(withEdits)
      const running = yield* Effect.forkScoped(
        turn(plan, { await: 1 }, write("first", "a.ts"), { await: 2 }, { hang: true })
      )
      yield* log.until((events) => typed(events, "permission_decision").length === 2)
      yield* live.interrupt
      yield* Fiber.join(running)
      yield* turn(write("second", "a.ts"), { await: 1 })
      assert.deepStrictEqual(requests, ["second"])
    })
  )

  it.live("ends with a further message of a person", () =>
    Effect.gen(function* () {
      const { turn, requests, session: live, log } = yield* session(withEdits)
      const steps = [plan, { await: 1 }, write("first", "a.ts"), { await: 2 }, { steered: 1 }] as const
      const running = yield* Effect.forkScoped(turn(...steps, write("second", "a.ts"), { await: 3 }))
      yield* log.until((events) => typed(events, "permission_decision").length === 2)
      yield* live.send("and the other file")
      yield* Fiber.join(running)
      assert.deepStrictEqual(requests, ["second"])
    })
  )

  it.live("is not what a plain approval does", () =>
    Effect.gen(function* () {
      const { turn, requests } = yield* session({ decision: "allow" })
      yield* turn(plan, { await: 1 }, write("first", "a.ts"), { await: 2 })
      assert.deepStrictEqual(requests, ["first"])
    })
  )
})
