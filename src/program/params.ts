/** The flags of `reins run` and `reins chat` → options and parameters of the library. Reads the files that flags name. */
import { resolve } from "node:path"
import { Effect, Option, Redacted } from "effect"
import type { AgentOpenParams, TurnParams } from "../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { untraced } from "../contract/untraced.ts"
import { conversationOf, type WorktreesThere } from "./conversationFlags.ts"
import type { RunFlags, SharedFlags } from "./flags.ts"
import { jsonObject, mcpServers, readJsonFile } from "./jsonFiles.ts"
import { type Planner, permissionModeOf, runPlanProblem } from "./planMode.ts"

/** `hasProgram`: an agent of the protocol has its program already, split from its arguments. */
export const optionsOf = (flags: SharedFlags, hasProgram = false): AgentOptions =>
  somes({
    command: hasProgram ? Option.none<string>() : flags.command,
    maxLineBytes: flags.maxLine,
    killGrace: flags.killGrace,
    billing: flags.billing
  })

type Somes<Fields> = { [Name in keyof Fields]?: Fields[Name] extends Option.Option<infer A> ? A : never }

const somes = <Fields extends Record<string, Option.Option<unknown>>>(fields: Fields): Somes<Fields> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as Somes<Fields> // the names and values of `fields`

export const paramsOf = Effect.fn(...untraced("Params.paramsOf"))(function* (
  flags: RunFlags,
  prompt: string,
  planner: Planner,
  there: WorktreesThere
) {
  const problem = runPlanProblem(flags)
  if (problem !== undefined) return yield* problem
  const params: TurnParams = {
    prompt,
    ...(yield* Effect.fromResult(conversationOf(flags, there))),
    ...(yield* openParamsOf(flags, planner)),
    attachments: ifAny(flags.attach.map(attachmentOf)),
    outputSchema: yield* readJsonFile("--output-schema", flags.outputSchema, jsonObject),
    retries: Option.getOrUndefined(flags.retries)
  }
  return params
})

export const openParamsOf = Effect.fn(...untraced("Params.openParamsOf"))(function* (
  flags: SharedFlags,
  planner: Planner
) {
  const { timeout: total, idleTimeout: idle, toolTimeout: tool, linger } = flags
  const timeouts = somes({ total, idle, tool, linger })
  return {
    sessionId: Option.getOrUndefined(flags.resume),
    forkSession: ifSet(flags.fork),
    whenBusy: Option.getOrUndefined(flags.whenBusy),
    newSessionId: Option.getOrUndefined(flags.sessionId),
    mcpServers: yield* readJsonFile("--mcp-config", flags.mcpConfig, mcpServers),
    ephemeral: ifSet(flags.ephemeral),
    strictMcpServers: ifSet(flags.strictMcp),
    workingDirectory: Option.getOrUndefined(flags.cwd),
    additionalDirectories: ifAny(flags.addDir),
    trustWorkspace: flags.noTrust ? false : ifSet(flags.trust),
    env:
      ifAny(flags.env) && Object.fromEntries(flags.env.map(([name, value]) => [name, redactedIfSecret(name, value)])),
    model: Option.getOrUndefined(flags.model),
    fallbackModel: Option.getOrUndefined(flags.fallbackModel),
    effort: Option.getOrUndefined(flags.effort),
    systemPrompt: Option.getOrUndefined(flags.systemPrompt),
    appendSystemPrompt: Option.getOrUndefined(flags.appendSystemPrompt),
    permissionMode: yield* Effect.fromResult(permissionModeOf(flags, planner)),
    allowedTools: ifAny(flags.allowedTools.flatMap(toolsOf)),
    disallowedTools: ifAny(flags.disallowedTools.flatMap(toolsOf)),
    maxTurns: Option.getOrUndefined(flags.maxTurns),
    maxBudgetUsd: Option.getOrUndefined(flags.maxBudgetUsd),
    slashCommands: ifSet(flags.slashCommands),
    timeouts: Object.keys(timeouts).length === 0 ? undefined : timeouts,
    record: Option.getOrUndefined(flags.record),
    extraArgs: ifAny(flags.cliArg)
  } satisfies AgentOpenParams
})

/** Relative to where the program was started, as any file of a command line; not to --cwd. */
const attachmentOf = (file: string) => ({ path: resolve(file) })
const ifSet = (flag: boolean) => (flag ? true : undefined)
const ifAny = <A>(values: ReadonlyArray<A>) => (values.length === 0 ? undefined : values)

/** `A,B(x, y)` → `A` and `B(x, y)`: a comma in parentheses is part of the tool's rule. */
export const toolsOf = (list: string): ReadonlyArray<string> =>
  list
    .split(/,(?![^(]*\))/)
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "")

const secretName = /key|token|secret|password|passwd|credential|authorization/i
/** Values with a name that suggests a secret are redacted in recordings and errors. */
const redactedIfSecret = (name: string, value: string) => (secretName.test(name) ? Redacted.make(value) : value)
