// The vocabulary of a CLI's output, the same for any two runs of one version: kinds of lines, their fields with
// types, which kind follows which, and what the command line offers. Takes recordings, gives a vocabulary. Pure.
import type { Wire } from "./kinds.ts"
import { pathOfPlace } from "./paths.ts"
import type { HeardLine } from "./spy.ts"

/** Seen each time, or only at times: a race, or a thing of chance. */
export interface Words {
  readonly always: ReadonlyArray<string>
  readonly sometimes: ReadonlyArray<string>
}

export interface Kind extends Words {
  /** True if it is occasional. */
  readonly isRare?: true
  /** True if it became an `unknown` event. */
  readonly isUnknown?: true
  /** The places that our code looks at. */
  readonly read: ReadonlyArray<string>
}

export interface Vocabulary {
  readonly version: string
  readonly commands: Readonly<Record<string, ReadonlyArray<string>>>
  /** By scenario: `a → b`, `^` and `$` for the ends. Repetitions of a kind count once. */
  readonly order: Readonly<Record<string, Words>>
  readonly wires: Readonly<Record<string, Readonly<Record<string, Kind>>>>
}

/** The lines of each scenario, played once. */
export type Recording = Readonly<Record<string, ReadonlyArray<HeardLine>>>

const sorted = (words: Iterable<string>) => [...new Set(words)].sort()

export const wordsIn = (times: ReadonlyArray<ReadonlySet<string>>): Words => {
  const all = sorted(times.flatMap((words) => [...words]))
  const isAlways = (word: string) => times.every((words) => words.has(word))
  return { always: all.filter(isAlways), sometimes: all.filter((word) => !isAlways(word)) }
}

/** Which kind follows which. */
export const pairsOf = (kinds: ReadonlyArray<string>): ReadonlySet<string> => {
  const distinct = ["^", ...kinds, "$"].filter((kind, index, all) => kind !== all[index - 1])
  return new Set(distinct.slice(1).map((kind, index) => `${distinct[index]} → ${kind}`))
}

const kindIn = (times: ReadonlyArray<ReadonlyArray<HeardLine>>): Kind => {
  const present = times.filter((lines) => lines.length > 0)
  const words = wordsIn(present.map((lines) => new Set(lines.flatMap(({ places }) => places))))
  const paths = new Set([...words.always, ...words.sometimes].map(pathOfPlace))
  const request = sorted(present.flatMap((lines) => lines.flatMap((line) => line.asked)))
  return {
    ...(present.length < times.length ? { isRare: true as const } : {}),
    ...(present.flat().some(({ isUnderstood }) => !isUnderstood) ? { isUnknown: true as const } : {}),
    ...words,
    read: request.filter((path) => paths.has(path))
  }
}

export const reduce = (
  version: string,
  recordings: ReadonlyArray<Recording>,
  commands: Vocabulary["commands"]
): Vocabulary => {
  const scenarios = sorted(recordings.flatMap((recording) => Object.keys(recording)))
  const order = scenarios.map((name) => {
    const times = recordings.map((recording) => pairsOf((recording[name] ?? []).map(({ kind }) => kind)))
    return [name, wordsIn(times)] as const
  })
  const linesOf = (recording: Recording, wire: Wire, kind?: string) =>
    Object.values(recording)
      .flat()
      .filter((line) => line.wire === wire && (kind === undefined || line.kind === kind))
  const wires = (["live", "run"] as const).map((wire) => {
    const kinds = sorted(recordings.flatMap((recording) => linesOf(recording, wire).map(({ kind }) => kind)))
    const entries = kinds.map(
      (kind) => [kind, kindIn(recordings.map((recording) => linesOf(recording, wire, kind)))] as const
    )
    return [wire, Object.fromEntries(entries)] as const
  })
  return { version, commands, order: Object.fromEntries(order), wires: Object.fromEntries(wires) }
}

/** The fields that our code looks for, there or not: by wire and kind. */
export const askedIn = (recordings: ReadonlyArray<Recording>): ReadonlyMap<string, ReadonlySet<string>> => {
  const request = new Map<string, Set<string>>()
  for (const line of recordings.flatMap((recording) => Object.values(recording).flat())) {
    const key = `${line.wire} ${line.kind}`
    const known = request.get(key) ?? new Set()
    for (const path of line.asked) known.add(path)
    request.set(key, known)
  }
  return request
}
