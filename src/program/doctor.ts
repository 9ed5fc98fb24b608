/** `reins doctor`: which CLIs are installed, whether their versions are tested, and what is missing. */
import { Clock, Console, Effect, type Option, Result } from "effect"
import { Command, Flag, TerminalCapabilities } from "effect/cli"
import type { CliId } from "../agents/Agents.ts"
import { ownVariables } from "../api/config/telegram.ts"
import * as Doctor from "../api/Doctor.ts"
import type { Finding } from "../bridge/messages/Channel.ts"
import type { Configuration } from "../contract/Configuration.ts"
import type { SettingsReport } from "../contract/DoctorReport.ts"
import { harmless } from "../contract/text/harmless.ts"
import { priceTable, tableAgeDays } from "../money/prices/table.ts"
import { HostEnvironment } from "../system/process/HostEnvironment.ts"
import { cliIds } from "./chosenAgent.ts"
import { readConfig } from "./configured.ts"
import type { ChannelReport } from "./doctor/channels.ts"
import { type ConfigurationReport, configurationLines, priceLines, serveLines, storeLines } from "./doctor/here.ts"
import { findingLines } from "./doctor/lines.ts"
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

/** Empty on Linux, where everything is guaranteed. */
export const limitLines = (surface: Surface, notGuaranteed: string | undefined): ReadonlyArray<string> =>
  notGuaranteed === undefined ? [] : [`${paint(surface, "yellow", marks.warning)} ${notGuaranteed}`]

interface DoctorInput {
  readonly json: boolean
  readonly fix: boolean
  readonly config: Option.Option<string>
  readonly agent: ReadonlyArray<CliId>
}

/** The configuration, and the store that it names. */
const examineConfiguration = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const found = yield* Effect.result(
    Effect.gen(function* () {
      const read = yield* readConfig(file)
      const { storeOptions } = yield* Effect.promise(() => import("../api/config/storeOptions.ts"))
      const options = yield* storeOptions(read)
      const store = "postgres" in options ? { postgres: options.postgres } : { directory: options.directory }
      return { read, store }
    })
  )
  if (Result.isFailure(found)) {
    const report: ConfigurationReport = { file: found.failure.file, problems: found.failure.problems }
    return { report, store: {}, configuration: undefined }
  }
  const { file: own, ignored } = found.success.read
  const report: ConfigurationReport = {
    ...(own === undefined ? {} : { file: own }),
    ...(ignored === undefined ? {} : { ignored }),
    problems: []
  }
  return { report, store: found.success.store, configuration: found.success.read }
})

/** No CLI that is asked gets what is of `reins serve` alone. */
const withoutOwn = (configuration: Configuration | undefined) =>
  Effect.map(HostEnvironment, (host) => {
    const own = new Set(configuration === undefined ? [] : ownVariables(configuration))
    return Object.fromEntries(Object.entries(host).filter(([name]) => !own.has(name)))
  })

const diagnose = Effect.fnUntraced(function* ({ json, fix, agent, config }: DoctorInput) {
  const { report: configuration, store, configuration: read } = yield* examineConfiguration(config)
  const report = yield* Effect.provideService(
    Doctor.doctor({ ...(agent.length === 0 ? {} : { agents: agent }), store }),
    HostEnvironment,
    yield* withoutOwn(read)
  )
  const { node, agents, notGuaranteed, settings, oldJournals } = report
  // Loaded for a configuration that can be used: without one, nothing serves.
  const { channelsOf, examineServe } = yield* Effect.promise(() => import("./doctor/serve.ts"))
  const noChannels = { findings: [], channels: [] }
  // Where agents alone are to be checked, no channel is asked.
  const examined =
    read === undefined
      ? noChannels
      : yield* Effect.scoped(
          examineServe(read, report.store, (own, isServed) => (agent.length > 0 ? [] : channelsOf(own, isServed, fix)))
        )
  const { findings: serve, channels } = examined
  const isAtFault = ({ level }: Finding) => level === "failure"
  const atFault = channels.filter(({ findings }) => findings.some(isAtFault)).map(({ channel }) => channel)
  const cannotServe = agent.length === 0 && (atFault.length > 0 || serve.some(isAtFault))
  const failed = [
    ...report.failed,
    ...(configuration.problems.length === 0 ? [] : ["config"]),
    ...atFault,
    ...(cannotServe ? ["serve"] : [])
  ]
  const now = yield* Clock.currentTimeMillis
  const prices = { ...priceTable, ageDays: tableAgeDays(now) }
  if (json) {
    yield* Console.log(JSON.stringify({ ...report, failed, configuration, prices, serve, channels }, null, 2))
  } else {
    const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const surface: Surface = { live: canAnimate && canColor, columns: 80 }
    const nodeMark = node.ok ? paint(surface, "green", marks.ok) : paint(surface, "red", marks.failed)
    const nodeLine = `${nodeMark} ${paint(surface, "bold", "node".padEnd(9))} ${node.version} (needs ${node.required})`
    const here = [nodeLine, ...limitLines(surface, notGuaranteed)]
    const lines = [...agents.flatMap((finding) => findingLines(surface, finding)), ...here]
    const left = oldJournals.map(oldJournalLine(surface))
    const found = [...settings.flatMap((recovery) => settingsLines(surface, recovery)), ...left]
    const own = [
      ...configurationLines(surface, configuration),
      ...storeLines(surface, report.store),
      ...priceLines(surface, now),
      ...serveLines(surface, [...serve, ...channels.flatMap(unservable)]),
      ...channels.flatMap(({ channel, findings, fixed }) => serveLines(surface, findings, harmless(channel), fixed))
    ]
    yield* Console.log([...lines, ...own, ...found, ...summary(failed, agent.length === 0)].join("\n"))
  }
  if (failed.length > 0) yield* new Ended({ exitCode: 1 })
})

/** A host that cannot serve one does not start. */
const unservable = ({ channel, findings }: ChannelReport): ReadonlyArray<Finding> =>
  findings.some(({ level }) => level === "failure")
    ? [{ level: "failure", message: `${channel} cannot be served: see below` }]
    : []

const summary = (failed: ReadonlyArray<string>, isAll: boolean): ReadonlyArray<string> => {
  if (failed.length === 0) return []
  const cure =
    isAll && failed.some((name) => cliIds.some((id) => id === name))
      ? " To check only one agent: reins doctor --agent NAME"
      : ""
  return ["", `Failed: ${failed.join(", ")}.${cure}`]
}

const agentsFlag = Flag.Literals("agent", cliIds).pipe(
  Flag.withAlias("a"),
  Flag.withMetavar("NAME"),
  Flag.withDescription("Agent to check (default: all four); repeatable"),
  Flag.atLeast(0)
)

export const doctor = Command.make(
  "doctor",
  {
    json: jsonFlag("Print the findings as JSON"),
    fix: switchFlag("fix", "Remove a webhook that takes the messages of the bot of [telegram], and say so"),
    config: configFlag,
    agent: agentsFlag
  },
  diagnose
).pipe(
  Command.withShortDescription("Check which agents are installed and what is missing"),
  Command.withDescription(
    "Looks for the CLIs on PATH and checks their versions and whether they are signed in, without asking a model.\n" +
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
