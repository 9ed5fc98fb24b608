/** `reins doctor`: which CLIs are here, whether their versions are the tested ones, and what is missing. */
import { delimiter } from "node:path"
import { Array as Arr, Console, Effect } from "effect"
import { Command, TerminalCapabilities } from "effect/cli"
import { clis } from "../agents.ts"
import type { Cli } from "../cli/Cli.ts"
import { harmless } from "../harmless.ts"
import { HostEnvironment } from "../process/environment.ts"
import { probe } from "../process/probe.ts"
import { type Recovery, recoverSettings } from "../settings/recover.ts"
import { cliIds } from "./chosenAgent.ts"
import { Ended } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { marks, paint, type Style, type Surface } from "./style.ts"

/** What is known about one CLI. `older`, `newer`: it runs, in another version than the tested one. */
export interface Finding {
  readonly agent: string
  readonly command: string
  readonly status: "tested" | "older" | "newer" | "broken" | "missing"
  readonly path?: string
  readonly version?: string
  readonly testedVersion: string
  readonly install: string
  readonly signIn: string
}

/** The first thing in `--version` that looks like a version. */
export const versionOf = (answer: string | undefined): string | undefined =>
  answer === undefined ? undefined : /\d+\.\d+[\w.+-]*/.exec(answer)?.[0]

const examine = Effect.fnUntraced(function* (cli: Cli, directories: ReadonlyArray<string>) {
  const { path, stdout } = yield* probe({
    command: cli.command,
    args: ["--version"],
    directories,
    timeout: "10 seconds"
  })
  const version = versionOf(stdout)
  const finding: Finding = {
    agent: cli.id,
    command: cli.command,
    status: statusOf(path, version, cli.testedVersion),
    ...(path === undefined ? {} : { path }),
    ...(version === undefined ? {} : { version }),
    testedVersion: cli.testedVersion,
    install: cli.install,
    signIn: cli.signIn
  }
  return finding
})

const statusOf = (path: string | undefined, version: string | undefined, tested: string): Finding["status"] => {
  if (path === undefined) return "missing"
  if (version === undefined) return "broken"
  if (version === tested) return "tested"
  return isOlder(version, tested) ? "older" : "newer"
}

const numbersOf = (version: string) => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0)

export const isOlder = (version: string, than: string): boolean => {
  const [given, wanted] = [numbersOf(version), numbersOf(than)]
  const at = wanted.findIndex((number, index) => number !== (given[index] ?? 0))
  return at !== -1 && (given[at] ?? 0) < (wanted[at] ?? 0)
}

const oldestNode = [22, 19] as const

export const isNodeOk = (version: string): boolean => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
}

const verdicts: { readonly [Status in Finding["status"]]: readonly [mark: string, style: Style] } = {
  tested: [marks.ok, "green"],
  older: [marks.warning, "yellow"],
  newer: [marks.warning, "yellow"],
  broken: [marks.failed, "red"],
  missing: [marks.failed, "red"]
}

const headlineOf = (finding: Finding): string => {
  switch (finding.status) {
    case "tested":
      return `${finding.version}, the tested version`
    case "older":
      return `${finding.version}, older than the tested ${finding.testedVersion}: some options may be refused`
    case "newer":
      return `${finding.version}; tested with ${finding.testedVersion}, so new kinds of output may come as "unknown" events`
    case "broken":
      return `found, but \`${finding.command} --version\` gave no version`
    case "missing":
      return "not found on PATH"
  }
}

const hintsOf = (finding: Finding): ReadonlyArray<readonly [string, string]> => [
  ...(finding.path === undefined ? [] : [["found", finding.path] as const]),
  ...(finding.status === "missing" || finding.status === "broken" ? [["install", finding.install] as const] : []),
  ...(finding.status === "older" ? [["update", `${finding.install}@${finding.testedVersion}`] as const] : []),
  ["sign in", finding.signIn]
]

export const findingLines = (surface: Surface, finding: Finding): ReadonlyArray<string> => {
  const [mark, style] = verdicts[finding.status]
  const head = `${paint(surface, style, mark)} ${paint(surface, "bold", finding.agent.padEnd(9))} ${headlineOf(finding)}`
  const hints = hintsOf(finding).map(([what, text]) => paint(surface, "dim", `  ${what.padEnd(9)} ${text}`))
  return [head, ...hints].map(harmlessLine)
}

/** The paths and versions of others, among our own colours. */
const harmlessLine = (line: string) =>
  line
    .split(/(\x1b\[\d+m)/)
    .map((part) => (/^\x1b\[\d+m$/.test(part) ? part : harmless(part)))
    .join("")

/** What killed runs have left in the settings files of this directory is given back. */
const recoverAll = Effect.forEach(cliIds, (id) => {
  const cli: Cli = clis[id]
  if (cli.settingsPath === undefined) return Effect.succeedNone
  return recoverSettings(process.cwd(), cli.settingsPath).pipe(
    Effect.tapError((error) =>
      Effect.logWarning(`the settings of ${id} in this directory were not looked at: ${error.message}`)
    ),
    Effect.option
  )
}).pipe(Effect.map(Arr.getSomes))

const settingsLines = (surface: Surface, { file, isRestored, isPending }: Recovery): ReadonlyArray<string> => {
  if (isRestored) return [`${paint(surface, "green", marks.ok)} a run was killed; restored what it had left in ${file}`]
  if (!isPending) return []
  return [`${paint(surface, "yellow", marks.warning)} a run was killed; ${file} is no JSON now and keeps what it left`]
}

const diagnose = Effect.fnUntraced(function* ({ json }: { readonly json: boolean }) {
  const host = yield* HostEnvironment
  const directories = (host["PATH"] ?? "").split(delimiter)
  const agents = yield* Effect.forEach(cliIds, (id) => examine(clis[id], directories), { concurrency: "unbounded" })
  const node = { version: process.version, required: `>=${oldestNode.join(".")}`, ok: isNodeOk(process.version) }
  const settings = yield* recoverAll
  if (json) {
    yield* Console.log(JSON.stringify({ node, agents, settings }, null, 2))
  } else {
    const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const surface: Surface = { live: canAnimate && canColor, columns: 80 }
    const nodeMark = node.ok ? paint(surface, "green", marks.ok) : paint(surface, "red", marks.failed)
    const nodeLine = `${nodeMark} ${paint(surface, "bold", "node".padEnd(9))} ${node.version} (needs ${node.required})`
    const lines = [...agents.flatMap((finding) => findingLines(surface, finding)), nodeLine]
    yield* Console.log([...lines, ...settings.flatMap((found) => settingsLines(surface, found))].join("\n"))
  }
  const isUsable = agents.some(({ status }) => status !== "missing" && status !== "broken")
  if (!isUsable) yield* new Ended({ exitCode: 1 })
})

export const doctor = Command.make("doctor", { json: jsonFlag("Print what was found as JSON") }, diagnose).pipe(
  Command.withShortDescription("Show which agents are installed, and what is missing"),
  Command.withDescription(
    "Looks for the CLIs on PATH and asks each for its version. The exit code is 1 when none of them can be used."
  ),
  Command.withExamples([
    { command: "reins doctor", description: "What can be used here" },
    { command: "reins doctor --json", description: "The same for a program" }
  ])
)
