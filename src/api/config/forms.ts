/** The values of keys: checks those of the file, and parses those of a command line. Pure. */
import { isIP } from "node:net"
import { isAbsolute } from "node:path"
import { Duration, Option, Predicate, Result } from "effect"
import { fewNames } from "../../contract/CliSupport.ts"
import type { Match } from "../../contract/Rule.ts"
import { hintFor } from "../../contract/suggestions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { parseTemplate } from "../../contract/text/template.ts"
import { isRelativePath } from "../../contract/WorktreeOptions.ts"

import { isZone } from "../../money/ledger/zones.ts"
import { aRate, isRate } from "../../money/prices/checkPrices.ts"
import { isLoopback } from "../../system/loopback.ts"
import type { ChannelKind, SecretKind } from "./channels.ts"
import type { Value } from "./edit.ts"
import type { Form } from "./keys.ts"

const kinds = ["command", "file_change", "read", "search", "web", "mcp", "subagent", "other"] as const

export const every = "*"

const requestWords: ReadonlyArray<string> = [...kinds, "command(PATTERN)", every]

export const readRequest = (item: string): Match | undefined => {
  if (item === every) return {}
  const kind = kinds.find((each) => each === item)
  if (kind !== undefined) return { kinds: [kind] }
  const [, pattern = ""] = /^command\((.+)\)$/.exec(item) ?? []
  return pattern.trim() === "" ? undefined : { commands: [pattern.trim()] }
}

const longest = 4096

/** No control characters, nor any that reorder or hide text. */
const isPlainText = (text: string) => harmless(text) === text && !/[\n\t]/.test(text)
const controls = "has control or invisible characters; type the value again"

const shapes: Readonly<Record<string, { readonly test: (text: string) => boolean; readonly problem: string }>> = {
  path: {
    test: (text) => isAbsolute(text) || text.startsWith("~/") || text === "~",
    problem: "is a relative path, which means another place in each directory; begin it with / or ~/"
  },
  command: {
    test: (text) => isAbsolute(text) || text.startsWith("~/") || !/[/\\]/.test(text),
    problem:
      "is a relative path, which means another program in each directory; use a name on PATH, or begin it with / or ~/"
  },
  variable: {
    test: (text) => /^[A-Za-z_]\w*$/.test(text),
    problem:
      "is not the name of an environment variable; the value itself does not belong here, where other programs read it"
  }
}

const textProblem = (text: string): string | undefined => {
  if (text.trim() === "") return "is empty; remove the key instead"
  if (!isPlainText(text)) return controls
  return text.length > longest ? `is longer than ${longest} characters` : undefined
}

const durationProblem = (value: unknown) =>
  typeof value === "string" &&
  Option.isSome(Option.filter(Duration.fromInput(value as Duration.Input), Duration.isPositive))
    ? undefined
    : 'is not a duration above 0, such as "7 days" or "12 hours"'

const listProblem = (value: unknown) => {
  if (!Array.isArray(value) || !value.every(Predicate.isString))
    return 'is not a list of texts, such as ["Read", "Bash(git *)"]'
  return value.length > 1000
    ? "has more than 1000 items"
    : value.map(textProblem).find((problem) => problem !== undefined)
}

const filesProblem = (value: unknown) => {
  const wrong = Array.isArray(value) ? value.find((item) => !isRelativePath(String(item))) : undefined
  return wrong === undefined
    ? undefined
    : `has ${JSON.stringify(String(wrong).slice(0, 100))}, which is not a path below the directory, such as ".env"`
}

const requestsProblem = (value: unknown) => {
  const wrong = Array.isArray(value) ? value.find((item) => readRequest(String(item)) === undefined) : undefined
  return wrong === undefined
    ? undefined
    : `has ${JSON.stringify(String(wrong).slice(0, 100))}, which is not one of ${requestWords.join(", ")}${hintFor(String(wrong), requestWords)}`
}

const idHelp = "write to the bot, and /whoami shows the id"

/** Refuses user names: they change hands, and their next owner would be let in. */
const personProblem = ({ person }: ChannelKind, item: unknown): string | undefined => {
  const text = Number.isSafeInteger(item) ? String(item) : item
  if (!Predicate.isString(text) || !isPlainText(text))
    return `contains something that is not an id, such as ${person.example}: ${idHelp}`
  if (person.isRight(text)) return undefined
  const name = JSON.stringify(text.slice(0, 64))
  const problem = person.problem?.(text)
  if (problem !== undefined) return `has ${/^[-\w]+$/.test(text) ? text : name}, which ${problem}`
  return person.isName(text)
    ? `has the user name ${name}: user names change hands; ${idHelp}`
    : `has ${name}, which is not an id, such as ${person.example}: ${idHelp}`
}

const peopleProblem = (of: ChannelKind, value: unknown) => {
  if (!Array.isArray(value)) return `is not a list of ids, such as [${of.person.example}]`
  if (value.length > 1000) return "has more than 1000 items"
  return value.map((item) => personProblem(of, item)).find((problem) => problem !== undefined)
}

/** Without TLS, anyone on the network path could read the token. */
const serverProblem = (value: unknown) => {
  if (!Predicate.isString(value) || !isPlainText(value) || !URL.canParse(value))
    return 'is not the address of a server, such as "http://127.0.0.1:8081"'
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  if (username !== "" || password !== "" || search !== "" || hash !== "")
    return "has a name, a password, or something behind ? or #, which no server is given"
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname.replace(/^\[|\]$/g, "")))) return undefined
  return "needs https, unless the server is on this machine: the token goes there"
}

const secretProblem = ({ variable, isRight, what }: SecretKind, value: unknown) => {
  if (!Predicate.isString(value)) return `is not a text: write { env = "${variable}" }, or { file = "…" }`
  return isRight(value) ? undefined : `is not ${what}`
}

const othersListed = "; `reins agents` lists the others"

const choiceProblem = (of: ReadonlyArray<string>, value: unknown) => {
  if (Predicate.isString(value) && of.includes(value)) return undefined
  const subject = Predicate.isString(value) && isPlainText(value) ? `${JSON.stringify(value.slice(0, 100))} is` : "is"
  // Elsewhere a permission mode that plans first.
  const isPlanMode = value === "auto" && of.includes("accept-edits")
  const hint = isPlanMode
    ? '; planning first is set for a chat: planMode = "auto"'
    : Predicate.isString(value)
      ? hintFor(value, of)
      : ""
  const { few, areAll } = fewNames(of)
  return `${subject} not one of ${few.join(", ")}${hint}${areAll || hint !== "" ? "" : othersListed}`
}

const zoneProblem = (zone: string) =>
  isZone(zone) ? undefined : `${JSON.stringify(zone.slice(0, 64))} is not a time zone, such as "Europe/Berlin" or "UTC"`

const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

const isAmount = (value: unknown) => typeof value === "number" && value > 0 && value <= 1_000_000

const isHost = (host: string) =>
  isIP(host) !== 0 || /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d-]+)*$/i.test(host)

/** Forms whose values are not texts. */
const others: { readonly [Kind in Form["kind"]]?: (value: unknown) => string | undefined } = {
  duration: durationProblem,
  texts: listProblem,
  files: (value) => listProblem(value) ?? filesProblem(value),
  requests: (value) => listProblem(value) ?? requestsProblem(value),
  port: (value) =>
    isWhole(value, 1, 65_535) ? undefined : "is not a port: a whole number from 1 to 65535, without quotes",
  amount: (value) => (isAmount(value) ? undefined : "is not an amount of US dollars above 0, without quotes"),
  switch: (value) => (Predicate.isBoolean(value) ? undefined : "is neither true nor false, without quotes"),
  rate: (value) => (isRate(value) ? undefined : `is not ${aRate}`),
  server: serverProblem,
  word: (value) =>
    Predicate.isString(value) && /^[a-z][a-z0-9_-]{0,31}$/i.test(value) ? undefined : 'is not a word, such as "high"',
  // Which ones a channel has is checked where the channel is known.
  chat: (value) =>
    Predicate.isString(value) && /^[^\s\p{C}]{1,64}$/u.test(value)
      ? undefined
      : "is not the id of a chat as a text in quotes; /whoami shows it there",
  phone: (value) =>
    /^\d{5,30}$/.test(String(value))
      ? undefined
      : "is not an id of digits alone, such as 106540352242922, which API Setup shows",
  label: (value) =>
    Predicate.isString(value) && isLabel(value)
      ? undefined
      : "is not a name of letters, digits, . _ and -, of 60 characters at most",
  header: (value) =>
    Predicate.isString(value) && /^[a-z][a-z\d-]{0,63}$/i.test(value)
      ? undefined
      : 'is not the name of a header, such as "X-Request-Id"',
  bytes: (value) =>
    isWhole(value, 1_000, 25_000_000) ? undefined : "is not a number of bytes from 1000 to 25000000, without quotes",
  budgets: () => "is a list of tables: write [[budgets]] above the keys of each, with an editor",
  positive: (value) => (isWhole(value, 1, 1_000) ? undefined : "is not a whole number from 1 to 1000, without quotes"),
  count: (value) => (isWhole(value, 0, 1_000_000) ? undefined : "is not a whole number from 0 to 1000000")
}

/** Part of a path of a URL. */
export const isLabel = (text: string): boolean => /^[A-Za-z\d][\w.-]{0,59}$/.test(text)

const longestTemplate = 8_000

const templateProblem = (value: unknown): string | undefined => {
  if (!Predicate.isString(value)) return 'is not a text; put it in quotes, three of them for several lines: """'
  if (value.trim() === "") return "is empty: write what the agent is to do"
  if (harmless(value) !== value) return controls
  if (value.length > longestTemplate) return `is longer than ${longestTemplate} characters`
  return Result.match(parseTemplate(value), { onSuccess: () => undefined, onFailure: (problem) => problem })
}

const statusProblem = (canStore: boolean, value: unknown): string | undefined =>
  isWhole(value, 400, 599) || (canStore && value === 202)
    ? undefined
    : `is not an HTTP status from 400 to 599${canStore ? ", or 202" : ""}, without quotes`

/** The problem of a key's value, to follow its name. */
export const problemOf = (form: Form, value: unknown): string | undefined => {
  if (form.kind === "choice") return choiceProblem(form.of, value)
  if (form.kind === "people") return peopleProblem(form.of, value)
  if (form.kind === "secret") return secretProblem(form.of, value)
  if (form.kind === "status") return statusProblem(form.canStore, value)
  if (form.kind === "template") return templateProblem(value)
  const other = others[form.kind]
  if (other !== undefined) return other(value)
  if (!Predicate.isString(value)) return "is not a text; put it in quotes"
  const shape = shapes[form.kind]
  if (form.kind === "zone") return textProblem(value) ?? zoneProblem(value)
  if (form.kind === "host")
    return textProblem(value) ?? (isHost(value) ? undefined : 'is neither an address nor a name, such as "127.0.0.1"')
  return textProblem(value) ?? (shape === undefined || shape.test(value) ? undefined : shape.problem)
}

/** `A,B(x, y)` → `A` and `B(x, y)`: a comma in parentheses is part of an item. */
const itemsOf = (list: string): ReadonlyArray<string> =>
  list
    .split(/,(?![^(]*\))/)
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** `7d`, as flags take it → `7 days`, as a file has it. */
const inWords = (text: string) => {
  const [, amount, unit = ""] = /^(\d+)\s*(d|h|m|min|s)$/.exec(text.trim()) ?? []
  const words: Readonly<Record<string, string>> = { d: "days", h: "hours", m: "minutes", min: "minutes", s: "seconds" }
  return amount === undefined ? text.trim() : `${amount} ${words[unit]}`
}

const wholes: ReadonlySet<Form["kind"]> = new Set(["count", "positive", "port", "bytes", "status"])

const typedValue = ({ kind }: Form, text: string): Value => {
  if (kind === "texts" || kind === "files" || kind === "requests" || kind === "people") return itemsOf(text)
  if (wholes.has(kind) && /^\d+$/.test(text)) return Number(text)
  if ((kind === "rate" || kind === "amount") && /^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (kind === "switch" && /^(?:true|false)$/.test(text)) return text === "true"
  return kind === "duration" ? inWords(text) : text
}

export const readValue = (form: Form, text: string): Result.Result<Value, string> => {
  if (form.kind === "secret")
    return Result.fail(
      `does not belong on a command line, which others can see: set ${form.key}.file or ${form.key}.env`
    )
  const value = typedValue(form, text)
  const problem = problemOf(form, value)
  return problem === undefined ? Result.succeed(value) : Result.fail(problem)
}
