/**
 * The cost of the bridge over the same agent without one, and how long people wait for it while it is busy: on a
 * channel that only counts, and on Telegram.
 */
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { type Sample, sampleOf } from "../sample.ts"
import { type Table, verdict } from "../table.ts"

interface Place {
  readonly title: string
  /** Behind what each table is about. */
  readonly about: string
  readonly isTelegram: boolean
}

const counting: Place = { title: "The bridge", about: "", isTelegram: false }

const onTelegram: Place = {
  title: "Telegram",
  about: " The server is a process of its own; the bridge calls it as often as Telegram allows, 30 times a second.",
  isTelegram: true
}

const names = { bare: "the agent alone", bridged: "behind a bridge" }
const hosts = ["bare", "bridged"] as const

/** A host with a bridge, and the same without one. */
const compared = async <Told>({ workspace, samples }: Bench, host: string, task: object) => {
  const take = (name: (typeof hosts)[number]) => sampleOf<Told>(workspace, host, { ...task, isBare: name === "bare" })
  return raceOf<(typeof hosts)[number], Sample & Told>(names, await inRounds(hosts, samples, take))
}

const turns = async (bench: Bench, { title, about, isTelegram }: Place): Promise<Table> => {
  const [people, rounds, events] = [50, 4, 50]
  const race = await compared<{ readonly events: number }>(bench, "bridgeTurns", { people, rounds, events, isTelegram })
  const perEvent = (sample: Sample & { readonly events: number }) => cpu(sample) / sample.events
  return race.table(
    [
      race.column("CPU in ms", cpu),
      race.column("CPU in ms, an event", perEvent),
      race.columnMore("more", "bare", perEvent),
      race.column("wall in ms", wall),
      race.column("peak in MB", peak)
    ],
    {
      title: `${title}: ${people * rounds} turns of ${events} events`,
      about: `${people} conversations at once, each asked ${rounds} times. Journal, progress, answer and delivery of each turn are shared out among its events.${about}`,
      verdicts: [verdict("CPU an event, more than the agent's", race.more("bridged", "bare", perEvent), 0.3, " ms")]
    }
  )
}

const held = async (bench: Bench, { title, about, isTelegram }: Place): Promise<Table> => {
  const people = 200
  const race = await compared<{ readonly heldMb: number }>(bench, "bridgeHeld", { people, events: 50, isTelegram })
  const resident = ({ heldMb }: { readonly heldMb: number }) => heldMb
  return race.table(
    [
      race.column("resident in MB", resident),
      race.columnMore("more", "bare", resident),
      race.column("peak in MB", peak),
      race.columnMore("more", "bare", peak)
    ],
    {
      title: `${title}: ${people} conversations at once`,
      about: `Each is held in the middle of its turn. Resident: after a collection of garbage; the peak is without one.${about}`,
      verdicts: [verdict("Resident memory, more than the agent's", race.more("bridged", "bare", resident), 60, " MB")]
    }
  )
}

interface Busy extends Sample {
  readonly perSecond: number
  readonly messageCpuMs: number
  /** One row, by the disk alone. */
  readonly writeMs: number
  readonly pressMs: number
  readonly stopMs: number
}

const busy = async ({ workspace, samples }: Bench, { title, about, isTelegram }: Place): Promise<Table> => {
  const [people, messages, waiting] = [100, 500, 50]
  const pace = { allPerSecond: 30, directPerMinute: 60 }
  const task = { people, messages, waiting, pace, events: 50, isAtWork: true, isTelegram }
  const take = () => sampleOf<Omit<Busy, keyof Sample>>(workspace, "bridgeBusy", task)
  const race = raceOf<"bridge", Busy>({ bridge: "the bridge" }, await inRounds(["bridge"], samples, take))
  const perMessage = ({ perSecond }: Busy) => 1_000 / perSecond
  const press = ({ pressMs }: Busy) => pressMs
  const stop = ({ stopMs }: Busy) => stopMs
  return race.table(
    [
      race.column("messages a second", ({ perSecond }) => perSecond),
      race.column("a message in ms", perMessage),
      race.column("its CPU in ms", ({ messageCpuMs }) => messageCpuMs),
      race.column("a write of the disk in ms", ({ writeMs }) => writeMs),
      race.column("press in ms", press),
      race.column("stop in ms", stop)
    ],
    {
      title: `${title}: messages, presses and stops while it is busy`,
      about: `${people} turns are under way, each with news each second, on a channel that takes ${pace.allPerSecond} calls a second: edits wait. ${messages} messages come at once, each into a conversation with a turn; then ${waiting} and a press of *Stop*; then ${waiting} and a \`/stop\`. Each message is on the disk before it counts.${about}`,
      verdicts: [
        verdict("A message is taken in (500 a second)", race.median("bridge", perMessage), 2, " ms"),
        verdict(`A press is acknowledged, behind ${waiting} messages`, race.median("bridge", press), 300, " ms"),
        verdict(`A stop is acknowledged, behind ${waiting} messages`, race.median("bridge", stop), 1_000, " ms")
      ]
    }
  )
}

const rowOf = (name: string, place: Place): Row => ({
  names: [name],
  measure: async (bench) =>
    bench.isWanted(name) ? [await turns(bench, place), await held(bench, place), await busy(bench, place)] : []
})

export const bridge = rowOf("bridge", counting)
export const telegram = rowOf("telegram", onTelegram)
