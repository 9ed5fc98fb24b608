/** What may differ between two requests, and whether the answer to the first is remembered for the second; for every CLI. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Approvals } from "../../src/index.ts"
import { ids, open, said, typed } from "../kit/live.ts"

type Asked = Readonly<Record<string, unknown>>
type CliId = (typeof ids)[number]

const path = `${process.cwd()}/new.txt`
const run: Asked = { command: "run a" }
const write: Asked = { path, content: "alpha\n" }

const onlyCodex: ReadonlyArray<CliId> = ["codex"]

/** [what, the first, the second, whether it is the same again, of which CLIs that can be told] */
const table: ReadonlyArray<readonly [string, Asked, Asked, boolean, ReadonlyArray<CliId>]> = [
  ["nothing", run, run, true, ids],
  ["the command", run, { command: "run b" }, false, ids],
  ["one blank in the command", run, { command: "run  a" }, false, ids],
  ["nothing about the file", write, write, true, ids],
  ["the content of the file", write, { path, content: "rm -rf ~\n" }, false, ids],
  ["the path of the file", write, { path: `${path}x`, content: "alpha\n" }, false, ids],
  ["a command for a file", write, run, false, ids],
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
  ["an escalation that is none", { ...run, escalated: true }, run, false, onlyCodex]
]

const isAsk = (id: CliId, asked: Asked) => !(id === "gemini" && asked["content"] === undefined && "path" in asked)

describe.each(ids)("%s", (id) => {
  const rows = table.filter(([, first, second, , known]) => known.includes(id) && isAsk(id, first) && isAsk(id, second))

  it.live.each(rows)("%s may differ", ([, first, second, isSame]) =>
    Effect.gen(function* () {
      let asked = 0
      const approvals = [
        Approvals.ask(() => {
          asked += 1
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
      assert.deepStrictEqual(said(events), ["a=allow", "b=allow"])
      assert.strictEqual(asked, isSame ? 1 : 2)
      const [, again] = typed(events, "permission_decision")
      assert.strictEqual(again?.by, isSame ? "memory" : "handler")
    })
  )

  it.live("is told that nobody answered, and not what nobody said", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.ask(undefined, { deadline: 30 })] })
      const events = yield* turn({ ask: { id: "a", command: "run a" } }, { await: 1 }, { tell: true })
      const [decision] = typed(events, "permission_decision")
      assert.deepInclude(decision, { decision: "deny", by: "deadline", message: "Nobody answered within 0.03 s." })
    })
  )

  it.live("refuses an answer that cannot be remembered, by what is wrong with it, and goes on", () =>
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
  it.live("is allowed what leaves its sandbox only by a rule that says so", () =>
    Effect.gen(function* () {
      const escalated = { command: "run a", escalated: true }
      const decide = Effect.fnUntraced(function* (match: Approvals.Match, asked: Asked) {
        const { turn } = yield* open("codex", { approvals: [Approvals.allow(match)] })
        const events = yield* turn({ ask: { id: "a", ...asked } }, { await: 1 }, { tell: true })
        const [request] = typed(events, "permission_request")
        assert.strictEqual(request?.escalated, asked["escalated"] === true)
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
