/** Made-up runs of Codex as the CLI would print them, and the answer they mean. */
import { Arbitrary, Schema } from "effect"
import {
  command, completed, ended, error, failed, type Json, message, reasoning, reconnecting, started, thread, turn, updated
} from "./wireLines.ts" // biome-ignore format: one list

const Text = Schema.Literals(["Hello", " ", "wörld 🙂\n", '{"a":1}', "Reconnecting... 1/5", "\u2028\u0000"])

const Piece = Schema.Struct({ kind: Schema.Literals(["text", "text", "thinking"]), text: Text })

/** A model's answer: its pieces, the attempts that broke off behind so many of them, and the tools it calls. */
const Answer = Schema.Struct({
  pieces: Schema.Array(Piece),
  cuts: Schema.Union([Schema.Tuple([]), Schema.Array(Schema.Natural)]),
  tools: Schema.Array(Schema.Literals(["whole", "only completed", "left open", "plan", "warning", "error"]))
})

const Run = Schema.Struct({
  answers: Schema.Array(Answer),
  end: Schema.Literals(["completed", "failed", "killed"])
})
type Run = typeof Run.Type

export const anyRun = Arbitrary.schema(Run)

interface Wire {
  readonly lines: ReadonlyArray<Json>
  readonly text: string
  readonly toolIds: ReadonlyArray<string>
  readonly openIds: ReadonlyArray<string>
}

export const wireOf = ({ answers, end }: Run): Wire => {
  let serial = 0
  const texts: Array<string> = []
  const toolIds: Array<string> = []
  const openIds: Array<string> = []

  const pieceLine = ({ kind, text }: typeof Piece.Type): Json => {
    const words = `${serial++} ${text}`
    if (kind === "text") texts.push(words)
    return kind === "text" ? message(words, `item_${serial}`) : reasoning(words)
  }

  const toolLines = (tool: (typeof Answer.Type)["tools"][number]): ReadonlyArray<Json> => {
    const id = `tool_${serial++}`
    if (tool === "warning") return [ended({ id, type: "error", message: "careful" })]
    if (tool === "error") return [error("a hiccup")]
    toolIds.push(id)
    if (tool === "left open") openIds.push(id)
    if (tool === "left open") return [started(command(id)), updated(command(id))]
    const done = ended(command(id, { status: "completed", exit_code: 0 }))
    if (tool === "only completed") return [done]
    const list = { id, type: "todo_list", items: [{ text: "a", completed: false }] }
    return tool === "plan" ? [started(list), ended(list)] : [started(command(id)), done]
  }

  const lines = answers.flatMap(({ pieces, cuts, tools }) => {
    const whole = pieces.map(pieceLine)
    const broken = cuts.flatMap((count) => [...whole.slice(0, count % (whole.length + 1)), reconnecting])
    return [...broken, ...whole, ...tools.flatMap(toolLines)]
  })
  const last = { completed: [completed()], failed: [error("no"), failed("no")], killed: [] }[end]
  return { lines: [thread(), turn, ...lines, ...last], text: texts.join("\n\n"), toolIds, openIds }
}
