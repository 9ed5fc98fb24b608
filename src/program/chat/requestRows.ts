/**
 * A whole request as rows for a screen; pure. The first two cells of each row belong to this program: no text of a request
 * can pass for another kind of row, or for a row of the program.
 */
import { Predicate } from "effect"
import { editsScopeOf } from "../../agents/approvals/plannedEdits.ts"
import { prettyJson } from "../../contract/eventJson.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { plural } from "../../contract/text/amounts.ts"
import { escapedBy, exact } from "../../contract/text/harmless.ts"
import { clip, oneLine } from "../format.ts"
import { marks } from "../style.ts"
import { wrap } from "../wrap.ts"
import { scopeKeys, withEdits } from "./choices.ts"

/** Deeper inputs cannot be allowed. */
const deepest = 64

const collect = (value: unknown, into: Set<string>, depth: number): void => {
  if (Predicate.isString(value)) into.add(value)
  else if (depth < deepest && Predicate.isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      into.add(name)
      collect(member, into, depth + 1)
    }
  } else if (depth < deepest && Array.isArray(value)) for (const member of value) collect(member, into, depth + 1)
}

/** A text that several fields hold counts once. */
const hiddenIn = (request: PermissionRequestEvent): number => {
  const { toolName, command, directory, doubt, paths, edits, plan, reason, input } = request
  const texts = new Set<string>()
  collect([toolName, command, directory, doubt, paths, edits, plan, reason, input], texts, 0)
  return [...texts].reduce((sum, text) => sum + escapedBy(text), 0)
}

const activities: { readonly [Kind in PermissionRequestEvent["kind"]]: string } = {
  command: "run a command",
  file_change: "change files",
  read: "read",
  search: "search",
  web: "use the network",
  mcp: "call a tool of an MCP server",
  subagent: "start a sub-agent",
  plan: "carry out its plan",
  question: "ask a question",
  other: "use a tool"
}

/** The agent and what it asks for; a request outside of the sandbox is marked in capitals, which need no colour. */
export const requestHead = (agent: string, { kind, toolName, escalated }: PermissionRequestEvent): string =>
  `${oneLine(agent)} asks to ${activities[kind]}${escalated ? " OUTSIDE ITS SANDBOX" : ""} (${clip(nameOf(toolName), mostOfName)})`

const mostOfName = 24
const nameOf = (toolName: string) => exact(oneLine(toolName))

/** The text to decide on. Requests that a person is asked always have a preview. */
const requestText = ({ preview, plan, command, input }: PermissionRequestEvent): string =>
  preview ?? plan ?? command ?? prettyJson(input ?? null)

/** The first cells of a row, and of one that continues the row above. */
const rowStart = "  "
const continuation = "↳ "

const rowsOf = (line: string, width: number, first: string): ReadonlyArray<string> =>
  hanging(line, Math.max(2, width - 2)).map((row, index) => (index === 0 ? first : continuation) + row)

/** Further rows are indented by 2, where there is room for that. */
const hanging = (line: string, width: number): ReadonlyArray<string> => {
  const [first = "", ...more] = wrap(line, width)
  if (more.length === 0 || width < leastForIndent) return [first, ...more]
  return [first, ...wrap(line.slice(first.length), width - 2).map((row) => `  ${row}`)]
}

const leastForIndent = 30

export const headRows = (text: string, width: number): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - 2)).map((row, index) => (index === 0 ? `${marks.ask} ` : rowStart) + row)

const textRows = (text: string, width: number): ReadonlyArray<string> =>
  exact(text)
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((line) => rowsOf(line, width, rowStart))

/** For each key that remembers its answer, a sentence about the requests that it covers. */
const scopeRows = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => {
  const { scopes, kind } = request
  if (kind === "plan") {
    const covers = editsScopeOf(request)?.covers
    return covers === undefined ? [] : rowsOf(exact(covers), width, `${withEdits.key} `)
  }
  if (scopes.length === 0) {
    return rowsOf("It is not certain what it does, so no answer can be remembered.", width, "! ")
  }
  return scopeKeys(request).flatMap(({ key, scope }) =>
    rowsOf(`always: ${exact(scope.covers).replace(/\s+/g, " ")}`, width, `${key} `)
  )
}

/** A cache: the screen is drawn many times a second, and a request can be long. */
const laidOut = new WeakMap<PermissionRequestEvent, { readonly width: number; readonly rows: ReadonlyArray<string> }>()

export const requestRows = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => {
  const known = laidOut.get(request)
  if (known?.width === width) return known.rows
  const rows = rowsFor(request, width)
  laidOut.set(request, { width, rows })
  return rows
}

const rowsFor = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => [
  ...(nameOf(request.toolName).length > mostOfName ? textRows(`tool: ${request.toolName}`, width) : []),
  ...textRows(requestText(request), width),
  ...hiddenRows(request, width),
  ...scopeRows(request, width)
]

/** The text has the escapes of such characters. */
const hiddenRows = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => {
  const count = hiddenIn(request)
  return count === 0 ? [] : rowsOf(`${plural(count, "character")} here cannot be seen`, width, "! ")
}
