// Compares the vocabulary on record with another one. Occasional entries do not count as differences in either
// direction, so that the answer is the same each time. Pure.
import { outermost, pathOfPlace } from "./paths.ts"
import type { Kind, Vocabulary, Words } from "./vocabulary.ts"

export interface Difference {
  /** `break`: gone, and our code reads or uses it. */
  readonly type:
    | "break"
    | "gone"
    | "new kind"
    | "new place"
    | "order gone"
    | "order new"
    | "offered gone"
    | "offered new"
  /** The wire and the kind, the scenario, or the command. */
  readonly where: string
  readonly what: string
}

/** The fields that our code looks at or mentions. */
export interface OurUse {
  /** Whether it looks for this path in lines of this kind, there or not. */
  readonly asks: (wire: string, kind: string, path: string) => boolean
  /** Whether its source has this word. */
  readonly mentions: (word: string) => boolean
  /** Whether this path only says of which kind a line is. */
  readonly isKindWord: (wire: string, path: string) => boolean
}

const goneOf = (before: Words, now: Words) => {
  const there = new Set([...now.always, ...now.sometimes])
  return before.always.filter((word) => !there.has(word))
}

const newOf = (before: Words, now: Words) => goneOf(now, before)

const comparePlaces = (wire: string, kind: string, before: Kind, now: Kind, use: OurUse): ReadonlyArray<Difference> => {
  const read = (place: string) => {
    const path = pathOfPlace(place)
    return before.read.includes(path) || use.asks(wire, kind, path)
  }
  const where = `${wire} ${kind}`
  const all = goneOf(before, now)
  const breaks = outermost(all.filter(read)).map((what) => ({ type: "break" as const, where, what }))
  const gone = outermost(all)
    .filter((place) => !read(place))
    .map((what) => ({ type: "gone" as const, where, what }))
  const added = outermost(newOf(before, now)).map((what) => ({ type: "new place" as const, where, what }))
  return [...breaks, ...gone, ...added]
}

const compareWire = (wire: string, before: Vocabulary, now: Vocabulary, use: OurUse): ReadonlyArray<Difference> => {
  const [kindsBefore, kindsNow] = [before.wires[wire] ?? {}, now.wires[wire] ?? {}]
  const gone = Object.entries(kindsBefore).flatMap(([kind, entry]): ReadonlyArray<Difference> => {
    if (kind in kindsNow || entry.isRare === true) return []
    const isRead = entry.read.some((path) => !use.isKindWord(wire, path))
    return [{ type: isRead ? "break" : "gone", where: wire, what: kind }]
  })
  const added = Object.entries(kindsNow).flatMap(([kind, entry]): ReadonlyArray<Difference> => {
    if (kind in kindsBefore || entry.isRare === true) return []
    const what = entry.isUnknown === true ? `${kind}, which comes as an unknown event` : kind
    return [{ type: "new kind", where: wire, what }]
  })
  const both = Object.entries(kindsBefore).flatMap(([kind, entry]) => {
    const other = kindsNow[kind]
    return other === undefined ? [] : comparePlaces(wire, kind, entry, other, use)
  })
  return [...gone, ...added, ...both]
}

const nothing: Words = { always: [], sometimes: [] }

/** Pairs with a kind that is itself new or gone say nothing more. */
const compareOrder = (before: Vocabulary, now: Vocabulary): ReadonlyArray<Difference> => {
  const kindsOf = ({ wires }: Vocabulary) =>
    new Set(["^", "$", ...Object.values(wires).flatMap((kinds) => Object.keys(kinds))])
  const [old, current] = [kindsOf(before), kindsOf(now)]
  const isOfBoth = (pair: string) => pair.split(" → ").every((kind) => old.has(kind) && current.has(kind))
  return Object.keys(before.order).flatMap((scenario) => {
    const [was, is] = [before.order[scenario] ?? nothing, now.order[scenario] ?? nothing]
    const gone = goneOf(was, is).map((pair) => ({ type: "order gone" as const, pair }))
    const added = newOf(was, is).map((pair) => ({ type: "order new" as const, pair }))
    return [...gone, ...added]
      .filter(({ pair }) => isOfBoth(pair))
      .map(({ type, pair }) => ({ type, where: scenario, what: pair }))
  })
}

const compareOffered = (before: Vocabulary, now: Vocabulary, use: OurUse): ReadonlyArray<Difference> => {
  const names = [...new Set([...Object.keys(before.commands), ...Object.keys(now.commands)])]
  return names.flatMap((name) => {
    const [was, is] = [before.commands[name] ?? [], now.commands[name] ?? []]
    const gone = was
      .filter((word) => !is.includes(word))
      .map((word) => ({ type: use.mentions(word) ? ("break" as const) : ("offered gone" as const), word }))
    const added = is.filter((word) => !was.includes(word)).map((word) => ({ type: "offered new" as const, word }))
    return [...gone, ...added].map(({ type, word }) => ({ type, where: name, what: word }))
  })
}

export const compare = (before: Vocabulary, now: Vocabulary, use: OurUse): ReadonlyArray<Difference> => [
  ...compareWire("run", before, now, use),
  ...compareWire("live", before, now, use),
  ...compareOrder(before, now),
  ...compareOffered(before, now, use)
]
