/**
 * All of a request, as rows for a screen; pure. Two cells at the beginning of each row are ours: nothing that is asked
 * for can pass for another row than it is, nor for a row of this program.
 */

import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { exact } from "../../text/harmless.ts"
import { prettyJson } from "../eventJson.ts"
import { clip, oneLine } from "../format.ts"
import { marks } from "../style.ts"
import { wrap } from "../wrap.ts"
import { scopeKeys } from "./choices.ts"

const deeds: { readonly [Kind in PermissionRequestEvent["kind"]]: string } = {
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

/** Who asks for what; for requests outside of the sandbox in capitals, which need no colour. */
export const requestHead = (agent: string, { kind, toolName, escalated }: PermissionRequestEvent): string =>
  `${oneLine(agent)} asks to ${deeds[kind]}${escalated ? " OUTSIDE ITS SANDBOX" : ""} (${clip(nameOf(toolName), mostOfName)})`

const mostOfName = 24

const nameOf = (toolName: string) => exact(oneLine(toolName))

/** What is shown of a request before it is answered; the preview where there is one, and that is wherever a person is asked. */
const requestText = ({ preview, plan, command, input }: PermissionRequestEvent): string =>
  preview ?? plan ?? command ?? prettyJson(input ?? null)

/** A row of the request, and one that goes on with the row above. */
const rowStart = "  "
export const goesOn = "↳ "

const rowsOf = (line: string, width: number, first: string): ReadonlyArray<string> =>
  wrap(line, Math.max(2, width - 2)).map((row, index) => (index === 0 ? first : goesOn) + row)

export const headRows = (text: string, width: number): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - 2)).map((row, index) => (index === 0 ? `${marks.ask} ` : rowStart) + row)

const textRows = (text: string, width: number): ReadonlyArray<string> =>
  exact(text)
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((line) => rowsOf(line, width, rowStart))

/** What each key that remembers would cover, in whole sentences. */
const scopeRows = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => {
  const { scopes, kind } = request
  if (kind === "plan") return []
  if (scopes.length === 0) {
    return rowsOf("It does not say for certain what it does, so no answer can be remembered.", width, "! ")
  }
  return scopeKeys(request).flatMap(({ key, scope }) =>
    rowsOf(`always: ${exact(scope.covers).replace(/\s+/g, " ")}`, width, `${key} `)
  )
}

/** The screen is drawn many times a second, and a request can be long. */
const laidOut = new WeakMap<PermissionRequestEvent, { readonly width: number; readonly rows: ReadonlyArray<string> }>()

export const requestRows = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => {
  const known = laidOut.get(request)
  if (known?.width === width) return known.rows
  const rows = rowsFor(request, width)
  laidOut.set(request, { width, rows })
  return rows
}

const rowsFor = (request: PermissionRequestEvent, width: number): ReadonlyArray<string> => [
  // Whole where the head has no room for it.
  ...(nameOf(request.toolName).length > mostOfName ? textRows(`tool: ${request.toolName}`, width) : []),
  ...textRows(requestText(request), width),
  ...scopeRows(request, width)
]
