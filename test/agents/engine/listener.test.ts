/** Properties of every line of a run or live session, for any course. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeListener } from "../../../src/agents/engine/listener.ts"
import type { WireLine } from "../../../src/agents/engine/readLine.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import type { Output } from "../../../src/cli/Live.ts"
import type { FailureReason } from "../../../src/contract/AgentError.ts"
import type { AgentEvent, NoticeEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { makeRedactor } from "../../../src/system/process/redactor.ts"

const secret = "sk-0123456789abcdef"

const play = (lines: ReadonlyArray<ReadonlyArray<Output>>, options: AgentOptions = {}, endAfter = lines.length) => {
  const input: Array<AgentEvent> = []
  const waits: Array<AgentEvent> = []
  const failures: Array<FailureReason> = []
  const acted: Array<string> = []
  const taken: Array<number> = []
  let lineEnds = 0
  const listener = makeListener({
    cli: claude,
    options,
    params: { sessionId: "s-1" },
    workingDirectory: "/w",
    watchdog: { notice: (event) => waits.push(event) },
    redactor: makeRedactor([secret]),
    course: {
      stages: (use) =>
        use(
          (json) => json,
          () => []
        ),
      give: (event) => input.push(event),
      act: ({ _tag }) => acted.push(_tag),
      isOver: () => failures.length > 0 || lineEnds >= endAfter,
      fail: (failure) => failures.push(failure),
      onLineEnd: () => {
        lineEnds += 1
      }
    }
  })
  const line: WireLine = { json: {}, notices: [], bytes: 10, isUnfinished: false }
  for (const [index, outputs] of lines.entries()) {
    const take = () => {
      taken.push(index)
      return outputs
    }
    listener.onLine({ ...line, outputs: take })
  }
  return { listener, given: input, waits, failures, acted, taken }
}

const text = (words: string): AgentEvent => ({ type: "text", text: words })
const session = (facts: object = {}): AgentEvent => ({ type: "session", sessionId: "s-1", ...facts })
const notice = (message: string): NoticeEvent => ({ type: "notice", kind: "retry", message })

describe("a line", () => {
  it("behind the end is not translated, however the bytes were cut", () => {
    const { taken, given: input } = play([[text("a")], [text("b")], [text("c")]], {}, 2)
    assert.deepStrictEqual(
      [taken, input],
      [
        [0, 1],
        [text("a"), text("b")]
      ]
    )
  })

  it("gives its events and actions in order, a notice without secrets and to the watchdog", () => {
    const opened: Output = { _tag: "Opened" }
    const { given: input, waits, acted } = play([[text(secret), opened, notice(`again with ${secret}`), text("b")]])
    const { message } = typedNotice(input[1])
    assert.notInclude(message, secret)
    assert.deepStrictEqual(input, [text(secret), notice(message), text("b")])
    assert.deepStrictEqual([waits, acted], [[notice(message)], ["Opened"]])
  })

  it("that tells of a wrong account ends it behind the event that says so", () => {
    const lines = [[text("a"), session({ authSource: "ANTHROPIC_API_KEY" }), text("b")], [text("c")]]
    const { given: input, failures } = play(lines, { billing: "subscription" })
    assert.deepStrictEqual(
      input.map(({ type }) => type),
      ["text", "session"]
    )
    assert.deepInclude(failures[0], { _tag: "BillingMismatch", reported: "ANTHROPIC_API_KEY" })
    assert.lengthOf(failures, 1)
  })

  it.effect("that names the session lets the settings go, and says that the CLI has spoken", () =>
    Effect.gen(function* () {
      const { listener } = play([[session()]])
      assert.strictEqual(yield* listener.sessionNamed, "s-1")
      assert.isTrue(listener.hasSpoken())
      assert.isFalse(play([]).listener.hasSpoken())
    })
  )
})

const typedNotice = (event: AgentEvent | undefined) =>
  event?.type === "notice" ? event : assert.fail(`${event?.type}`)
