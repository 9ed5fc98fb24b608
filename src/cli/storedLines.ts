/** Fields of the lines that CLIs keep of their sessions, whatever their type really is; pure. */
import { Predicate } from "effect"
import { boundedDepth } from "../contract/text/boundedDepth.ts"

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

export const at = (json: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (value, name) => (Predicate.hasProperty(value, name) && Object.hasOwn(value, name) ? value[name] : undefined),
    json
  )

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

/** The last that is there. */
export const lastOf = <A>(values: ReadonlyArray<A | undefined>): A | undefined =>
  values.findLast((value) => value !== undefined)

/** The first that is there. */
export const firstOf = <A>(values: ReadonlyArray<A | undefined>): A | undefined =>
  values.find((value) => value !== undefined)

/** The value of a field in a line that is cut off, by its text. */
export const cutTextAt = (text: string, name: string): string | undefined => {
  const found = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.){1,4096}")`).exec(text)?.[1]
  const value = found === undefined ? undefined : parsed(found)
  return Predicate.isString(value) ? value : undefined
}
