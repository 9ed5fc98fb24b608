/**
 * Made-up runs of Claude Code: a plan describes the answer, `wireOf` prints it as the CLI would. Messages are streamed
 * or not, streams are abandoned and started again, wholes come early or late, sub-agents print in between.
 */
import { Arbitrary, Schema } from "effect"
import {
  aside,
  asideKinds,
  assistant,
  Block,
  deltas,
  type Json,
  sessionId,
  start,
  stream,
  textOf,
  wholeOf
} from "./wireLines.ts"

/** An abandoned stream: the number of complete blocks, of pieces of the next one, and of blocks that stay valid. */
const Cut = Schema.Struct({
  complete: Schema.Natural,
  pieces: Schema.Natural,
  standing: Schema.Natural
})

const Message = Schema.Struct({
  /** `late`: streamed, and its wholes come only after its end. `part`: some of its last deltas never come. */
  mode: Schema.Literals(["whole", "streamed", "late", "part"]),
  blocks: Schema.Array(Block),
  cuts: Schema.Union([Schema.Tuple([]), Schema.Tuple([]), Schema.Array(Cut)])
})
type Message = typeof Message.Type

/** A line unrelated to the answer, at any place. */
const Aside = Schema.Struct({
  at: Schema.Natural,
  what: Schema.Literals(asideKinds)
})

const Turn = Schema.Struct({ messages: Schema.Array(Message), asides: Schema.Array(Aside) })

const Run = Schema.Struct({ turns: Schema.NonEmptyArray(Turn) })
type Run = typeof Run.Type

export const anyRun = Arbitrary.schema(Run)

interface Wire {
  readonly lines: ReadonlyArray<Json>
  /** The answer that the plan means. */
  readonly text: string
  /** The thinking, without that of abandoned streams. */
  readonly thinking: string
  readonly toolIds: ReadonlyArray<string>
  readonly hasCuts: boolean
}

const sprinkle = (lines: ReadonlyArray<Json>, asides: ReadonlyArray<typeof Aside.Type>, serial: string) =>
  asides.reduce<ReadonlyArray<Json>>(
    (all, { at, what }, index) => all.toSpliced(at % (all.length + 1), 0, aside(what, Number(`${serial}${index}`))),
    lines
  )

const background = (task_id: string): readonly [ReadonlyArray<Json>, ReadonlyArray<Json>] => {
  const open = (tasks: ReadonlyArray<Json>): Json => ({ type: "system", subtype: "background_tasks_changed", tasks })
  const notification: Json = { type: "system", subtype: "task_notification", task_id, status: "completed" }
  return [[open([{ task_id, task_type: "local_bash" }])], [notification, open([])]]
}

export const wireOf = (run: Run): Wire => {
  let serial = 0
  const toolIds: Array<string> = []
  let text = ""
  let thinking = ""

  const whole = (id: string, index: number, block: Block) => {
    const toolId = `toolu_${id}_${index}`
    if (block.kind === "tool") toolIds.push(toolId)
    return assistant(id, wholeOf(block, toolId))
  }
  const stands = (block: Block) => {
    if (block.kind === "text") text += textOf(block)
    if (block.kind === "thinking") thinking += textOf(block)
  }

  const cut = (blocks: ReadonlyArray<Block>, { complete, pieces, standing }: typeof Cut.Type): ReadonlyArray<Json> => {
    const id = `msg_${serial++}`
    const done = blocks.slice(0, complete % (blocks.length + 1))
    const from_block_index = standing % (done.length + 1)
    done.slice(0, from_block_index).forEach(stands)
    const broken = blocks[done.length]
    const lines = done.flatMap((block, index) => [
      start(id, index, block),
      ...deltas(id, index, block, Number.POSITIVE_INFINITY),
      whole(id, index, block),
      stream(id, { type: "content_block_stop", index })
    ])
    const rest =
      broken === undefined ? [] : [start(id, done.length, broken), ...deltas(id, done.length, broken, pieces)]
    const abandoned_blocks = { api_message_id: id, from_block_index }
    const begin = stream(id, { type: "message_start", message: { id, role: "assistant" } })
    return [begin, ...lines, ...rest, stream(id, { type: "message_stop" }, { abandoned_blocks })]
  }

  const printed = ({ mode, blocks }: Message): ReadonlyArray<Json> => {
    const id = `msg_${serial++}`
    blocks.forEach(stands)
    const wholes = blocks.map((block, index) => whole(id, index, block))
    if (mode === "whole") return wholes
    const parts = blocks.flatMap((block, index) => {
      const count = "pieces" in block && mode === "part" ? Math.floor(block.pieces.length / 2) : undefined
      return [
        start(id, index, block),
        ...deltas(id, index, block, count ?? Number.POSITIVE_INFINITY),
        ...(mode === "late" ? [] : wholes.slice(index, index + 1)),
        stream(id, { type: "content_block_stop", index })
      ]
    })
    return [
      stream(id, { type: "message_start", message: { id, role: "assistant" } }),
      ...parts,
      stream(id, { type: "message_delta", delta: { stop_reason: "end_turn" } }),
      stream(id, { type: "message_stop" }),
      ...(mode === "late" ? wholes : [])
    ]
  }

  const init: Json = {
    type: "system",
    subtype: "init",
    session_id: sessionId,
    model: "m",
    tools: ["Bash"],
    mcp_servers: []
  }
  const turns = run.turns.flatMap(({ messages, asides }, turn) => {
    const lines = messages.flatMap((message) => [
      ...message.cuts.flatMap((input) => cut(message.blocks, input)),
      ...printed(message)
    ])
    const last = messages.flatMap(({ blocks }) => blocks).findLast(({ kind }) => kind === "text")
    const result: Json = {
      type: "result",
      subtype: "success",
      is_error: false,
      session_id: sessionId,
      result: last === undefined ? "" : textOf(last),
      num_turns: 1,
      result_index: turn
    }
    // Work that ends after the result makes the CLI start another turn by itself.
    const [begun, over] = turn === run.turns.length - 1 ? [[], []] : background(`task_${turn}`)
    return [init, ...begun, ...sprinkle(lines, asides, `${turn + 1}0`), result, ...over]
  })
  const hasCuts = run.turns.some(({ messages }) => messages.some(({ cuts }) => cuts.length > 0))
  return { lines: turns, text, thinking, toolIds, hasCuts }
}
