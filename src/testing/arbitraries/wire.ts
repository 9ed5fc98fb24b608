/** Generated output of one CLI in a whole run, and its meaning: pieces, parallel tools, retries and every end. */
import { Arbitrary, Schema } from "effect"
import type { CliId } from "../../cli/clis.ts"
import type { AgentUsage, RunOutcome } from "../../contract/AgentRunResult.ts"
import type { ErrorCategory } from "../../contract/ErrorCategory.ts"
import { checkedId, dialects } from "../dialects.ts"
import { Step } from "../Step.ts"
import { linesOf } from "../speak.ts"
import { Count, Word } from "./values.ts"

const Call = Schema.Struct({
  tool: Schema.Literals(["command", "other"]),
  argument: Word,
  output: Word,
  isError: Schema.Boolean
})
type Call = typeof Call.Type
/** A repeated text is easily mistaken for a duplicate. */
const Pieces = Schema.Union([Schema.Tuple([Schema.Literal("same")]), Schema.NonEmptyArray(Word)])

const Happening = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "text", "thinking"]), pieces: Pieces }),
  /** Calls that run at the same time, their results in the same or the other order. */
  Schema.Struct({ type: Schema.Literal("tools"), calls: Schema.NonEmptyArray(Call), isReversed: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("retry") })
])
type Happening = typeof Happening.Type
/** Gemini CLI leaves out a count of 0. */
const Some = Count.check(Schema.isGreaterThan(0))

const End = Schema.Union([
  Schema.Struct({ type: Schema.Literal("completed"), inputTokens: Some, outputTokens: Some, cacheReadTokens: Some }),
  Schema.Struct({
    type: Schema.Literal("failed"),
    kind: Schema.Literals([
      "auth", "billing", "rate_limit", "overloaded", "context_overflow", "invalid_request", "network", "other"
    ]) // biome-ignore format: one list
  }),
  /** The process exits with 0, without a word of its end. */
  Schema.Struct({ type: Schema.Literal("cut") })
])
type End = typeof End.Type
/** A run in plain words, generated: what a wire arbitrary says in the words of one CLI. */
const Script = Schema.Struct({ happenings: Schema.Array(Happening), end: End })
type Script = typeof Script.Type

/** One tool call, as the events of the run tell it. */
export interface WireTool {
  /** `call_1` and so on. */
  readonly toolId: string
  /** The CLI's own name of it. */
  readonly toolName: string
  readonly output: string
  readonly isError: boolean
}

/** A run as one CLI prints it, and what the events of it mean, replayed or from a process that performs its steps. */
export interface Wire {
  /** As the CLI prints them: JSON, each without its newline. */
  readonly lines: ReadonlyArray<string>
  /** The lines as one text, each with its newline. */
  readonly transcript: string
  /** The same run for a fake process: `FakeCli.claude(steps)`. */
  readonly steps: ReadonlyArray<Step>
  /** `text` of the result. */
  readonly text: string
  /** Every call, in the order of the calls. */
  readonly tools: ReadonlyArray<WireTool>
  readonly outcome: RunOutcome
  /** Category of the `error` event, if the run failed. */
  readonly category?: ErrorCategory
  /** Usage of the result, if the run completed. */
  readonly usage?: AgentUsage
}

interface Voice {
  /** A command, and another tool. */
  readonly tools: Readonly<Record<Call["tool"], readonly [name: string, argument: string]>>
  /** Each text is a message of its own; else those that nothing stands between are one. */
  readonly textsAreMessages: boolean
  /** Kinds of output that it does not print. */
  readonly mute: ReadonlySet<string>
  /** A retry voids the text since the last tool. */
  readonly retryVoids: boolean
  /** Without text, the error of a tool that failed last is the answer. */
  readonly answersByError: boolean
  /** Whether it reports `cacheWriteTokens`, also as 0. */
  readonly tellsCacheWrites: boolean
}

const common = {
  textsAreMessages: false,
  mute: new Set<string>(),
  retryVoids: false,
  answersByError: false,
  tellsCacheWrites: true
}

const voices: Readonly<Record<CliId, Voice>> = {
  claude: { ...common, tools: { command: ["Bash", "command"], other: ["Read", "file_path"] } },
  gemini: {
    ...common,
    tools: { command: ["run_shell_command", "command"], other: ["read_file", "file_path"] },
    mute: new Set(["thinking", "retry"]),
    tellsCacheWrites: false
  },
  codex: {
    ...common,
    tools: { command: ["command_execution", "command"], other: ["mcp__docs__read", "path"] },
    textsAreMessages: true
  },
  opencode: {
    ...common,
    tools: { command: ["bash", "command"], other: ["read", "filePath"] },
    textsAreMessages: true,
    retryVoids: true,
    answersByError: true
  },
  pi: {
    ...common,
    tools: { command: ["bash", "command"], other: ["read", "path"] },
    retryVoids: true
  }
}

const toolSteps = (tools: ReadonlyArray<WireTool & { readonly input: unknown }>, isReversed: boolean) => [
  ...tools.map(({ toolId, toolName, input }) => Step.toolStart({ id: toolId, name: toolName, input })),
  ...(isReversed ? tools.toReversed() : tools).map(({ toolId, output, isError }) =>
    Step.toolEnd({ id: toolId, output, isError })
  )
]

const endOf = (end: End, { tellsCacheWrites }: Voice) => {
  if (end.type === "failed")
    return { step: Step.error({ kind: end.kind }), outcome: "failed", category: end.kind } as const
  if (end.type === "cut") return { step: Step.exit(0), outcome: "failed", category: "protocol" } as const
  const { type: _, ...counts } = end
  const usage = tellsCacheWrites ? { ...counts, cacheWriteTokens: 0 } : counts
  return { step: Step.result({ usage }), outcome: "completed", usage } as const
}

const errorText = (tool: WireTool | undefined) => {
  const output = tool?.output.trim() ?? ""
  return `${tool?.toolName} failed${output === "" ? "" : `: ${output}`}`
}

const breaksIn = (text: string | undefined) => text?.length ?? 0

/** Texts before and after something else are separated by an empty line. */
const joinMessages = (messages: ReadonlyArray<string>) =>
  messages
    .filter((message) => message !== "")
    .reduce((before, message) => {
      if (before === "") return message
      const present = breaksIn(/\n{1,2}$/.exec(before)?.[0]) + breaksIn(/^\n{1,2}/.exec(message)?.[0])
      return `${before}${"\n".repeat(Math.max(0, 2 - present))}${message}`
    }, "")

const wireOf = (cli: CliId, { happenings, end }: Script): Wire => {
  const replies = voices[cli]
  const tools: Array<WireTool> = []
  const stood: Array<string> = []
  let unsettled: Array<string> = []
  let isBehindTools = false
  /** Tools or thoughts stand between the last text and the next. */
  let isBehindOthers = false
  let lastEnded: WireTool | undefined
  const settle = () => {
    stood.push(...unsettled)
    unsettled = []
  }

  const stepsOf = (happening: Happening, index: number): ReadonlyArray<Step> => {
    if (replies.mute.has(happening.type)) return []
    if (isBehindTools) settle()
    isBehindTools = happening.type === "tools"
    isBehindOthers ||= isBehindTools || happening.type === "thinking"
    switch (happening.type) {
      case "text": {
        // Codex replays text lost with the connection, so that equal texts would be taken for the old ones.
        const pieces = cli === "codex" ? [`${index} `, ...happening.pieces] : happening.pieces
        const text = pieces.join("")
        const last = replies.textsAreMessages || isBehindOthers ? undefined : unsettled.pop()
        unsettled.push(`${last ?? ""}${text}`)
        isBehindOthers = false
        return [Step.text(pieces)]
      }
      case "thinking":
        return [Step.thinking(happening.pieces)]
      case "retry":
        if (replies.retryVoids) unsettled = []
        return [Step.retry()]
      case "tools": {
        const calls = happening.calls.map(({ tool, argument, output, isError }) => {
          const [toolName, name] = replies.tools[tool]
          const call = { toolId: `call_${tools.length + 1}`, toolName, output, isError }
          tools.push(call)
          return { ...call, input: { [name]: argument } }
        })
        lastEnded = happening.isReversed ? calls[0] : calls.at(-1)
        return toolSteps(calls, happening.isReversed)
      }
    }
  }
  const middle = happenings.flatMap(stepsOf)
  settle()
  const { step, ...how } = endOf(end, replies)
  const steps = [Step.session(), ...middle, step]
  const lines = linesOf(dialects[cli])(steps).map((line) => JSON.stringify(line))
  const transcript = lines.map((line) => `${line}\n`).join("")
  const text = replies.textsAreMessages ? stood.join("\n\n") : joinMessages(stood)
  const isByError = text === "" && replies.answersByError && how.outcome === "completed" && lastEnded?.isError === true
  return { lines, transcript, steps, text: isByError ? errorText(lastEnded) : text, tools, ...how }
}

const script = Arbitrary.schema(Script)

/** The output of one CLI in whole runs, and its meaning: `Arbitraries.wire("codex")`. */
export const wire = (cli: CliId): Arbitrary.Arbitrary<Wire> => {
  const id = checkedId(cli)
  return Arbitrary.map(script, (script) => wireOf(id, script))
}
