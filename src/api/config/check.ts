/** The text of `reins.toml` → the configuration, or all its problems, each with its line. Pure. */
import { join } from "node:path"
import { Result } from "effect"
import * as Toml from "effect/encoding/Toml"
import { fewNames } from "../../contract/CliSupport.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { ConfigurationProblem } from "../../contract/ConfigurationError.ts"
import { hintFor, suggestionFor } from "../../contract/suggestions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { checkBudgets } from "../../money/ledger/budgets/definition.ts"
import { priceProblems } from "../../money/prices/checkPrices.ts"
import { channelOf } from "./channels.ts"
import { crossChecks, type Found, keyText, readableSecrets } from "./crossChecks.ts"
import { isAt, lineOfItem, lineOfKey, type Places, placesIn } from "./document.ts"
import { isTable, type Path } from "./edit.ts"
import { isLabel, problemOf } from "./forms.ts"
import { agentIds, isOpenPart, isSupported, type Key, keyAt, keys, namesIn } from "./keys.ts"
import { problemsOfWebhooks, readableWebhookSecrets } from "./webhooks.ts"

/** Checks a name that the user chooses, by the table that it belongs to. */
const nameProblem = (above: Path, text: string): string | undefined => {
  const group = above.length === 2 && above[1] === "groups" ? channelOf(above[0])?.group : undefined
  if (group !== undefined)
    return group.isRight(text) ? undefined : `is not the id of a group, such as ${group.example}; the log names it`
  if (isAt(above, ["chats"]))
    return /^[^\s\p{C}]{1,64}$/u.test(text) && !text.startsWith("@")
      ? undefined
      : "is not the id of a chat; /whoami shows it"
  if (isAt(above, ["gateway", "targets"]))
    return /^[\w.-]{1,60}$/.test(text) ? undefined : "is not a name for agents: use letters, digits, . _ -"
  if (isAt(above, ["webhooks"]))
    return isLabel(text) ? undefined : "is not a name for a path: use letters, digits, . _ and -, at most 60 of them"
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(text)
    ? undefined
    : "is not a name: use letters, digits, spaces, . _ and -, at most 64"
}

/** The same checks as for budgets of a caller of the library. */
const problemsOfBudgets = (value: unknown): ReadonlyArray<Found> => {
  if (!Array.isArray(value) || !value.every(isTable))
    return [{ path: ["budgets"], problem: "budgets is a list of tables: write [[budgets]] above the keys of each" }]
  const checked = checkBudgets({ budgets: value })
  if (Result.isSuccess(checked)) return []
  const { option, problem } = checked.failure
  const path = option.split(".")
  const [, index = "0", ...field] = path
  const name = harmless(String(value[Number(index)]?.name ?? Number(index) + 1)).slice(0, 64)
  const words = [...field, problem.replace(/^Expected /, "needs ")].join(" ")
  return [{ path, problem: `budgets ${JSON.stringify(name)}: ${words}` }]
}

const problemsOfPrices = (value: unknown): ReadonlyArray<Found> =>
  priceProblems(value).map(({ path: below, problem }) => {
    const path = ["prices", ...below]
    return { path, problem: `${keyText(path)} ${problem}` }
  })

const problemsAt = (path: Path, value: unknown): ReadonlyArray<Found> => {
  if (path.length === 1 && path[0] === "budgets") return problemsOfBudgets(value)
  if (path.length === 1 && path[0] === "prices") return problemsOfPrices(value)
  const found = (problem: string) => [{ path, problem: `${keyText(path)} ${problem}` }]
  const known = keyAt(path)
  // A secret can be stored elsewhere: then the value is a table.
  if (known !== undefined && !(known.form.kind === "secret" && isTable(value))) {
    const [place, agent = "", option = ""] = path
    if (place === "agents" && !isSupported(agent, option))
      return found(`has no effect: ${agent} has no such option; remove it`)
    const problem = problemOf(known.form, value)
    return problem === undefined ? [] : found(problem)
  }
  const [above, name = ""] = [path.slice(0, -1), path.at(-1)]
  const { names, isOpen } = namesIn(above)
  const isKnown = isOpen || names.includes(name)
  if (!isKnown) {
    const where = above.length === 0 ? "" : ` of [${keyText(above)}]`
    const { few, areAll } = fewNames(names)
    const list = ` (known${where}: ${few.join(", ")}${areAll ? "" : "; `reins agents` lists the others"})`
    // Other programs have a table for each agent at the top.
    const isAgent = above.length === 0 && agentIds.some((id) => id === name)
    const ofAgent = above.length === 0 ? suggestionFor(name, namesIn(["agents", "claude"]).names) : undefined
    const hint = isAgent
      ? `; its options stand in [agents.${name}]`
      : hintFor(name, names) || (ofAgent === undefined ? "" : `; ${ofAgent} stands in [agents.NAME]`)
    return [{ path, problem: `unknown key ${JSON.stringify(keyText([name]))}${hint || list}` }]
  }
  const wrongName = isOpen ? nameProblem(above, name) : undefined
  if (wrongName !== undefined) return found(wrongName)
  if (!isTable(value)) return found(`is a table: write [${keyText(path)}] above its keys`)
  return Object.entries(value).flatMap(([inner, innerValue]) => problemsAt([...path, inner], innerValue))
}

const absolute = (home: string | undefined, path: string) =>
  path === "~" || path.startsWith("~/") ? join(home ?? "/", path.slice(1)) : path

const withPaths = (value: unknown, path: Path, home: string | undefined): unknown => {
  const kind = keyAt(path)?.form.kind
  if (kind === "people" && Array.isArray(value)) return value.map(String)
  if (kind === "phone") return String(value)
  if (typeof value === "string") return kind === "path" || kind === "command" ? absolute(home, value) : value
  if (!isTable(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withPaths(inner, [...path, name], home)])
  )
}

interface Source {
  readonly file: string
  readonly text: string
  /** The directory for `~`. */
  readonly home: string | undefined
  /** Whether only the owner can read it. Default: true. */
  readonly isPrivate?: boolean
}

type Checked = Result.Result<Configuration, ReadonlyArray<ConfigurationProblem>>

const lineInMessage = /^(.*) at line (\d+), column \d+$/s

/** Removes values that the message of the parser quotes: they may be secrets. */
const syntaxProblem = (message: string): ConfigurationProblem => {
  const [, problem = message, line] = lineInMessage.exec(message) ?? []
  const what = problem
    .replace(/'[\s\S]*'$/, (quoted) => (quoted.length > 3 && /^(?:Invalid value|Integer)/.test(problem) ? "" : quoted))
    .trim()
  const cure = what.startsWith("Invalid value")
    ? "; a text stands in quotes"
    : what.startsWith("Integer out of range")
      ? "; an id of so many digits stands in quotes"
      : ""
  return { ...(line === undefined ? {} : { line: Number(line) }), problem: harmless(`is not TOML: ${what}${cure}`) }
}

const lineOfProblem = (text: string, places: Places, path: Path) => {
  const [list, index, name] = path
  return list === "budgets" && index !== undefined
    ? lineOfItem(text, places, list, Number(index), name)
    : lineOfKey(text, places, path)
}

export const checkText = ({ file, text, home, isPrivate = true }: Source): Checked => {
  const parsed = Toml.parse(text)
  if (Result.isFailure(parsed)) return Result.fail([syntaxProblem(parsed.failure.message)])
  const values = parsed.success
  const each = Object.entries(values).flatMap(([name, value]) => problemsAt([name], value))
  const ofPlaces = isPrivate ? [] : [...readableSecrets(file, values), ...readableWebhookSecrets(file, values)]
  const found = each.length > 0 ? each : [...crossChecks(values), ...problemsOfWebhooks(values), ...ofPlaces]
  if (found.length === 0) {
    const configured = { agents: {}, directories: {}, ...(withPaths(values, [], home) as object) }
    return Result.succeed({ file, ...configured })
  }
  const places = placesIn(text)
  const problems = found.map(({ path, problem }) => {
    const line = lineOfProblem(text, places, path)
    return { ...(line === undefined ? {} : { line }), key: keyText(path), problem }
  })
  return Result.fail(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)))
}

/** Parses the name of a key on a command line, such as `agents.claude.model` or `directories."my shop".path`. */
export const parseKey = (name: string): Result.Result<{ readonly key: Key; readonly path: Path }, string> => {
  const parsed = name.length > 200 || /[\n\r]/.test(name) ? undefined : Toml.parse(`${name} = 0`)
  const path: Array<string> = []
  if (parsed !== undefined && Result.isSuccess(parsed)) {
    for (let at: unknown = parsed.success; isTable(at); at = Object.values(at)[0]) path.push(Object.keys(at)[0] ?? "")
  }
  const key = keyAt(path)
  if (key !== undefined) {
    const at = key.path.findIndex(isOpenPart)
    const isRight = at === -1 || path[0] === "prices" || nameProblem(path.slice(0, at), path[at] ?? "") === undefined
    if (isRight) return Result.succeed({ key, path })
  }
  const wrong = path.findIndex((part, index) => {
    const { names, isOpen } = namesIn(path.slice(0, index))
    return !(isOpen || names.includes(part))
  })
  const table = path.slice(0, wrong === -1 ? path.length : wrong)
  const { names, isOpen } = namesIn(table)
  const hint = wrong === -1 ? "" : hintFor(path[wrong] ?? "", names)
  const next = isOpen ? "a name" : names.join(", ")
  const known =
    names.length === 0 && !isOpen
      ? keys.map((each) => each.path.join(".")).join(", ")
      : `${table.length === 0 ? "" : `${keyText(table)}.`}{${next}}`
  return Result.fail(`${JSON.stringify(harmless(name.slice(0, 100)))} is not a key${hint || `: ${known}`}`)
}
