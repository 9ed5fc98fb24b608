/** For any lines of Codex in a live session, nothing throws, and each of its requests gets one answer at most. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { isAction, type Output } from "../../../../src/cli/Live.ts"
import { runs } from "../../../kit/runs.ts"
import { inTurn, lines, makePeer, threadId } from "./peer.ts"
import { type Json, linesOf } from "./player.ts"

const scenarios = ["two-approvals", "question-feature", "error-401", "steer-mid-text", "mcp-server-elicitation"]
const recorded = scenarios.flatMap((name) => linesOf(name, "stdout"))

/** As if they were about this thread and its turn. */
const adopted = recorded.map((line: Json) =>
  line.params?.threadId === undefined ? line : { ...line, params: { ...line.params, threadId, turnId: "U" } }
)

const junk: ReadonlyArray<Json> = [null, 0, "", [], {}, { type: "x" }, [[]], { id: 0 }, true]
const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
/** One value of a line, somewhere inside, is another. */
const spoiled = (line: Json, at: number, value: Json, depth: number): Json => {
  if (typeof line !== "object" || line === null || depth === 0) return value
  const keys = Object.keys(line)
  const key = keys[at % Math.max(1, keys.length)]
  if (key === undefined) return value
  const copy: Json = Array.isArray(line) ? [...line] : { ...line }
  copy[key] = spoiled(line[key], at, value, depth - 1)
  return copy
}

const Choice = Schema.Struct({
  line: upTo(adopted.length - 1),
  at: upTo(7),
  value: upTo(junk.length - 1),
  depth: upTo(5)
})

const anyLine = Arbitrary.map(
  Arbitrary.schema(Choice),
  ({ line, at, value, depth }): Json => (depth === 5 ? adopted[line] : spoiled(adopted[line], at, junk[value], depth))
)
const anyLines = Arbitrary.array(anyLine, { maxLength: 40 })

const isRequest = (line: Json) =>
  typeof line?.method === "string" && (typeof line.id === "number" || typeof line.id === "string")

const answersIn = (outputs: ReadonlyArray<Output>) => lines(outputs).filter(({ method }) => method === undefined)

describe("a live session", () => {
  it.prop(
    "answers each request once at most, and all of them at an interrupt",
    [anyLines, Schema.Literals(["default", "plan", "bypass"]), Schema.Boolean],
    ([input, permissionMode, isEager]) => {
      const dialogue = inTurn("U", { permissionMode })
      const unanswered = new Map<string, number>()
      const settle = (outputs: ReadonlyArray<Output>) => {
        for (const { id } of answersIn(outputs)) {
          const key = JSON.stringify(id)
          const left = (unanswered.get(key) ?? 0) - 1
          assert.isAtLeast(left, 0, `answered twice: ${key}`)
          unanswered.set(key, left)
        }
      }
      for (const line of input) {
        // An id is reused only when its request was answered.
        if (isRequest(line) && (unanswered.get(JSON.stringify(line.id)) ?? 0) > 0) continue
        if (isRequest(line)) unanswered.set(JSON.stringify(line.id), 1)
        const outputs = dialogue.push(line)
        settle(outputs)
        for (const output of outputs) {
          if (!isAction(output)) continue
          if (output._tag === "Withdrawn") unanswered.set(output.requestId, 0)
          if (!isEager) continue
          if (output._tag === "Asked") settle(dialogue.decide(output.ask.requestId, { decision: "allow" }))
          if (output._tag === "Questioned") settle(dialogue.answer(output.requestId, undefined))
        }
      }
      settle(dialogue.interrupt())
      for (const [key, left] of unanswered) assert.strictEqual(left, 0, `never answered: ${key}`)
    },
    runs(400)
  )

  it.prop(
    "opens or fails whatever is answered, and never throws",
    [anyLines],
    ([input]) => {
      const { dialogue } = makePeer()
      for (const line of input) dialogue.push(line)
      for (const line of junk) dialogue.push(line)
      for (const id of [1, 2, 3]) dialogue.push({ id, result: junk[id] })
      dialogue.decide("0", { decision: "allow" })
      dialogue.answer("0", {})
      dialogue.reply("0", null)
      dialogue.interrupt()
      assert.include(["opening", "working", "resting"], dialogue.standing())
    },
    runs(200)
  )
})
