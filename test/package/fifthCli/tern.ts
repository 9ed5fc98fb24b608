/**
 * Tern, a made-up agent, as a CLI of one's own. `tern --json` takes the prompt on stdin, prints one JSON object a line and
 * leaves: a greeting, what the model says, the calls of its tools, and how it came out.
 */
import { Result, Schema } from "effect"
import { AgentFailed, type AgentOpenParams, Cli } from "reins"

/**
 * The printed lines. Only the fields in use; everything else of a line is ignored, and a line of another form is kept.
 */
const Hello = Schema.Struct({ event: Schema.Literal("hello"), session: Schema.String, version: Schema.String })
const Say = Schema.Struct({ event: Schema.Literal("say"), text: Schema.String })
const Call = Schema.Struct({
  event: Schema.Literal("call"),
  id: Schema.String,
  tool: Schema.String,
  arguments: Schema.Record(Schema.String, Schema.Unknown)
})
const Called = Schema.Struct({
  event: Schema.Literal("called"),
  id: Schema.String,
  output: Schema.String,
  failed: Schema.Boolean
})
const Bye = Schema.Struct({
  event: Schema.Literal("bye"),
  problem: Schema.optionalKey(Schema.String),
  tokens: Schema.Struct({ in: Schema.Finite, out: Schema.Finite })
})
const Line = Schema.Union([Hello, Say, Call, Called, Bye])
type Line = typeof Line.Type

export const decodeLine = Cli.wireDecoder(Line)

/** State between lines. */
export interface State {
  readonly report: Cli.RunReport
  readonly verdict: Cli.Verdict | undefined
}

export const start = (): State => ({ report: {}, verdict: undefined })

const verdictOf = ({ problem }: typeof Bye.Type): Cli.Verdict =>
  problem === undefined
    ? { _tag: "Success" }
    : { _tag: "Failure", reason: new AgentFailed({ code: "tern_problem", category: "other", detail: problem }) }

/** One line → the next state, and its events. Pure: the same lines give the same events. */
export const step: Cli.CliDefinition<Line, State>["step"] = (state, line) => {
  switch (line.event) {
    case "hello": {
      const { session: sessionId, version: cliVersion } = line
      return [{ ...state, report: { ...state.report, sessionId } }, [{ type: "session", sessionId, cliVersion }]]
    }
    case "say":
      return [state, [{ type: "text", text: line.text }]]
    case "call": {
      const { id: toolId, tool: toolName, arguments: input } = line
      const kind = toolName === "run" ? "command" : "other"
      return [state, [{ type: "tool_use", toolName, toolId, input, kind, title: toolName }]]
    }
    case "called":
      return [state, [{ type: "tool_result", toolId: line.id, output: line.output, isError: line.failed }]]
    case "bye": {
      const usage = { inputTokens: line.tokens.in, outputTokens: line.tokens.out }
      return [{ report: { ...state.report, usage }, verdict: verdictOf(line) }, []]
    }
  }
}

const flag = (option: string, name: string, value: string | undefined): ReadonlyArray<Cli.Argument> =>
  value === undefined ? [] : [{ option, text: `--${name}=${value}` }]

type Params = Pick<AgentOpenParams, "sessionId" | "model" | "systemPrompt" | "extraArgs">

/** Supported options. All others are refused before anything is planned. */
export const supports = ["sessionId", "model", "systemPrompt", "extraArgs"] as const

/** Params → how its process is started, for `--json` and for `--talk`. Pure. */
export const planOf = (
  mode: string,
  { sessionId, model, systemPrompt, extraArgs = [] }: Params,
  { privateDirectory }: Cli.PlanContext
): Cli.Plan => ({
  args: [
    { option: "mode", text: mode },
    ...flag("sessionId", "resume", sessionId),
    ...flag("model", "model", model),
    // Long or secret text goes by a file that only its owner can read.
    ...flag("systemPrompt", "rules", systemPrompt && `${privateDirectory}/rules.md`),
    ...extraArgs.map((text) => ({ option: "extraArgs", text }))
  ],
  files: systemPrompt ? [{ name: "rules.md", content: systemPrompt }] : [],
  env: { TERN_COLOR: "never" }
})

export const tern = Cli.make({
  contract: 1,
  id: "tern",
  command: "tern",
  testedVersion: "1.2.0",
  install: "npm install -g tern",
  signIn: "set TERN_API_KEY",
  apiKeys: ["TERN_API_KEY"],
  supports: new Set(supports),
  plan: (params, _, context) => Result.succeed({ ...planOf("--json", params, context), stdin: params.prompt }),
  wire: decodeLine,
  start,
  step,
  // Nothing follows the `bye`.
  standing: ({ verdict }) => (verdict === undefined ? "working" : "ended"),
  report: ({ report }) => report,
  verdict: ({ verdict }) => verdict
})
