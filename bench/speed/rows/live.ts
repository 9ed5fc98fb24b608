/** Live sessions: what their turns cost, and to open and close them. */
import { createHash } from "node:crypto"
import { liveTurn } from "../lines/liveTurn.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { type Sample, sampleOf } from "../sample.ts"
import { median } from "../statistics.ts"
import { type Table, verdict } from "../table.ts"

const turnsOfSession = 2_000

const sdkName = "`@anthropic-ai/claude-agent-sdk`"

const turns = async ({ workspace, samples }: Bench): Promise<Table> => {
  const names = { liveTurnsLoop: "hand-written loop", liveTurnsSdk: sdkName, liveTurnsReins: "Reins, `turn()`" }
  const turn = liveTurn()
  const { command } = workspace.liveStub(turn)
  const expected = createHash("sha1").update(turn.text.repeat(turnsOfSession)).digest("hex")
  const take = async (host: string) => {
    const sample = await sampleOf<{ readonly text: string }>(workspace, host, { command, turns: turnsOfSession })
    if (sample.text !== expected) throw new Error(`${host} has not read what the turns said`)
    return sample
  }
  const hosts = ["liveTurnsLoop", "liveTurnsSdk", "liveTurnsReins"] as const
  const race = raceOf(names, await inRounds(hosts, samples, take))
  const columns = [
    race.column("CPU in ms", cpu),
    race.columnTimes("CPU × loop", "liveTurnsLoop", cpu),
    race.columnTimes("CPU × SDK", "liveTurnsSdk", cpu),
    race.column("wall in ms", wall),
    race.column("peak in MB", peak)
  ]
  return race.table(columns, {
    title: `${turnsOfSession.toLocaleString("en")} turns of a live session`,
    about: `One after the other, ${turn.lines.length} lines each, from the first turn to the end of closing.`,
    verdicts: [
      verdict("A turn", race.times("liveTurnsReins", "liveTurnsSdk", cpu), 1, " × SDK"),
      verdict("Peak memory", race.median("liveTurnsReins", peak), 120, " MB")
    ]
  })
}

interface Openings extends Sample {
  readonly rounds: ReadonlyArray<{ readonly opening: number; readonly closing: number }>
}

/** Where it is one session, the first of the process is not counted; of many it is one among them. */
const counted = ({ rounds }: Openings) => (rounds.length === 1 ? rounds : rounds.slice(1))
const opening = (sample: Openings) => median(counted(sample).map((round) => round.opening))
const closing = (sample: Openings) => median(counted(sample).map((round) => round.closing))
const whole = (sample: Openings) => opening(sample) + closing(sample)

const openingsOf = async ({ workspace, samples }: Bench, sessions: number, rounds: number): Promise<Table> => {
  const names = {
    liveOpeningsLoop: "hand-written loop",
    liveOpeningsSdk: sdkName,
    liveOpeningsReins: "Reins, `open()`"
  }
  const task = { command: workspace.idleStub(), sessions, rounds }
  const hosts = ["liveOpeningsLoop", "liveOpeningsSdk", "liveOpeningsReins"] as const
  const taken = await inRounds(hosts, samples, (host) => sampleOf<Pick<Openings, "rounds">>(workspace, host, task))
  const race = raceOf<(typeof hosts)[number], Openings>(names, taken)
  const columns = [
    race.column("opening, CPU in ms", opening),
    race.columnTimes("× SDK", "liveOpeningsSdk", opening),
    race.column("closing, CPU in ms", closing),
    race.columnTimes("× SDK", "liveOpeningsSdk", closing),
    race.column("peak in MB", peak)
  ]
  return race.table(columns, {
    title:
      sessions === 1 ? "Opening and closing a live session" : `Opening and closing ${sessions} live sessions at once`,
    about:
      sessions === 1
        ? `For each of ${rounds - 1}, one after the other; one before them is not counted.`
        : "For each; a process opens all of them, then closes all of them.",
    verdicts: [verdict("Opening and closing", race.times("liveOpeningsReins", "liveOpeningsSdk", whole), 1.3, " × SDK")]
  })
}

export const live: Row = {
  names: ["turns", "sessions"],
  measure: async (bench) => [
    ...(bench.isWanted("turns") ? [await turns(bench)] : []),
    ...(bench.isWanted("sessions")
      ? [await openingsOf(bench, 1, 21), await openingsOf(bench, 100, 1), await openingsOf(bench, 300, 1)]
      : [])
  ]
}
