/**
 * Made-up runs of Pi: a plan describes the answer, `wireOf` prints it as the CLI would. Attempts break off and are repeated,
 * calls run at the same time, some messages come without pieces, and in 0.73.1 those beside the pieces are ahead.
 */
import { Arbitrary, Schema } from "effect"
import {
  agentEnd,
  agentSettled,
  agentStart,
  delta,
  failed,
  type Json,
  messageEnd,
  messageStart,
  oldDelta,
  retryStart,
  session,
  toolEnd,
  toolStart
} from "./wireLines.ts"

const Text = Schema.Union([Schema.String, Schema.Literals(["", "a", "same", "same", "ä🎉", "x\n", "\u2028", "👩‍👩‍👧"])])

const Block = Schema.Struct({
  kind: Schema.Literals(["text", "text", "thinking"]),
  pieces: Schema.NonEmptyArray(Text)
})
type Block = typeof Block.Type

const StepPlan = Schema.Struct({
  blocks: Schema.Array(Block),
  /** Attempts that broke off before: so many of their blocks were streamed. */
  broken: Schema.Union([Schema.Tuple([]), Schema.Tuple([]), Schema.Array(Schema.Natural)]),
  calls: Schema.Natural,
  /** Without pieces, as from a provider that does not stream. */
  isWhole: Schema.Boolean
})

const Run = Schema.Struct({
  steps: Schema.NonEmptyArray(StepPlan),
  /** In the form of 0.73.1. */
  isOld: Schema.Boolean
})
type Run = typeof Run.Type

export const anyRun = Arbitrary.schema(Run)

interface Wire {
  readonly lines: ReadonlyArray<Json>
  /** The answer that the plan means: the text of each message. */
  readonly texts: ReadonlyArray<string>
  readonly thinking: string
  readonly toolIds: ReadonlyArray<string>
  /** Messages of the model, with those that failed. */
  readonly messages: number
}

const wholeOf = ({ kind, pieces }: Block): Json => ({ type: kind, [kind]: pieces.join("") })
const wordsOf = (blocks: ReadonlyArray<Block>, kind: Block["kind"]) =>
  blocks.flatMap((block) => (block.kind === kind ? block.pieces : [])).join("")

export const wireOf = ({ steps, isOld }: Run): Wire => {
  const toolIds: Array<string> = []
  const texts: Array<string> = []
  let thinking = ""
  let messages = 0

  const streamed = (blocks: ReadonlyArray<Block>) => {
    messages++
    const content = blocks.map(wholeOf)
    const pieces = blocks.flatMap(({ kind, pieces }, index) =>
      pieces.map((piece) => (isOld ? oldDelta(kind, index, piece, { content }) : delta(kind, index, piece)))
    )
    return [messageStart(), ...pieces]
  }

  const lines = steps.flatMap(({ blocks, broken, calls, isWhole }, index) => {
    const attempts = broken.flatMap((count) => {
      const some = blocks.slice(0, count % (blocks.length + 1))
      thinking += wordsOf(some, "thinking")
      const content = some.map(wholeOf)
      return [...streamed(some), failed("terminated", { content }), agentEnd, retryStart("terminated"), agentStart]
    })
    thinking += wordsOf(blocks, "thinking")
    texts.push(wordsOf(blocks, "text"))
    const isLast = index === steps.length - 1
    const ids = isLast ? [] : Array.from({ length: 1 + (calls % 3) }, (_, call) => `call_${index}_${call}`)
    toolIds.push(...ids)
    return [
      ...attempts,
      ...streamed(isWhole ? [] : blocks),
      messageEnd({ content: blocks.map(wholeOf), stopReason: isLast ? "stop" : "toolUse" }),
      ...ids.map((id) => toolStart(id, "bash", { command: "ls" })),
      ...ids.toReversed().map((id) => toolEnd(id, "bash", "o"))
    ]
  })
  const ending = isOld ? [agentEnd] : [agentEnd, agentSettled]
  return { lines: [session, agentStart, ...lines, ...ending], texts, thinking, toolIds, messages }
}
