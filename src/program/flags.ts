/** The flags of `reins run` and `reins chat`. What they mean is in `params.ts`. */
import { Duration, Option } from "effect"
import { Flag } from "effect/cli"
import { PermissionMode } from "../contract/AgentExecuteParams.ts"
import { type AgentName, agentNames } from "./chosenAgent.ts"
import { parseDuration } from "./duration.ts"
import { planModes } from "./planMode.ts"

const described = (description: string, metavar: string) => {
  return <A>(flag: Flag.Flag<A>) => flag.pipe(Flag.withMetavar(metavar), Flag.withDescription(description))
}

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(described(description, metavar), Flag.optional)

/** They take no value: `--json yes` has the prompt "yes". */
export const switches = ["json", "slash-commands", "fork", "strict-mcp", "no-trust"] as const

const on = (name: (typeof switches)[number], description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withOptionalValue("true"),
    Flag.withoutNegation,
    Flag.withDescription(description),
    Flag.withDefault(false)
  )

const duration = (name: string, description: string, fits: (given: Duration.Duration) => boolean = () => true) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (given) => Option.filter(Option.fromUndefinedOr(parseDuration(given)), fits),
      () => 'a duration, such as 90s, 10m, 1h30m or "5 minutes"'
    ),
    described(description, "D"),
    Flag.optional
  )

const budget = (name: string, description: string) => duration(name, description, Duration.isPositive)

const each = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(described(`${description}; repeatable`, metavar), Flag.atLeast(0))

export const agentFlag = (byDefault: AgentName) =>
  Flag.Literals("agent", agentNames).pipe(
    Flag.withAlias("a"),
    described(`Who works on it, ${byDefault} by default`, "NAME"),
    Flag.withDefault(byDefault)
  )

export const jsonFlag = (what: string) => on("json", what)

const assignment = (given: string) => {
  const at = given.indexOf("=")
  return at < 1 ? Option.none() : Option.some([given.slice(0, at), given.slice(at + 1)] as const)
}

export const runFlags = {
  json: jsonFlag("Print one event a line as JSON, `done` last, and nothing else"),
  cwd: text("cwd", "DIR", "Directory to work in"),
  model: text("model", "M", "Model, in the words of the CLI"),
  fallbackModel: text("fallback-model", "M", "Taken when the model is overloaded or gone"),
  effort: text("effort", "E", "How much the model thinks, in the words of the CLI"),
  permissionMode: Flag.Literals("permission-mode", PermissionMode.literals).pipe(
    described("What the agent may do unasked", "M"),
    Flag.optional
  ),
  planMode: Flag.Literals("plan-mode", planModes).pipe(
    described("on: plan first, and ask about the plan; auto: and approve it unasked; off: do not plan", "M"),
    Flag.optional
  ),
  allowedTools: each("allowed-tools", "A,B", "Tools that need no permission"),
  disallowedTools: each("disallowed-tools", "A,B", "Tools that the agent may not use"),
  systemPrompt: text("system-prompt", "T", "Replaces the CLI's own system prompt"),
  appendSystemPrompt: text("append-system-prompt", "T", "Added to the system prompt"),
  slashCommands: on("slash-commands", "A prompt that begins with / is a command of the CLI, not text"),
  resume: text("resume", "ID", "Go on with this session"),
  fork: on("fork", "Resume into a new session; the old one stays as it was"),
  sessionId: text("session-id", "UUID", "Name the new session"),
  mcpConfig: text("mcp-config", "FILE", 'MCP servers: {"mcpServers": {name: {command, args, env} | {url, headers}}}'),
  strictMcp: on("strict-mcp", "Only the servers of --mcp-config"),
  outputSchema: text("output-schema", "FILE", "JSON Schema that the answer must meet"),
  addDir: each("add-dir", "DIR", "Further directory that the agent may use"),
  noTrust: on("no-trust", "Obey no settings, hooks or MCP servers of the directory"),
  env: Flag.String("env").pipe(
    Flag.filterMap(assignment, () => "NAME=VALUE"),
    described("Environment variable for the CLI; repeatable", "K=V"),
    Flag.atLeast(0)
  ),
  billing: Flag.Literals("billing", ["subscription", "api-key"]).pipe(
    described("Insist on one way of paying", "HOW"),
    Flag.optional
  ),
  maxTurns: Flag.Int("max-turns").pipe(described("Turns of the model at most", "N"), Flag.optional),
  maxBudgetUsd: Flag.Finite("max-budget-usd").pipe(described("Cost at most", "X"), Flag.optional),
  timeout: budget("timeout", "Time for the whole run (90s, 10m, 1h30m; none by default)"),
  idleTimeout: budget("idle-timeout", "Time without a line while the model is to speak"),
  toolTimeout: budget("tool-timeout", "Time without a line while a tool runs"),
  linger: duration("linger", "Time to leave by itself after its result (10s)"),
  killGrace: duration("kill-grace", "Time to leave when stopped, before it is killed (10s)"),
  maxLine: Flag.Int("max-line").pipe(
    described("Longest line of the CLI that is read (64 MiB)", "BYTES"),
    Flag.optional
  ),
  command: text("command", "PATH", "The CLI's program, if not the one on PATH"),
  cliArg: each("cli-arg", "ARG", "Further argument for the CLI, verbatim: --cli-arg=--bare"),
  record: text(
    "record",
    "FILE",
    "Keep the CLI's own output lines in this file, secrets taken out, and their times in FILE.times"
  )
}

const { outputSchema: _, ...others } = runFlags

/** What holds for a live session, too. */
export const chatFlags = {
  ...others,
  json: jsonFlag("Commands as JSON lines on stdin, events as JSON lines on stdout"),
  timeout: budget("timeout", "Time for the whole session (90s, 10m, 1h30m; none by default)")
}

/** What the flags hold once they are parsed. */
export type ChatFlags = { readonly [Name in keyof typeof chatFlags]: FlagValue<(typeof chatFlags)[Name]> }
export type RunFlags = { readonly [Name in keyof typeof runFlags]: FlagValue<(typeof runFlags)[Name]> }

type FlagValue<F> = F extends Flag.Flag<infer A> ? A : never
