/**
 * Checks parsed flags before anything is started: reports all problems, in the words of the flags. The library refuses later
 * what only it can check, with the same exit code.
 */
import { access, constants, stat } from "node:fs/promises"
import { dirname, isAbsolute, resolve } from "node:path"
import { Effect, Option, Result } from "effect"
import { efforts, supportIdOf, supports } from "../../contract/CliSupport.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChosenAgent } from "../chosenAgent.ts"
import { flagOf } from "../flagNames.ts"
import type { SharedFlags } from "../flags.ts"
import { listed } from "../format.ts"
import { jsonObject, mcpServers, readJsonFile } from "../jsonFiles.ts"
import { toolsOf } from "../params.ts"

/** Problems of a run on another machine, whose paths and agent settings apply. */
const elsewhereProblems = (flags: CheckedFlags): Problems => {
  const { cwd, addDir, command, record, budget, billing, killGrace, maxLine } = flags
  const relative = [
    ...Option.toArray(cwd).map((path) => ["--cwd", path] as const),
    ...addDir.map((path) => ["--add-dir", path] as const)
  ].filter(([, path]) => !isAbsolute(path))
  const ofHome = [
    ...(Option.isSome(command) ? ["--command"] : []),
    ...(Option.isSome(billing) ? ["--billing"] : []),
    ...(Option.isSome(killGrace) ? ["--kill-grace"] : []),
    ...(Option.isSome(maxLine) ? ["--max-line"] : [])
  ]
  return [
    ...relative.map(
      ([flag, path]) => `${flag} ${path}: is relative, and the agent may be on another machine: name an absolute path`
    ),
    ...ofHome.map(
      (flag) => `${flag}: with --database, the agent is that of its home, as it is set there: leave it out`
    ),
    ...(budget.length > 0
      ? ["--budget: with --database, budgets are those of the home's configuration: set it there"]
      : []),
    ...(Option.isSome(record) ? ["--record: with --database, the lines are on another machine: leave it out"] : [])
  ]
}

export interface CheckedFlags extends SharedFlags {
  readonly output?: Option.Option<string>
  readonly outputSchema?: Option.Option<string>
  readonly continueLast?: boolean
  /** Set if another machine runs it. */
  readonly database?: Option.Option<string>
}

type Problems = ReadonlyArray<string>
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const isPresent = <A>(value: Option.Option<A> | undefined): value is Option.Some<A> =>
  value !== undefined && Option.isSome(value)

const plainProblems = (flags: CheckedFlags): Problems => {
  const { json, output, fork, resume, conversation, sessionId, allowedTools, disallowedTools } = flags
  const problems: Array<string> = []
  if (json && isPresent(output)) {
    problems.push(`--json and --output ${output.value} exclude each other (--json is --output events)`)
  }
  if (fork && !isPresent(resume) && !isPresent(conversation) && flags.continueLast !== true) {
    problems.push("--fork needs the session to fork: --resume ID or --conversation NAME")
  }
  if (isPresent(sessionId) && !uuid.test(sessionId.value)) {
    const name = /^[\w.-]+$/.test(sessionId.value) ? sessionId.value : "NAME"
    problems.push(`--session-id ${sessionId.value}: must be a UUID. A name of your own: --conversation ${name}`)
  }
  if (flags.trust && flags.noTrust) problems.push("--trust contradicts --no-trust: use only one of them")
  const isEmpty = (lists: ReadonlyArray<string>) => lists.some((list) => toolsOf(list).length === 0)
  if (isEmpty(allowedTools)) problems.push("--allowed-tools: is empty; for none: --permission-mode plan")
  if (isEmpty(disallowedTools)) problems.push("--disallowed-tools: is empty")
  return problems
}

const cures: Readonly<Record<string, (cli: string) => string>> = {
  maxTurns: (cli) => `. --timeout 10m limits ${cli}`,
  maxBudgetUsd: (cli) => `. --budget run=5 limits ${cli}`,
  newSessionId: () => ". A name of your own: --conversation NAME",
  allowedTools: () => ". --permission-mode says what it may do"
}

/** Parsed flags by option of the library, if their names differ. */
const fields: Readonly<Record<string, string>> = {
  sessionId: "resume",
  forkSession: "fork",
  newSessionId: "sessionId",
  mcpServers: "mcpConfig",
  strictMcpServers: "strictMcp",
  additionalDirectories: "addDir",
  trustWorkspace: "noTrust",
  extraArgs: "cliArg"
}

/** False for the demo agent in a conversation, which has its own id. */
const isKnown = (id: string) => supports.sessionId.some((taker) => taker === supportIdOf(id))

const isSet = (value: unknown): boolean =>
  Option.isOption(value) ? Option.isSome(value) : Array.isArray(value) ? value.length > 0 : value === true

/** The flag by which an option was set. */
const setBy = (flags: CheckedFlags, option: string): string | undefined => {
  if (option === "trustWorkspace" && flags.trust) return "--trust"
  const value = Object.entries(flags).find(([field]) => field === (fields[option] ?? option))?.[1]
  return isSet(value) ? flagOf(option) : undefined
}

/** Options that the CLI lacks, with the CLIs that have them. */
const unsupportedProblems = (flags: CheckedFlags, { cli, label }: ChosenAgent): Problems =>
  Object.entries(supports).flatMap(([option, takers]) => {
    const clis = takers.map((taker) => taker.split(" ")[0] ?? "")
    const flag = setBy(flags, option)
    if (!isKnown(cli.id) || clis.includes(supportIdOf(cli.id)) || flag === undefined) return []
    const thing = option.startsWith("max") ? "limit" : "option"
    const others = clis.filter((other) => other !== "acp")
    const have = `${listed(others, "and")} ${others.length === 1 ? "has" : "have"}`
    return [`${flag}: ${label} has no such ${thing}; ${have}${cures[option]?.(label) ?? ""}`]
  })

const effortProblems = ({ effort }: CheckedFlags, { cli, label }: ChosenAgent): Problems => {
  const known: ReadonlyArray<string> = Object.entries(efforts).find(([id]) => id === cli.id)?.[1] ?? []
  if (!isPresent(effort) || known.length === 0 || known.includes(effort.value)) return []
  return [`--effort ${effort.value}: not known to ${label}: ${listed(known)}`]
}

export const directoryProblem = async (flag: string, path: string): Promise<Problems> => {
  const info = await stat(path).catch(() => undefined)
  if (info === undefined) return [`${flag} ${path}: the directory does not exist`]
  return info.isDirectory() ? [] : [`${flag} ${path}: is not a directory`]
}

const commandProblem = async (path: string): Promise<Problems> => {
  const isProgram = await access(path, constants.X_OK).then(
    async () => (await stat(path)).isFile(),
    () => false
  )
  return isProgram ? [] : [`--command ${path}: the program does not exist`]
}

const recordProblem = async (file: string): Promise<Problems> => {
  const directory = dirname(resolve(file))
  const info = await stat(directory).catch(() => undefined)
  return info?.isDirectory() === true ? [] : [`--record ${file}: the directory does not exist: ${directory}`]
}

const placeProblems = async (flags: CheckedFlags, { label, options }: ChosenAgent): Promise<Problems> => {
  const { cwd, addDir, record } = flags
  const command = label === "acp" ? Option.fromUndefinedOr(options.command) : flags.command
  const all = await Promise.all([
    ...(isPresent(cwd) ? [directoryProblem("--cwd", cwd.value)] : []),
    ...addDir.map((path) =>
      directoryProblem("--add-dir", isPresent(cwd) && !path.startsWith("/") ? resolve(cwd.value, path) : path)
    ),
    // The library looks up a name without a slash on PATH.
    ...(isPresent(command) && command.value.includes("/") ? [commandProblem(command.value)] : []),
    ...(isPresent(record) ? [recordProblem(record.value)] : [])
  ])
  return all.flat()
}

const fileProblems = Effect.fn(...untraced("Checks.fileProblems"))(function* ({
  mcpConfig,
  outputSchema = Option.none()
}: CheckedFlags) {
  const results = [
    yield* Effect.result(readJsonFile("--output-schema", outputSchema, jsonObject)),
    yield* Effect.result(readJsonFile("--mcp-config", mcpConfig, mcpServers))
  ]
  return results.flatMap((result) =>
    Result.isFailure(result) ? [`${result.failure.option} ${result.failure.problem}`] : []
  )
})

/** Empty if the flags can be used. */
export const flagProblems = Effect.fn(...untraced("Checks.flagProblems"))(function* (
  flags: CheckedFlags,
  chosen: ChosenAgent
) {
  return [
    ...plainProblems(flags),
    ...unsupportedProblems(flags, chosen),
    ...effortProblems(flags, chosen),
    ...(isPresent(flags.database)
      ? elsewhereProblems(flags)
      : yield* Effect.promise(() => placeProblems(flags, chosen))),
    ...(yield* fileProblems(flags))
  ]
})
