/**
 * Made-up runs of OpenCode: a plan describes the answer, `wireOf` prints it as the CLI would. Answers break off and are
 * requested again, tools are printed before or after the words that led to them, summaries come in between.
 */
import { Arbitrary, Schema } from "effect"
import { compacted, type Json, reasoning, stepFinish, stepStart, text, tool } from "./wireLines.ts"

const Text = Schema.Union([Schema.String, Schema.Literals(["", "a", "same", "same", "ä🎉", "x\n", "\u2028", "👩‍👩‍👧"])])

const Block = Schema.Union([
  Schema.Struct({ kind: Schema.Literals(["text", "text", "reasoning"]), words: Text }),
  Schema.Struct({ kind: Schema.Literals(["tool", "failing"]) })
])
type Block = typeof Block.Type

const StepPlan = Schema.Struct({
  blocks: Schema.Array(Block),
  /** Answers that broke off before: so many of their blocks were whole. */
  broken: Schema.Union([Schema.Tuple([]), Schema.Tuple([]), Schema.Array(Schema.Natural)]),
  /** The words of a summary that is made when the step is over. */
  summary: Schema.Union([Schema.Undefined, Schema.Undefined, Text]),
  /** The tools of broken answers come late. */
  late: Schema.Boolean
})

const Run = Schema.Struct({ steps: Schema.NonEmptyArray(StepPlan) })
type Run = typeof Run.Type

export const anyRun = Arbitrary.schema(Run)

interface Wire {
  readonly lines: ReadonlyArray<Json>
  /** The answer that the plan means. */
  readonly text: string
  readonly thinking: ReadonlyArray<string>
  readonly toolIds: ReadonlyArray<string>
  readonly steps: number
}

export const wireOf = ({ steps }: Run): Wire => {
  let serial = 0
  const texts: Array<string> = []
  const thinking: Array<string> = []
  const toolIds: Array<string> = []

  const call = (id: string, kind: "tool" | "failing") => {
    const toolId = `call_${serial++}`
    toolIds.push(toolId)
    const state = kind === "tool" ? { status: "completed", output: "o", title: "t" } : { status: "error", error: "no" }
    return tool(id, toolId, "bash", state)
  }
  const printed = (id: string, block: Block) => {
    if (!("words" in block)) return call(id, block.kind)
    if (block.kind === "reasoning" && block.words !== "") thinking.push(block.words)
    return block.kind === "text" ? text(id, block.words) : reasoning(id, block.words)
  }

  const lines = steps.flatMap(({ blocks, broken, summary, late }, index) => {
    const id = `msg_${serial++}`
    const attempts = broken.flatMap((count) => [
      stepStart(id),
      ...blocks.slice(0, count % (blocks.length + 1)).map((block) => printed(id, block))
    ])
    const whole = [stepStart(id), ...blocks.map((block) => printed(id, block))]
    texts.push(...blocks.flatMap((block) => ("words" in block && block.kind === "text" ? [block.words] : [])))
    const isLast = index === steps.length - 1
    const end = stepFinish(id, isLast || summary !== undefined ? "stop" : "tool-calls")
    const aborted = late && broken.length > 0 ? [call(id, "failing")] : []
    if (summary === undefined || isLast) return [...attempts, ...whole, end, ...aborted]
    const other = `msg_${serial++}`
    const compaction = [stepStart(other), text(other, summary), stepFinish(other, "stop"), compacted(`msg_${serial++}`)]
    return [...attempts, ...whole, end, ...aborted, ...compaction]
  })
  const count = lines.filter(({ type }) => type === "step_finish").length
  return { lines, text: texts.filter((words) => words !== "").join("\n\n"), thinking, toolIds, steps: count }
}
