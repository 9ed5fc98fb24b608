/** `reins doctor`: which CLIs are installed, whether their versions are tested, and what is missing. */
import { Console, Effect } from "effect"
import { Command, Flag, TerminalCapabilities } from "effect/cli"
import type { CliId } from "../Agents.ts"
import * as Doctor from "../Doctor.ts"
import { harmless } from "../text/harmless.ts"
import type { SettingsReport } from "../types/DoctorReport.ts"
import { cliIds } from "./chosenAgent.ts"
import { findingLines } from "./doctor/lines.ts"
import { Ended } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { marks, paint, type Surface } from "./style.ts"

const oldJournalLine = (surface: Surface) => (file: string) =>
  `${paint(surface, "yellow", marks.warning)} ${harmless(file)}: left by an older version, or put there by somebody else. It has no effect: check it, then remove it`

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
  readonly agent: ReadonlyArray<CliId>
}

const diagnose = Effect.fnUntraced(function* ({ json, agent }: DoctorInput) {
  const report = yield* Doctor.doctor(agent.length === 0 ? {} : { agents: agent })
  const { node, agents, notGuaranteed, settings, oldJournals, failed } = report
  if (json) {
    yield* Console.log(JSON.stringify(report, null, 2))
  } else {
    const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const surface: Surface = { live: canAnimate && canColor, columns: 80 }
    const nodeMark = node.ok ? paint(surface, "green", marks.ok) : paint(surface, "red", marks.failed)
    const nodeLine = `${nodeMark} ${paint(surface, "bold", "node".padEnd(9))} ${node.version} (needs ${node.required})`
    const here = [nodeLine, ...limitLines(surface, notGuaranteed)]
    const lines = [...agents.flatMap((finding) => findingLines(surface, finding)), ...here]
    const left = oldJournals.map(oldJournalLine(surface))
    const found = [...settings.flatMap((recovery) => settingsLines(surface, recovery)), ...left]
    yield* Console.log([...lines, ...found, ...summary(failed, agent.length === 0)].join("\n"))
  }
  if (failed.length > 0) yield* new Ended({ exitCode: 1 })
})

const summary = (failed: ReadonlyArray<string>, isAll: boolean): ReadonlyArray<string> => {
  if (failed.length === 0) return []
  const cure =
    isAll && failed.some((name) => name !== "node") ? " To check only one agent: reins doctor --agent NAME" : ""
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
  { json: jsonFlag("Print the findings as JSON"), agent: agentsFlag },
  diagnose
).pipe(
  Command.withShortDescription("Check which agents are installed and what is missing"),
  Command.withDescription(
    "Looks for the CLIs on PATH and checks their versions and whether they are signed in, without asking a model.\n" +
      "  The exit code is 1 when one of them is missing, broken or older than the oldest version that is known to\n" +
      "  work, or when Node is too old."
  ),
  Command.withExamples([
    { command: "reins doctor", description: "Check all agents" },
    { command: "reins doctor --agent claude", description: "Fail only if Claude Code cannot be used" },
    { command: "reins doctor --json", description: "Findings for a program" }
  ])
)
