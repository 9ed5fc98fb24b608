/** Differences between two requests, and whether the answer to the first is remembered for the second; for every CLI that asks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Approvals } from "../../src/index.ts"
import { askers, content, open, typed } from "../kit/live.ts"

type Request = Readonly<Record<string, unknown>>
type CliId = (typeof askers)[number]

const path = `${process.cwd()}/new.txt`
const run: Request = { command: "run a" }
const write: Request = { path, content: "alpha\n" }

const onlyCodex: ReadonlyArray<CliId> = ["codex"]

/** [difference, first request, second request, whether they count as the same, CLIs that report it] */
const table: ReadonlyArray<readonly [string, Request, Request, boolean, ReadonlyArray<CliId>]> = [
  ["nothing", run, run, true, askers],
  ["the command", run, { command: "run b" }, false, askers],
  ["one blank in the command", run, { command: "run  a" }, false, askers],
  ["nothing about the file", write, write, true, askers],
  ["the content of the file", write, { path, content: "rm -rf ~\n" }, false, askers],
  ["the path of the file", write, { path: `${path}x`, content: "alpha\n" }, false, askers],
  ["a command for a file", write, run, false, askers],
  ["the directory", run, { ...run, directory: "/tmp" }, false, onlyCodex],
  ["the escalation, with a reason", run, { ...run, escalated: true, reason: "because" }, false, onlyCodex],
  ["the escalation, without a reason", run, { ...run, escalated: true }, false, onlyCodex],
  [
    "the reason of an escalation",
    { ...run, escalated: true, reason: "because" },
    { ...run, escalated: true, reason: "why not" },
    false,
    onlyCodex
  ],
  ["an escalation of false", { ...run, escalated: true }, run, false, onlyCodex]
]

const isAsk = (id: CliId, request: Request) =>
  !(id === "gemini" && request["content"] === undefined && "path" in request)

describe.each(askers)("%s", (id) => {
  const rows = table.filter(([, first, second, , known]) => known.includes(id) && isAsk(id, first) && isAsk(id, second))

  it.live.each(rows)("%s may differ", ([, first, second, isSame]) =>
    Effect.gen(function* () {
      let count = 0
      const approvals = [
        Approvals.ask(() => {
          count += 1
          return { decision: "allow", remember: true }
        })
      ]
      const { turn } = yield* open(id, { approvals })
      const events = yield* turn(
        { ask: { id: "a", ...first } },
        { await: 1 },
        { ask: { id: "b", ...second } },
        { await: 2 },
        { tell: true }
      )
      assert.deepStrictEqual(content(events), ["a=allow", "b=allow"])
      assert.strictEqual(count, isSame ? 1 : 2)
      const [, again] = typed(events, "permission_decision")
      assert.strictEqual(again?.by, isSame ? "memory" : "handler")
    })
  )

  it.live("is told that no answer came, without a message of a person", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.ask(undefined, { deadline: 30 })] })
      const events = yield* turn({ ask: { id: "a", command: "run a" } }, { await: 1 }, { tell: true })
      const [decision] = typed(events, "permission_decision")
      assert.deepInclude(decision, { decision: "deny", by: "deadline", message: "No answer within 0.03 s." })
    })
  )

  it.live("refuses an answer that cannot be remembered, with the reason, and continues", () =>
    Effect.gen(function* () {
      const { session, begin, log } = yield* open(id, { approvals: [Approvals.ask()] })
      yield* begin({ ask: { id: "a", command: "run a" } }, { await: 1 }, { tell: true })
      yield* log.until((events) => typed(events, "permission_request").length > 0)
      const [request] = typed(log.events, "permission_request")
      const requestId = request?.requestId ?? ""
      const refused = yield* Effect.flip(session.decide(requestId, { decision: "allow", remember: "everything" }))
      assert.deepInclude(refused.reason, { _tag: "InvalidParams", option: "remember" })
      assert.isTrue(yield* session.decide(requestId, { decision: "allow", remember: true }))
    })
  )
})

describe("codex", () => {
  it.live("leaves its sandbox only by an explicit rule", () =>
    Effect.gen(function* () {
      const escalated = { command: "run a", escalated: true }
      const decide = Effect.fnUntraced(function* (match: Approvals.Match, ask: Request) {
        const { turn } = yield* open("codex", { approvals: [Approvals.allow(match)] })
        const events = yield* turn({ ask: { id: "a", ...ask } }, { await: 1 }, { tell: true })
        const [request] = typed(events, "permission_request")
        assert.strictEqual(request?.escalated, ask["escalated"] === true)
        return typed(events, "permission_decision")[0]?.decision
      })
      assert.strictEqual(yield* decide({ commands: ["run *"] }, { command: "run a" }), "allow")
      assert.strictEqual(yield* decide({ commands: ["run *"] }, escalated), "deny")
      assert.strictEqual(yield* decide({}, { ...escalated, reason: "because" }), "deny")
      assert.strictEqual(yield* decide({ commands: ["run *"], escalated: true }, escalated), "allow")
      assert.strictEqual(yield* decide({ commands: ["run *"], escalated: true }, { command: "run a" }), "deny")
    })
  )
})
