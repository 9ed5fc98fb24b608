/** `reins doctor`: which CLIs are installed, whether their versions are tested, and what is missing. */
import { delimiter } from "node:path"
import { Clock, Console, Effect, type Option } from "effect"
import { Command, Flag, TerminalCapabilities } from "effect/cli"
import { mentionedAcpAgents } from "../api/config/ConfiguredAgent.ts"
import { ownVariables, storeOptions } from "../api/config/secrets.ts"
import * as Doctor from "../api/Doctor.ts"
import { type AcpReport, examineAcp } from "../api/doctor/examineAcp.ts"
import type { Finding } from "../bridge/messages/Channel.ts"
import { type AcpAgentId, acpAgentIds, isAcpAgentId, type KnownAgentId } from "../contract/CliSupport.ts"
import type { Configuration } from "../contract/Configuration.ts"
import type { SettingsReport } from "../contract/DoctorReport.ts"
import { harmless } from "../contract/text/harmless.ts"
import { untraced } from "../contract/untraced.ts"
import { priceTable, tableAgeDays } from "../money/prices/table.ts"
import { orphansStay, reapingCure } from "../system/process/firstProcess.ts"
import { HostEnvironment } from "../system/process/HostEnvironment.ts"
import { cliIds } from "./chosenAgent.ts"
import { readConfig } from "./configured.ts"
import { described } from "./conversationFlags.ts"
import type { ChannelReport } from "./doctor/channels.ts"
import { type ConfigurationReport, configurationLines, priceLines, serveLines, storeLines } from "./doctor/here.ts"
import { acpLines, findingLines } from "./doctor/lines.ts"
import { Ended } from "./exit.ts"
import { configFlag, jsonFlag, switchFlag } from "./flags.ts"
import { marks, paint, type Surface } from "./style.ts"

const oldJournalLine = (surface: Surface) => (file: string) =>
  `${paint(surface, "yellow", marks.warning)} ${harmless(file)}: left by an older version, or created by someone else. It has no effect: check it, then remove it`

const settingsLines = (surface: Surface, { file, isRestored, isPending }: SettingsReport): ReadonlyArray<string> => {
  if (isRestored) return [`${paint(surface, "green", marks.ok)} ${file}: restored; a killed run had left it changed`]
  if (!isPending) return []
  return [
    `${paint(surface, "yellow", marks.warning)} ${file}: a killed run left it changed, and it cannot be restored while it is not valid JSON`
  ]
}

export const limitLines = (surface: Surface, notGuaranteed: string | undefined): ReadonlyArray<string> =>
  notGuaranteed === undefined ? [] : [`${paint(surface, "yellow", marks.warning)} ${notGuaranteed}`]

const limitLinesOf = (surface: Surface, problems: ReadonlyArray<string>) =>
  problems.flatMap((problem) => limitLines(surface, problem))

const names = [...cliIds, ...acpAgentIds]

interface DoctorInput {
  readonly json: boolean
  readonly fix: boolean
  readonly config: Option.Option<string>
  readonly agent: ReadonlyArray<KnownAgentId>
}

const examineConfiguration = (config: Option.Option<string>) =>
  Effect.gen(function* () {
    const configuration = yield* readConfig(config)
    const options = yield* storeOptions(configuration)
    const store = "postgres" in options ? { postgres: options.postgres } : { directory: options.directory }
    const { file, ignored } = configuration
    const report: ConfigurationReport = {
      ...(file === undefined ? {} : { file }),
      ...(ignored === undefined ? {} : { ignored }),
      problems: []
    }
    return { report, store, configuration }
  }).pipe(
    Effect.catch(({ file, problems }) =>
      Effect.succeed({ report: { file, problems }, store: {}, configuration: undefined })
    )
  )

/** Variables that only `reins serve` may read are hidden from the CLIs. */
const withoutOwn = (configuration: Configuration | undefined) =>
  Effect.map(HostEnvironment, (host) => {
    const own = new Set(configuration === undefined ? [] : ownVariables(configuration))
    return Object.fromEntries(Object.entries(host).filter(([name]) => !own.has(name)))
  })

/** Agents of the protocol: those of `--agent`, or else those that the configuration mentions. */
const examineNamed = (agent: ReadonlyArray<KnownAgentId>, configuration: Configuration | undefined) =>
  Effect.flatMap(HostEnvironment, (host) => {
    const mentioned = configuration === undefined ? [] : mentionedAcpAgents(configuration)
    const ids: ReadonlyArray<AcpAgentId> = agent.length === 0 ? mentioned : [...new Set(agent)].filter(isAcpAgentId)
    const directories = (host["PATH"] ?? "").split(delimiter)
    const commandOf = (id: AcpAgentId) => configuration?.agents[id]?.command
    return Effect.forEach(ids, (id) => examineAcp(id, directories, commandOf(id)), { concurrency: 4 })
  })

const hasNoProgram = ({ path }: AcpReport) => path === undefined

const isAtFault = ({ level }: Finding) => level === "failure"

const diagnose = Effect.fn(...untraced("Doctor.diagnose"))(function* ({ json, fix, agent, config }: DoctorInput) {
  const { report: configuration, store, configuration: read } = yield* examineConfiguration(config)
  const host = yield* withoutOwn(read)
  const clis = agent.filter((id) => !isAcpAgentId(id))
  const report = yield* Effect.provideService(
    Doctor.doctor({ ...(agent.length === 0 ? {} : { agents: clis }), store }),
    HostEnvironment,
    host
  )
  const named = yield* Effect.provideService(examineNamed(agent, read), HostEnvironment, host)
  const { node, agents, notGuaranteed, orphansReaped, settings, oldJournals } = report
  const { channelsOf, examineServe } = yield* Effect.promise(() => import("./doctor/serve.ts"))
  // With `--agent`, channels are not checked.
  const { findings: serve, channels } =
    read === undefined
      ? { findings: [], channels: [] }
      : yield* Effect.scoped(
          examineServe(read, report.store, (own, isServed) => (agent.length > 0 ? [] : channelsOf(own, isServed, fix)))
        )
  const { examineWorktrees } = yield* Effect.promise(() => import("./doctor/worktrees.ts"))
  const worktrees = read === undefined || agent.length > 0 ? [] : yield* examineWorktrees(read)
  const atFault = channels.filter(({ findings }) => findings.some(isAtFault)).map(({ channel }) => channel)
  const cannotServe = agent.length === 0 && (atFault.length > 0 || serve.some(isAtFault))
  const failed = [
    ...report.failed,
    ...named.filter(hasNoProgram).map((one) => one.agent),
    ...(configuration.problems.length === 0 ? [] : ["config"]),
    ...atFault,
    ...(cannotServe ? ["serve"] : [])
  ]
  const now = yield* Clock.currentTimeMillis
  const prices = { ...priceTable, ageDays: tableAgeDays(now) }
  if (json) {
    const others = named.length === 0 ? {} : { named }
    yield* Console.log(
      JSON.stringify({ ...report, ...others, failed, configuration, prices, serve, channels, worktrees }, null, 2)
    )
  } else {
    const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const surface: Surface = { live: canAnimate && canColor, columns: 80 }
    const nodeMark = node.ok ? paint(surface, "green", marks.ok) : paint(surface, "red", marks.failed)
    const nodeLine = `${nodeMark} ${paint(surface, "bold", "node".padEnd(9))} ${node.version} (needs ${node.required})`
    const unreaped = orphansReaped === false ? `${orphansStay}: ${reapingCure}` : undefined
    const here = [nodeLine, ...limitLines(surface, notGuaranteed), ...limitLines(surface, unreaped)]
    const lines = [
      ...agents.flatMap((finding) => findingLines(surface, finding)),
      ...named.flatMap((found) => acpLines(surface, found)),
      ...here
    ]
    const left = oldJournals.map(oldJournalLine(surface))
    const found = [...settings.flatMap((recovery) => settingsLines(surface, recovery)), ...left]
    const own = [
      ...configurationLines(surface, configuration),
      ...storeLines(surface, report.store),
      ...priceLines(surface, now),
      ...limitLinesOf(surface, worktrees),
      ...serveLines(surface, [...serve, ...channels.flatMap(unservable)]),
      ...channels.flatMap(({ channel, findings, fixed }) => serveLines(surface, findings, harmless(channel), fixed))
    ]
    yield* Console.log([...lines, ...own, ...found, ...summary(failed, agent.length === 0)].join("\n"))
  }
  if (failed.length > 0) yield* new Ended({ exitCode: 1 })
})

/** `reins serve` does not start if it cannot serve one channel. */
const unservable = ({ channel, findings }: ChannelReport): ReadonlyArray<Finding> =>
  findings.some(isAtFault) ? [{ level: "failure", message: `${channel} cannot be served: see below` }] : []

const summary = (failed: ReadonlyArray<string>, isAll: boolean): ReadonlyArray<string> => {
  if (failed.length === 0) return []
  const cure =
    isAll && failed.some((name) => names.some((id) => id === name))
      ? " To check only one agent: reins doctor --agent NAME"
      : ""
  return ["", `Failed: ${failed.join(", ")}.${cure}`]
}

export const doctor = Command.make(
  "doctor",
  {
    json: jsonFlag("Print the findings as JSON"),
    fix: switchFlag("fix", "Remove a webhook that takes the messages of the bot of [telegram], and say so"),
    config: configFlag,
    agent: Flag.Literals("agent", names).pipe(
      Flag.withAlias("a"),
      described("Agent to check (default: all CLIs, and those of the configuration); repeatable", "NAME"),
      Flag.atLeast(0)
    )
  },
  diagnose
).pipe(
  Command.withShortDescription("Check which agents are installed and what is missing"),
  Command.withDescription(
    "Looks for the CLIs on PATH and checks their versions and whether they are signed in, without asking a model.\n" +
      "  Of the other agents of reins agents, it looks for those that the configuration or --agent names.\n" +
      "  Also checks the configuration, the store and what reins serve needs, and tells the age of the price table.\n" +
      "  The exit code is 1 when a CLI is missing, broken or older than the oldest version that is known to work, when\n" +
      "  Node is too old, when the configuration is not valid, or when reins serve could not start; Failed: names all."
  ),
  Command.withExamples([
    { command: "reins doctor", description: "Check all agents" },
    { command: "reins doctor --agent claude", description: "Fail only if Claude Code cannot be used" },
    { command: "reins doctor --fix", description: "Remove a webhook of the bot of [telegram]" },
    { command: "reins doctor --json", description: "Findings for a program" }
  ])
)
