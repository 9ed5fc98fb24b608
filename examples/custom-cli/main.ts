/**
 * A program that Reins does not know, as an agent like any other. A CLI is a value: how it is started, and what its lines
 * mean. Everything else (time limits, abort, the end of all its processes, one `done`) comes with it.
 *
 *     node examples/custom-cli/main.ts "how many words is this?"
 *
 * docs/adding-a-cli.md explains each part, and how such a CLI gets live sessions.
 */
import { fileURLToPath } from "node:url"
import { Result, Schema } from "effect"
import { AgentFailed, Cli } from "reins"
import { createAgent } from "reins/promise"

/** The lines that agent.mjs prints: only the fields in use. */
const Hello = Schema.Struct({ kind: Schema.Literal("hello"), session: Schema.String })
const Says = Schema.Struct({ kind: Schema.Literal("says"), text: Schema.String })
const Bye = Schema.Struct({
  kind: Schema.Literal("bye"),
  problem: Schema.optionalKey(Schema.String),
  tokens: Schema.optionalKey(Schema.Finite)
})
const Line = Schema.Union([Hello, Says, Bye])

interface State {
  readonly report: Cli.RunReport
  readonly verdict: Cli.Verdict | undefined
}

const verdictOf = ({ problem }: typeof Bye.Type): Cli.Verdict =>
  problem === undefined
    ? { _tag: "Success" }
    : { _tag: "Failure", reason: new AgentFailed({ code: "counter_problem", category: "other", detail: problem }) }

const counter = Cli.make<typeof Line.Type, State>({
  id: "counter",
  command: "node",
  testedVersion: "1.0.0",
  install: "it is in examples/custom-cli",
  signIn: "it needs no account",
  supports: new Set(["sessionId"]), // every other option that `plan` would ignore is refused
  plan: ({ prompt, sessionId }) =>
    Result.succeed({
      args: sessionId === undefined ? [] : [{ option: "sessionId", text: `--resume=${sessionId}` }],
      stdin: prompt,
      files: [],
      env: {}
    }),
  wire: Cli.wireDecoder(Line),
  start: () => ({ report: {}, verdict: undefined }),
  step: (state, line) => {
    if (line.kind === "says") return [state, [{ type: "text", text: line.text }]]
    if (line.kind === "bye") {
      const { tokens } = line
      const report = tokens === undefined ? state.report : { ...state.report, usage: { inputTokens: tokens } }
      return [{ report, verdict: verdictOf(line) }, []]
    }
    const { session: sessionId } = line
    return [{ ...state, report: { ...state.report, sessionId } }, [{ type: "session", sessionId }]]
  },
  standing: ({ verdict }) => (verdict === undefined ? "working" : "ended"),
  report: ({ report }) => report,
  verdict: ({ verdict }) => verdict
})

const [prompt = ""] = process.argv.slice(2)
const program = fileURLToPath(new URL("agent.mjs", import.meta.url))
await using agent = createAgent(counter, { command: process.execPath, baseArgs: [program] })
for await (const event of agent.execute({ prompt })) {
  if (event.type === "text") console.log(event.text)
  if (event.type === "error") console.error(event.message)
  if (event.type !== "done") continue
  const { outcome, usage } = event.result
  console.log(outcome, usage?.inputTokens ?? 0)
  if (outcome !== "completed") process.exitCode = 1
}
