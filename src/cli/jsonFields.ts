/** Fields of JSON of unknown form: a value of another type than expected counts as missing; pure. */
import { Predicate } from "effect"
import { boundedDepth } from "../contract/text/jsonLine.ts"

/** Returns undefined for anything but JSON, such as a line that is cut off. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(boundedDepth(text))
  } catch {
    return undefined
  }
}

/** Every line that is JSON, in order. */
export const parsedLines = (...texts: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  texts.flatMap((text) => text.split("\n")).flatMap((line) => (line === "" ? [] : (parsed(line) ?? [])))

/** The value below some keys. */
export const at = (json: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (value, name) => (Predicate.hasProperty(value, name) && Object.hasOwn(value, name) ? value[name] : undefined),
    json
  )

/** Undefined also for an empty text. */
export const textAt = (json: unknown, ...names: ReadonlyArray<string>): string | undefined => {
  const value = at(json, ...names)
  return Predicate.isString(value) && value !== "" ? value : undefined
}

export const numberAt = (json: unknown, ...names: ReadonlyArray<string>): number | undefined => {
  const value = at(json, ...names)
  return Predicate.isNumber(value) && Number.isFinite(value) ? value : undefined
}

export const listAt = (json: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const value = at(json, ...names)
  return Array.isArray(value) ? value : []
}

/** In ms since 1970. */
export const timeAt = (json: unknown, ...names: ReadonlyArray<string>): number | undefined => {
  const time = Date.parse(textAt(json, ...names) ?? "")
  return Number.isNaN(time) ? undefined : time
}

/** The texts of a list of parts, or the text itself. */
export const textOfParts = (parts: unknown): string =>
  Predicate.isString(parts)
    ? parts
    : (Array.isArray(parts) ? parts : [])
        .flatMap((part: unknown) => (Predicate.isString(part) ? part : (textAt(part, "text") ?? [])))
        .join("\n")

/** The last value that is not undefined. */
export const lastOf = <A>(values: ReadonlyArray<A | undefined>): A | undefined =>
  values.findLast((value) => value !== undefined)

/** The first value that is not undefined. */
export const firstOf = <A>(values: ReadonlyArray<A | undefined>): A | undefined =>
  values.find((value) => value !== undefined)

/** The text of a field in a line that is cut off. */
export const cutTextAt = (text: string, name: string): string | undefined => {
  const found = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.){1,4096}")`).exec(text)?.[1]
  const value = found === undefined ? undefined : parsed(found)
  return Predicate.isString(value) ? value : undefined
}

/** The fields that are neither undefined nor null, and have a wanted value. */
export const present = <Fields extends object>(fields: Fields, isWanted: (value: unknown) => boolean = () => true) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && isWanted(value))) as {
    readonly [Name in keyof Fields]?: NonNullable<Fields[Name]>
  } // entries lose the names

/** An entry of a table; a name that every object has, such as `constructor`, has none. */
export const entryOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
