/**
 * 200,000 Claude lines, decoded, validated, folded: Reins beside the hand-written loop and the official SDK. One race for
 * three questions.
 */
import { claudeRun } from "../lines/runs.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { runOnce, type Sample } from "../sample.ts"
import { type Table, verdict } from "../table.ts"

const all = {
  loop: "hand-written loop",
  claudeSdk: "`@anthropic-ai/claude-agent-sdk`",
  reins: "Reins, `for await`",
  reinsRun: "Reins, `run()`",
  reinsEffect: "Reins, Effect `Stream`"
}
type Host = keyof typeof all
type Samples = Partial<Record<Host, ReadonlyArray<Sample>>>

const lines = 200_000

const { claudeSdk: _sdk, ...withoutSdk } = all
const { loop: _loop, ...withoutLoop } = all

/** The candidates for each question. */
const takingPart: Record<string, Partial<typeof all>> = { cpu: withoutSdk, sdk: withoutLoop, memory: all }

const ours = ["reins", "reinsRun"] as const

const tables: Record<string, (samples: Samples) => Table> = {
  cpu: (samples) => {
    const race = raceOf<Host, Sample>(withoutSdk, samples)
    const columns = [race.column("CPU in ms", cpu), race.column("wall in ms", wall)]
    return race.table([...columns, race.columnTimes("CPU × loop", "loop", cpu)], {
      title: "CPU of 200,000 Claude lines against the hand-written loop",
      about: "User and system time of the host, from the end of its imports to the end of the run.",
      verdicts: ours.map((host) => verdict(all[host], race.times(host, "loop", cpu), 1.3, " × loop"))
    })
  },
  sdk: (samples) => {
    const race = raceOf<Host, Sample>(withoutLoop, samples)
    const columns = [race.column("CPU in ms", cpu), race.column("wall in ms", wall)]
    return race.table([...columns, race.columnTimes("CPU × SDK", "claudeSdk", cpu)], {
      title: "CPU of 200,000 Claude lines against `@anthropic-ai/claude-agent-sdk`",
      about: "Its `query` with partial messages, read to the end.",
      verdicts: ours.map((host) => verdict(all[host], race.times(host, "claudeSdk", cpu), 0.75, " × SDK"))
    })
  },
  memory: (samples) => {
    const race = raceOf<Host, Sample>(all, samples)
    return race.table([race.column("peak in MB", peak), race.columnMore("MB more than the loop", "loop", peak)], {
      title: "Peak memory of a run of 200,000 Claude lines",
      about: "Of the host, imports included.",
      verdicts: ours.map((host) =>
        verdict(`${all[host]}, more than the loop`, race.more(host, "loop", peak), 30, " MB")
      )
    })
  }
}

export const claude: Row = {
  names: Object.keys(tables),
  measure: async ({ workspace, samples, isWanted }) => {
    const requested = Object.keys(tables).filter(isWanted)
    const hosts = (Object.keys(all) as ReadonlyArray<Host>).filter(
      (
        host // its own keys
      ) => requested.some((table) => host in (takingPart[table] ?? {}))
    )
    const stub = workspace.stubOf(claudeRun(lines))
    const taken: Samples = await inRounds(hosts, samples, (host) => runOnce(workspace, host, stub))
    return requested.flatMap((table) => tables[table]?.(taken) ?? [])
  }
}
