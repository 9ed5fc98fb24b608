/** Presses and messages of people, and their effect: one decision, one write, and a message that names the person. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { endPayload } from "../../../src/bridge/approvals/requestText.ts"
import { literal } from "../../../src/conversations/export/markdownText.ts"
import { colour, here, look, makeKit, question, request, sizes } from "./kit.ts"

const long = "x".repeat(3000)

describe("a request", () => {
  const decisions = [
    ["Allow", { decision: "allow" }, "Allowed by Ann", "allowed"],
    ["Always", { decision: "allow", remember: true }, "Always allowed by Ann", "allowed"],
    ["Deny", { decision: "deny" }, "Denied by Ann", "denied"]
  ] as const

  it.effect.each(decisions)("is decided by a press: %s", ([label, answer, line, text]) =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      assert.deepStrictEqual(kit.labels(), ["Allow", "Always", "Deny"])
      yield* kit.press(label)
      assert.deepStrictEqual(kit.decisions, [["1", { ...answer, person: "Ann", where: "test" }]])
      assert.deepStrictEqual(kit.acknowledged, [text])
      assert.deepStrictEqual(kit.last(), endPayload("Run make", line))
      assert.deepStrictEqual(
        kit.writes.map(([, ...write]) => write),
        [[line, "Ann"]]
      )
      assert.lengthOf(kit.messages, 1)
    })
  )

  it.effect("is acknowledged before anything else", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      yield* kit.press("Allow")
      assert.deepStrictEqual(kit.steps, ["acknowledge", "decided", "write Allowed by Ann"])
    })
  )

  it.effect("cannot be decided again, and each press gets its text without a write", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      const [allow, deny] = [kit.dataOf("Allow"), kit.dataOf("Deny")]
      const presses = [
        [kit.pressed(allow, "eve"), "not yours to answer"],
        [kit.pressed(allow, "ann", { ...here, chatId: "2" }), "not yours to answer"],
        [kit.pressed(allow.replace(/:a$/, ":q0.1")), "this choice is no longer there"],
        [kit.pressed(allow), "allowed"],
        // Before the session has said so.
        [kit.pressed(deny, "bob"), "already answered by Ann"],
        [kit.pressed(deny), "already answered by Ann"],
        [kit.pressed(deny, "eve"), "not yours to answer"],
        [kit.pressed("r:AAAAAAAAAAAAAAAA:a"), "this question is over"],
        [kit.pressed("r:AAAAAAAAAAAAAAAA:a", "eve"), "not yours to answer"]
      ] as const
      for (const [press] of presses) assert.isTrue(yield* kit.approvals.press(press))
      assert.deepStrictEqual(
        kit.acknowledged,
        presses.map(([, text]) => text)
      )
      yield* kit.settle
      assert.isTrue(yield* kit.approvals.press(kit.pressed(deny, "bob")))
      assert.strictEqual(kit.acknowledged.at(-1), "already answered by Ann")
      assert.lengthOf(kit.decisions, 1)
      assert.lengthOf(kit.writes, 1)
    })
  )

  it.effect("is not concerned by the buttons of others", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      for (const data of ["", "stop", "r:short:a", `${kit.dataOf("Allow")}\n`, `r:${"A".repeat(17)}:a`]) {
        assert.isFalse(yield* kit.approvals.press(kit.pressed(data)))
      }
      assert.deepStrictEqual(kit.acknowledged, [])
    })
  )

  it.effect("of a plan can be sent back for an outline", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1", { kind: "plan", plan: "first this", scopes: [] }))
      assert.deepStrictEqual(kit.labels(), ["Allow", "Outline", "Deny"])
      yield* kit.press("Outline")
      assert.deepStrictEqual(kit.decisions[0]?.[1], { decision: "outline", person: "Ann", where: "test" })
      yield* kit.settle
      assert.match(kit.last()?.text ?? "", /An outline is asked for by Ann\*\*$/)
    })
  )

  const editsScope = {
    id: "edits",
    label: "this plan and its edits",
    covers: "This plan, and edits. Commands are asked."
  }
  const plan = { kind: "plan", plan: "first this", scopes: [editsScope] } as const
  const withEdits = "Allow the plan and its edits"

  it.effect("of a plan can be allowed with its edits, by those who may answer alone", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1", plan))
      assert.deepStrictEqual(kit.labels(), ["Allow", "Outline", "Deny", withEdits])
      assert.deepStrictEqual(
        kit.last()?.buttons?.map((row) => row.length),
        [3, 1]
      )
      assert.include(kit.last()?.text, literal(`${withEdits}: ${editsScope.covers}`))
      const data = kit.dataOf(withEdits)
      yield* kit.approvals.press(kit.pressed(data, "eve"))
      yield* kit.approvals.press(kit.pressed(data, "ann", { ...here, chatId: "2" }))
      assert.deepStrictEqual(kit.decisions, [])
      assert.deepStrictEqual(kit.acknowledged, ["not yours to answer", "not yours to answer"])
      yield* kit.press(withEdits)
      const answer = { decision: "allow", remember: "edits", person: "Ann", where: "test" } as const
      assert.deepStrictEqual(kit.decisions, [["1", answer]])
      yield* kit.settle
      assert.match(kit.last()?.text ?? "", /Allowed with its edits by Ann\*\*$/)
    })
  )

  it.effect.each([
    ["a plan without such a scope", { scopes: [] }],
    ["another request", { kind: "command", plan: undefined, scopes: [] }],
    ["a plan that is not there", { plan: " " }],
    ["a plan that was not shown whole", { preview: long }]
  ] as const)("of %s cannot be allowed with its edits", ([, more]) =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      const { plan: text, ...rest } = { ...plan, ...more }
      yield* kit.ask(request("1", { ...rest, ...(text === undefined ? {} : { plan: text }) }))
      assert.notInclude(kit.labels(), withEdits)
      assert.notInclude(kit.last()?.text, "This plan, and edits.")
      yield* kit.approvals.press(kit.pressed(kit.dataOf("Deny").replace(/:d$/, ":e")))
      assert.deepStrictEqual(kit.decisions, [])
      assert.deepStrictEqual(kit.acknowledged, ["this choice is no longer there"])
    })
  )

  it.effect.each([
    ["a part that cannot be shown", { notShown: "90000 characters" }],
    ["a plan that is not there", { kind: "plan", plan: " " }]
  ] as const)("with %s can only be denied", ([, more]) =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1", more))
      assert.notInclude(kit.labels(), "Allow")
      assert.include(kit.labels(), "Deny")
      assert.include(kit.last()?.text, "so it can only be denied")
    })
  )

  it.effect("that is longer than a message is allowed only after all of it was sent", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1", { preview: long }))
      assert.isTrue(look.isOneMessage(kit.last() ?? {}))
      assert.deepStrictEqual(kit.labels(), ["Show all", "Deny"])
      const forged = kit.dataOf("Deny").replace(/:d$/, ":a")
      yield* kit.approvals.press(kit.pressed(forged))
      assert.deepStrictEqual(kit.decisions, [])
      yield* kit.press("Show all")
      assert.include(kit.files[0], long)
      assert.deepStrictEqual(kit.labels(), ["Allow", "Always", "Deny"])
      yield* kit.press("Allow")
      assert.lengthOf(kit.decisions, 1)
    })
  )

  it.effect("is over at its deadline", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      assert.include(kit.last()?.text, "Without an answer within 1 h it is denied.")
      const allow = kit.dataOf("Allow")
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(kit.decisions, [])
      yield* TestClock.adjust("1 minute")
      yield* kit.settle
      assert.deepStrictEqual(kit.decisions, [["1", { decision: "deny", message: "No answer in time." }]])
      assert.deepStrictEqual(kit.last(), endPayload("Run make", "Denied: no answer in time"))
      yield* kit.approvals.press(kit.pressed(allow))
      assert.deepStrictEqual(kit.acknowledged, ["this question is over"])
      assert.lengthOf(kit.writes, 1)
    })
  )

  const ends = [
    ["agent", "over: the agent no longer asks"],
    ["end", "over: the session has ended"],
    ["rule", "Denied by a rule"]
  ] as const
  it.effect.each(ends)("is over when it was decided elsewhere: %s", ([by, line]) =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      kit.withdraw("1", by)
      yield* kit.settle
      assert.deepStrictEqual(kit.last(), endPayload("Run make", line))
      assert.deepStrictEqual(kit.decisions, [])
    })
  )

  it.effect("that another surface has answered says so", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      yield* kit.deciding.decide("1", { decision: "deny", person: "Cy", where: "web" })
      yield* kit.settle
      assert.deepStrictEqual(kit.last(), endPayload("Run make", "Denied by Cy (web)"))
    })
  )

  it.effect("that no person is asked for is not shown", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      const { deadlineMs: _, preview: __, ...decided } = request("1")
      yield* kit.ask(decided)
      assert.deepStrictEqual([kit.messages.length, kit.rows.size], [0, 0])
    })
  )

  it.effect("is numbered without buttons", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit({ look: { buttons: { most: 0, label: 0, data: 0 } }, canEdit: false })
      yield* kit.ask(request("1"))
      assert.include(kit.last()?.text, "1. Allow\n2. Always\n3. Deny\n\nAnswer with a number.")
      assert.isFalse(yield* kit.write("maybe"))
      assert.isFalse(yield* kit.write("1", "eve"))
      assert.isFalse(yield* kit.write("1", "ann", { addressed: false }))
      assert.isTrue(yield* kit.write("allow"))
      assert.lengthOf(kit.decisions, 1)
      assert.isFalse(yield* kit.write("1"))
    })
  )

  it.effect("costs one message where none can be changed, if it is decided in its chat", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit({ canEdit: false })
      yield* kit.ask(request("1"))
      yield* kit.press("Allow")
      yield* kit.ask(question("2"))
      yield* kit.write("green")
      assert.lengthOf(kit.decisions, 2)
      assert.deepStrictEqual(
        kit.messages.map(({ key }) => key.replace(/^.*\./, "")),
        ["1", "1"]
      )
      assert.deepStrictEqual(
        kit.writes.map(([, line]) => line),
        ["Allowed by Ann", "Answered by Ann: green"]
      )
    })
  )

  const elsewhere = [
    ["by a rule", "Denied by a rule"],
    ["at its deadline", "Denied: no answer in time"],
    ["on another surface", "Allowed by Cy (web)"]
  ] as const
  it.effect.each(elsewhere)(
    "tells its end in another message where none can be changed, if it is decided %s",
    ([how, line]) =>
      Effect.gen(function* () {
        const kit = yield* makeKit({ canEdit: false })
        yield* kit.ask(request("1"))
        if (how === "by a rule") kit.withdraw("1", "rule")
        else if (how === "at its deadline") yield* TestClock.adjust("1 hour")
        else yield* kit.deciding.decide("1", { decision: "allow", person: "Cy", where: "web" })
        yield* kit.settle
        assert.lengthOf(kit.messages, 2)
        assert.deepStrictEqual(kit.last(), endPayload("Run make", line))
      })
  )

  it.effect("with buttons is not decided by a message", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(request("1"))
      assert.isFalse(yield* kit.write("1"))
      assert.isFalse(yield* kit.write("Allow"))
    })
  )
})

describe("a question", () => {
  it.effect("is answered by a press", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(question("1"))
      yield* kit.press("Blue")
      assert.deepStrictEqual(kit.decisions, [["1", { "Which colour?": ["Blue"] }]])
      assert.deepStrictEqual(kit.last(), endPayload("Which colour?", "Answered by Ann: Blue"))
    })
  )

  it.effect("where several can be chosen has marks, and a button that sends them", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(question("1", sizes))
      yield* kit.press("Send")
      assert.strictEqual(kit.acknowledged.at(-1), "choose something first")
      for (const label of ["S", "L", "✓ S", "M"]) yield* kit.press(label)
      assert.deepStrictEqual(kit.labels(), ["S", "✓ M", "✓ L", "Send"])
      assert.deepStrictEqual(kit.decisions, [])
      yield* kit.press("Send")
      assert.deepStrictEqual(kit.decisions, [["1", { "Which sizes?": ["M", "L"] }]])
    })
  )

  it.effect("of several comes one after the other, and a button of the one before chooses nothing", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(question("1", colour, sizes))
      const red = kit.dataOf("Red")
      yield* kit.press("Blue")
      assert.include(kit.last()?.text, "2 of 2")
      yield* kit.approvals.press(kit.pressed(red))
      assert.strictEqual(kit.acknowledged.at(-1), "this choice is no longer there")
      assert.isTrue(yield* kit.write("1, 3"))
      assert.deepStrictEqual(kit.decisions, [["1", { "Which colour?": ["Blue"], "Which sizes?": ["S", "L"] }]])
    })
  )

  it.effect("is answered by a text only if it is the one that is open", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(question("1"))
      yield* kit.ask(question("2"))
      assert.isFalse(yield* kit.write("green"))
      const replyTo = { messageId: kit.messages[0]?.id ?? "", ours: true }
      assert.isFalse(yield* kit.write("green", "ann", { replyTo: { messageId: "another", ours: true } }))
      assert.isTrue(yield* kit.write("green", "ann", { replyTo }))
      assert.isFalse(yield* kit.write("green", "eve"))
      assert.isTrue(yield* kit.write("2"))
      assert.deepStrictEqual(kit.decisions, [
        ["1", { "Which colour?": ["green"] }],
        ["2", { "Which colour?": ["Blue"] }]
      ])
      assert.isFalse(yield* kit.write("green"))
    })
  )

  it.effect("that is not answered is left to the agent", () =>
    Effect.gen(function* () {
      const kit = yield* makeKit()
      yield* kit.ask(question("1"))
      yield* TestClock.adjust("1 hour")
      yield* kit.settle
      assert.deepStrictEqual(kit.decisions, [["1", undefined]])
      assert.deepStrictEqual(kit.last(), endPayload("Which colour?", "Not answered: no answer in time"))
    })
  )
})

describe("after a restart", () => {
  const row = (id: string, more: object = {}) => ({
    id: id.padEnd(16, "A"),
    conversation: here,
    turnId: "turn",
    requestId: "1",
    request: JSON.stringify({ type: "question", title: "Which *colour*?" }),
    state: "open" as const,
    messageId: `m${id}`,
    at: 0,
    ...more
  })
  const rows = [row("1"), row("2", { request: "{" }), row("3", { state: "answered", person: "Bob" })]

  it.effect.each([true, false])("every open one is over, once, and its buttons say so (edits: %s)", (canEdit) =>
    Effect.gen(function* () {
      const kit = yield* makeKit({ rows, canEdit })
      yield* kit.approvals.afterRestart
      yield* kit.approvals.afterRestart
      assert.deepStrictEqual(
        kit.messages.map(({ payloads }) => payloads),
        [
          [endPayload("Which *colour*?", "over: the host was restarted")],
          [endPayload("", "over: the host was restarted")]
        ]
      )
      for (const { id } of rows) yield* kit.approvals.press(kit.pressed(`r:${id}:a`))
      yield* kit.approvals.press(kit.pressed(`r:${rows[2]?.id}:a`, "ann", { ...here, chatId: "2" }))
      assert.deepStrictEqual(kit.acknowledged, [
        "this question is over",
        "this question is over",
        "already answered by Bob",
        "not yours to answer"
      ])
      assert.lengthOf(kit.writes, 2)
    })
  )
})
