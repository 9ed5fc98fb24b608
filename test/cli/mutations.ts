/** Lines of a CLI as no CLI prints them, or as another version might: what a reader of their text could take for known. */
import { Arbitrary, Schema } from "effect"

/** `what` selects the mutation, `at` and `which` where and with what. */
const Mutation = Schema.Struct({ what: Schema.Natural, at: Schema.Natural, which: Schema.Natural })
type Mutation = typeof Mutation.Type

/** Lines to mutate, by their place. */
const Some = Schema.Union([Schema.Tuple([Mutation]), Schema.Tuple([Mutation]), Schema.Tuple([Mutation, Mutation])])
const Mutated = Schema.Struct({ line: Schema.Natural, mutations: Some })
export const Mutations = Arbitrary.array(Arbitrary.schema(Mutated), { maxLength: 20 })

type Json = Readonly<Record<string, unknown>>

const of = <A>(items: readonly [A, ...ReadonlyArray<A>], which: number): A => items[which % items.length] ?? items[0]

const strings = [
  "", "a", "text", "text_delta", "\n", '"', "\\", "\\n", "/", "\u0000", "\u001f", "\u007f", "\u2028", "ä🎉", "\ud83d",
  "\udc00\ud83d", '"}}', '","text":"x', "x".repeat(5_000), '\\"'.repeat(700), "__proto__", "other-session", "toolu_1"
] as const // biome-ignore format: one list

const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`)

const values = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  7,
  1e21,
  1_000_000,
  [],
  {},
  [1],
  { text: "x" },
  deep(30),
  deep(1_200)
] as const
const names = ["type", "text", "session_id", "parent_tool_use_id", "delta", "index", "zz_new", "__proto__", ""] as const
const replacements = [...strings, ...values] as const

const mostValues = replacements.length

type Path = ReadonlyArray<string>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const pathsIn = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])])
    : []

/** Changes the members of the object that has the last key of the path. */
const changed = (
  json: Json,
  [key = "", ...rest]: Path,
  change: (members: Array<[string, unknown]>, key: string) => unknown
): unknown => {
  if (rest.length === 0) return change(Object.entries(json), key)
  const inner = json[key]
  return { ...json, [key]: isObject(inner) ? changed(inner, rest, change) : inner }
}
const replaced = (value: unknown) => (members: Array<[string, unknown]>, key: string) =>
  Object.fromEntries(members.map((member) => (member[0] === key ? [key, value] : member)))

/** Text that is printed as it stands, where JSON would have a value. */
const raw = (text: string) => `<raw>${text}</raw>`
const printed = (json: unknown) =>
  JSON.stringify(json).replace(/"<raw>(.*?)<\/raw>"/g, (_, text) => JSON.parse(`"${text}"`))

type Change = (json: Json, path: Path, which: number) => unknown

const onJson: readonly [Change, ...ReadonlyArray<Change>] = [
  (json, path, which) => changed(json, path, replaced(of(replacements, which))),
  (json, path, which) => changed(json, path, replaced(of(strings, which))),
  // Another order; a member that is missing, new, or there twice.
  (json, path) => changed(json, path, (members) => Object.fromEntries(members.toReversed())),
  (json, path, which) => changed(json, path, (members) => Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : which % 2)))),
  (json, path) => changed(json, path, (members, key) => Object.fromEntries(members.filter(([name]) => name !== key))),
  (json, path, which) => changed(json, path, (members) => Object.fromEntries([...members, [of(names, which), of(replacements, which + 3)]])),
  (json, path, which) => changed(json, path, (members) => Object.fromEntries([[of(names, which), "first"], ...members])),
  // Values that JSON knows in more than one form, or not at all.
  (json, path, which) => changed(json, path, replaced(raw(of(["0.0", "-0", "0e0", "1E2", "01", "+1", "1.", "1e999", "NaN", "undefined", "'x'", "00", "1000000000"], which)))),
  (json, path, which) => changed(json, path, replaced(raw(of(['"\\u0041"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\u12"', '"\\x41"', '"\\"', '"\\/\\b\\f\\n\\r\\t"', '"\\u0000"', '"a\tb"', '"\\U0041"'], which))))
] // biome-ignore format: one a line

/** Some letters as escapes; if the word is not a string, the result is not JSON any more. */
const escapedAt = (text: string, at: number) =>
  text.replace(/[a-zA-Z]/g, (letter, place: number) =>
    place % 7 === at % 7 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}` : letter
  )

type Rewrite = (text: string, at: number, which: number) => string

const insert = (text: string, at: number, more: string) =>
  text.slice(0, at % (text.length + 1)) + more + text.slice(at % (text.length + 1))

const onText: readonly [Rewrite, ...ReadonlyArray<Rewrite>] = [
  (text, at) => text.slice(0, at % (text.length + 1)),
  (text, at) => text.slice(at % (text.length + 1)),
  (text) => text + text,
  (text, at, which) => insert(text, at, of([" ", "\t", "\r", "x", '"', "\\", "{", "}", ",", "\ufeff", "\u0000", "ä", '\\"', "0"], which)),
  (text, at) => text.slice(0, at % text.length) + text.slice((at % text.length) + 1),
  (text, _, which) => of([` ${text}`, `${text}\r`, `${text} `, `warning: ${text}`, `${text}{}`, `[${text}]`, `${text},`], which),
  escapedAt,
  // A member for the second time, in front and behind.
  (text, at) => {
    const members = [...text.matchAll(/"[a-z_]+":(?:"[^"\\]*"|\d+|null)/g)].map(([member]) => member)
    const member = members[at % Math.max(1, members.length)] ?? '"a":1'
    return at % 2 === 0 ? text.replace(member, () => `${member},${member}`) : text.replace(/\}$/, () => `,${member}}`)
  },
  (text, at) => text.replace(/"(?:type|session_id|text|parent_tool_use_id)":/g, (name, place: number) => (place % 3 === at % 3 ? `${name} ` : name)),
  (text, at, which) => text.replace(/"([a-z]+)_id":("[^"]*"|null)/g, (member, name, value, place: number) => (place % 3 === at % 3 ? `${member},"${name}_id":${of(['"another"', "null", "7", value], which)}` : member))
] // biome-ignore format: one a line

const mutated = (text: string, { what, at, which }: Mutation): string => {
  const kind = what % (onJson.length + onText.length)
  if (kind < onText.length) return of(onText, kind)(text, at, which)
  try {
    const json: unknown = JSON.parse(text)
    const paths = pathsIn(json)
    const path = paths[at % Math.max(1, paths.length)]
    return path === undefined || !isObject(json) ? text : printed(of(onJson, kind - onText.length)(json, path, which))
  } catch {
    return text
  }
}

const range = (length: number) => Array.from({ length: Math.ceil(length) }, (_, nth) => nth)

const membersOf = (line: string) => line.matchAll(/"(\w+)":("(?:[^"\\]|\\.){0,40}"|\d+|null|true|false)/g)

const mostWords = 30

/** The value that the CLI prints for a member, by its name. */
const vocabularyOf = (lines: ReadonlyArray<string>) => {
  const words = new Map<string, Set<string>>()
  for (const [, name = "", value = ""] of lines.flatMap((line) => [...membersOf(line)])) {
    const known = words.get(name) ?? new Set()
    words.set(name, known)
    if (known.size < mostWords) known.add(value)
  }
  return words
}

/** The line in every form that a single mutation gives it, and with each value that the other lines have in its place. */
export const everyMutation = (line: string, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const vocabulary = vocabularyOf(others)
  const withWords = [...membersOf(line)].flatMap(([member, name = ""]) =>
    [...(vocabulary.get(name) ?? [])].map((word) => line.replace(member, () => `"${name}":${word}`))
  )
  const paths = pathsIn(JSON.parse(line)).length
  // Every fifth place or so, and all remainders of it.
  const places = range(line.length / 5).map((nth) => 5 * nth + (nth % 5))
  const ofText = range(onText.length).flatMap((what) => places.map((at) => ({ what, at, which: at })))
  const ofJson = range(onJson.length).flatMap((nth) =>
    range(paths).flatMap((at) => range(mostValues).map((which) => ({ what: onText.length + nth, at, which })))
  )
  const mutations = [...ofText, ...ofJson].map((mutation) => mutated(line, mutation).replaceAll("\n", " "))
  return [...new Set([...withWords, ...mutations])]
}

/** The same for lines that are printed alike. */
export const shapeOf = (line: string): string => {
  const json: unknown = JSON.parse(line)
  const types = [...line.matchAll(/"(?:type|role|kind)":"[^"]*"/g)].map(([type]) => type)
  return JSON.stringify([types, pathsIn(json)])
}

/** The lines with some of them mutated. None gets a newline inside. */
export const mutatedLines = (
  lines: ReadonlyArray<string>,
  input: ReadonlyArray<typeof Mutated.Type>
): ReadonlyArray<string> => {
  const all = [...lines]
  for (const { line, mutations } of input) {
    const at = line % Math.max(1, all.length)
    all[at] = mutations.reduce(mutated, all[at] ?? "").replaceAll("\n", " ")
  }
  return all
}
