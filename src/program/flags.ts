/** The flags of `reins run` and `reins chat`; `params.ts` turns them into options of the library. */
import { Duration, Option, Struct } from "effect"
import { Flag } from "effect/cli"
import { PermissionMode } from "../contract/AgentExecuteParams.ts"
import { budget as spending } from "./budgetFlags.ts"
import { type AgentName, agentNames } from "./chosenAgent.ts"
import { conversation, described, onInterrupted, text, turnId, whenBusy } from "./conversationFlags.ts"
import { planModes } from "./planMode.ts"

/** Flags without a value: in `--json yes` the prompt is "yes". */
export const switches = [
  "json",
  "slash-commands",
  "fork",
  "ephemeral",
  "strict-mcp",
  "trust",
  "no-trust",
  "fresh",
  "worktree",
  "no-worktree",
  "continue",
  "plain"
] as const

const on = (name: (typeof switches)[number], description: string) => switchFlag(name, description)
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
const compact = /^(?:\d+(?:\.\d+)?(?:ms|s|min|m|h|d))+$/

/** Undefined where the text is not a duration, such as a number without a unit. */
export const parseDuration = (text: string): Duration.Duration | undefined => {
  const trimmed = text.trim().toLowerCase()
  const duration = compact.test(trimmed) ? Duration.millis(sumOfParts(trimmed)) : inWords(text.trim())
  return duration === undefined || Duration.toMillis(duration) < 0 ? undefined : duration
}

const sumOfParts = (text: string) =>
  [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|min|m|h|d)/g)].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * (unitMs[unit] ?? 0),
    0
  )

const inWords = (text: string) => Option.getOrUndefined(Duration.fromInput(text as Duration.Input))

const duration = (name: string, description: string, accepts: (duration: Duration.Duration) => boolean = () => true) =>
  Flag.String(name).pipe(
    Flag.filterMap((value) => Option.filter(Option.fromUndefinedOr(parseDuration(value)), accepts), durationProblem),
    described(description, "D"),
    Flag.optional
  )

const durationProblem = (value: string): string => {
  if (/^\d+(?:\.\d+)?$/.test(value.trim()) && Number(value) > 0) return "the unit is missing. 10s, 10m or 1h30m"
  const isNumber = /^-?\d/.test(value.trim())
  return isNumber ? "must be longer than 0, such as 90s or 10m" : "is not a duration. 10s, 10m or 1h30m"
}

const numberThat = (holds: (value: number) => boolean, problem: string) => (flag: Flag.Flag<number>) =>
  Flag.filter(flag, holds, () => problem)

const timeLimit = (name: string, description: string) => duration(name, description, Duration.isPositive)

const each = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(described(`${description}; repeatable`, metavar), Flag.atLeast(0))

export const agentFlag = (byDefault: AgentName) =>
  Flag.Literals("agent", agentNames).pipe(
    Flag.withAlias("a"),
    described(`Agent to run (default: ${byDefault})`, "NAME"),
    Flag.withDefault(byDefault)
  )

/** None: the configuration decides. */
export const configuredAgentFlag = Flag.Literals("agent", agentNames).pipe(
  Flag.withAlias("a"),
  described("Agent to run (default: the configured one, else claude)", "NAME"),
  Flag.optional
)

export const configFlag = text("config", "FILE", "Configuration file (default: the one of `reins config path`)")

export const agentModuleFlag = text(
  "agent-module",
  "FILE",
  "Module that exports a CLI of your own (docs/adding-a-cli.md), which is the agent"
)

export const databaseFlag = text(
  "database",
  "env:NAME",
  "The store is on the PostgreSQL server whose URL this variable has; or file:PATH"
)

/** A flag without a value, of commands that take no prompt. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withOptionalValue("true"),
    Flag.withoutNegation,
    Flag.withDescription(description),
    Flag.withDefault(false)
  )

export const jsonFlag = (description: string) => on("json", description)

const assignment = (text: string) => {
  const at = text.indexOf("=")
  return at < 1 ? Option.none() : Option.some([text.slice(0, at), text.slice(at + 1)] as const)
}

export const runFlags = {
  json: jsonFlag("Print only events, as JSON lines, `done` last"),
  output: Flag.Literals("output", ["text", "json", "events"]).pipe(
    described(
      "On stdout: text (the answer alone), json (the result), events (as --json); default: a transcript",
      "FORM"
    ),
    Flag.optional
  ),
  config: configFlag,
  agentModule: agentModuleFlag,
  cwd: text("cwd", "DIR", "Working directory of the agent"),
  model: text("model", "M", "Model, as the CLI names it"),
  fallbackModel: text("fallback-model", "M", "Used when the model is overloaded or not available"),
  effort: text("effort", "E", "Reasoning effort, as the CLI names it"),
  permissionMode: Flag.Literals("permission-mode", PermissionMode.literals).pipe(
    described("What the agent may do without asking", "M"),
    Flag.optional
  ),
  planMode: Flag.Literals("plan-mode", planModes).pipe(
    described("on: plan first, and ask for approval; auto: plan first, approved without asking; off: do not plan", "M"),
    Flag.optional
  ),
  allowedTools: each("allowed-tools", "A,B", "Tools that need no permission"),
  disallowedTools: each("disallowed-tools", "A,B", "Tools that the agent may not use"),
  systemPrompt: text("system-prompt", "T", "Replaces the CLI's own system prompt"),
  appendSystemPrompt: text("append-system-prompt", "T", "Added to the system prompt"),
  slashCommands: on("slash-commands", "Treat a prompt that begins with / as a command of the CLI"),
  conversation,
  fresh: on("fresh", "Begin a new session for the conversation, and leave the present one as it is"),
  worktree: on("worktree", "The conversation works in a git worktree of its own, on the branch reins/NAME"),
  noWorktree: on("no-worktree", "It works in the directory itself, also where each conversation has a worktree"),
  whenBusy,
  turnId,
  onInterrupted,
  resume: text("resume", "ID", "Continue this session"),
  fork: on("fork", "With --resume: continue in a new session, and leave the old one unchanged"),
  ephemeral: on("ephemeral", "Keep no session: it cannot be continued"),
  sessionId: text("session-id", "UUID", "Id for the new session"),
  mcpConfig: text("mcp-config", "FILE", 'MCP servers: {"mcpServers": {name: {command, args, env} | {url, headers}}}'),
  strictMcp: on("strict-mcp", "Use only the MCP servers of --mcp-config"),
  outputSchema: text("output-schema", "FILE", "JSON Schema that the answer must match"),
  retries: Flag.Int("retries").pipe(
    numberThat((count) => count >= 0, "must be a whole number from 0"),
    described("How often the agent is asked again if its answer does not match (default: 1)", "N"),
    Flag.optional
  ),
  attach: each("attach", "FILE", "Image or file for the model to look at"),
  addDir: each("add-dir", "DIR", "Additional directory that the agent may use"),
  trust: on("trust", "Use settings, extensions and MCP servers of the directory, as Pi does only if it is told to"),
  noTrust: on("no-trust", "Ignore settings, hooks and MCP servers of the directory"),
  env: Flag.String("env").pipe(
    Flag.filterMap(
      assignment,
      (value) => `must be NAME=VALUE, such as --env ${/^\w+$/.test(value) ? value : "NAME"}=1`
    ),
    described("Environment variable for the CLI; repeatable", "K=V"),
    Flag.atLeast(0)
  ),
  billing: Flag.Literals("billing", ["subscription", "api-key"]).pipe(
    described("Require this way of paying, or fail", "HOW"),
    Flag.optional
  ),
  maxTurns: Flag.Int("max-turns").pipe(
    numberThat((count) => count >= 1, "must be a whole number from 1"),
    described("Maximum number of model turns", "N"),
    Flag.optional
  ),
  maxBudgetUsd: Flag.Finite("max-budget-usd").pipe(
    numberThat((usd) => usd > 0, "must be more than 0"),
    described("Maximum cost in US dollars", "X"),
    Flag.optional
  ),
  budget: spending,
  timeout: timeLimit("timeout", "Time limit for the whole run, such as 90s, 10m or 1h30m (default: none)"),
  idleTimeout: timeLimit("idle-timeout", "Time limit without output while waiting for the model"),
  toolTimeout: timeLimit("tool-timeout", "Time limit without output while a tool runs"),
  linger: duration("linger", "Time for the CLI to exit after its result (default: 10s)"),
  killGrace: duration("kill-grace", "Time for the CLI to exit when stopped, before it is killed (default: 10s)"),
  maxLine: Flag.Int("max-line").pipe(
    described("Maximum length of an output line of the CLI (default: 64 MiB)", "BYTES"),
    Flag.optional
  ),
  command: text(
    "command",
    "PATH",
    "Path of the CLI's program (default: found on PATH); of --agent acp, with its arguments"
  ),
  cliArg: each("cli-arg", "ARG", "Additional argument for the CLI, passed verbatim: --cli-arg=--bare"),
  record: text(
    "record",
    "FILE",
    "Record the CLI's output lines in FILE, with secrets redacted, and their times in FILE.times"
  )
}

/** The flags of a live session: all but those of one prompt. */
export const chatFlags = {
  ...Struct.omit(runFlags, ["output", "attach", "outputSchema", "retries", "turnId", "onInterrupted"]),
  continueLast: on("continue", "Go on with the agent's last session of this directory, also one of the CLI's own"),
  json: jsonFlag("Read commands as JSON lines from stdin, print events as JSON lines"),
  plain: on("plain", "Words and lines alone: no redrawing, requests as numbered lists (also REINS_PLAIN=1)"),
  timeout: timeLimit("timeout", "Time limit for the whole session, such as 90s, 10m or 1h30m (default: none)")
}

const {
  json: _json,
  plain: _plain,
  cwd: _cwd,
  planMode: _planMode,
  conversation: _conversation,
  fresh: _fresh,
  worktree: _worktree,
  noWorktree: _noWorktree,
  whenBusy: _whenBusy,
  resume: _resume,
  fork: _fork,
  ephemeral: _ephemeral,
  sessionId: _sessionId,
  continueLast: _continueLast,
  timeout: _timeout,
  record: _record,
  ...ofEachSession
} = chatFlags

/** Flags of a server of sessions: all but those that each session sets itself. */
export const acpFlags = {
  ...ofEachSession,
  offerModels: switchFlag(
    "offer-models",
    "Let the editor choose among the CLI's models: it is asked for them at the first session"
  )
}

export type ChatFlags = { readonly [Name in keyof typeof chatFlags]: FlagValue<(typeof chatFlags)[Name]> }
export type SharedFlags = Omit<ChatFlags, "continueLast" | "plain">
export type RunFlags = { readonly [Name in keyof typeof runFlags]: FlagValue<(typeof runFlags)[Name]> }
export type AcpFlags = { readonly [Name in keyof typeof acpFlags]: FlagValue<(typeof acpFlags)[Name]> }
type FlagValue<F> = F extends Flag.Flag<infer A> ? A : never
