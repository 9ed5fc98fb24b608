/**
 * The newest message of each chat and thread that was heard: where a service with history is read on after a restart. Kept
 * for the places heard last; stored texts are not trusted.
 */
import { Option, Predicate, Schema } from "effect"

const mostPlaces = 100
/** In UTF-16 units; ids of services are ASCII. */
const longest = 128

const Word = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/), Schema.isMaxLength(longest))
const isWord = Schema.is(Word)

/** Ids that count up: of those with the same length, the one with larger digits is newer. */
export const isNewer = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length

export interface Marks {
  /** An older id than the one that is known moves the place to the end only. */
  readonly hear: (place: string, id: string) => void
  readonly forget: (place: string) => void
  /** The places heard last come first. */
  readonly places: () => ReadonlyArray<readonly [place: string, id: string]>
  /** To be stored as JSON: those heard last that fit. */
  readonly value: () => Readonly<Record<string, string>>
}

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The value of a stored text; undefined if it is not JSON. */
export const readMark = (text: string | undefined): unknown =>
  text === undefined ? undefined : Option.getOrUndefined(readJson(text))

/** `stored`: what `value` gave, or anything. `mostBytes`: of the JSON. Default: 8,000. */
export const makeMarks = (stored: unknown, mostBytes = 8_000): Marks => {
  const newest = new Map<string, string>()

  const hear = (place: string, id: string) => {
    if (!isWord(place) || !isWord(id)) return
    const known = newest.get(place)
    newest.delete(place)
    newest.set(place, known === undefined || isNewer(id, known) ? id : known)
    const [oldest] = newest.keys()
    if (newest.size > mostPlaces && oldest !== undefined) newest.delete(oldest)
  }

  if (Predicate.isObject(stored))
    for (const [place, id] of Object.entries(stored).slice(-mostPlaces)) if (Predicate.isString(id)) hear(place, id)

  const places = () => [...newest].reverse()
  const fitting = () => {
    let bytes = 2
    return places().filter(([place, id]) => {
      bytes += JSON.stringify(place).length + JSON.stringify(id).length + 2
      return bytes <= mostBytes
    })
  }

  return {
    hear,
    forget: (place) => void newest.delete(place),
    places,
    value: () => Object.fromEntries(fitting().reverse())
  }
}
