/** The frame of a view: one row of title, the text, and one row of keys, as many rows as the screen has; pure. */

import { plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { clip, oneLine } from "../format.ts"
import { marks, paint, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import type { Call } from "./calls.ts"
import type { Chat } from "./chatState.ts"
import { viewed } from "./panel.ts"
import { requestHead, requestRows } from "./requestRows.ts"
import type { View } from "./view.ts"

export interface ViewScene {
  readonly surface: Surface
  readonly rows: number
  readonly agent: string
}

interface Content {
  readonly title: string
  readonly rows: ReadonlyArray<string>
  readonly keys: string
}

const callRows = ({ output, left }: Call, width: number): ReadonlyArray<string> => {
  if (output === undefined) return ["  it has not ended yet"]
  const lines = harmless(output).replaceAll("\t", "  ").replace(/\n+$/, "").split("\n")
  const digits = String(lines.length).length
  const numbered = lines.flatMap((line, index) =>
    wrap(line, Math.max(2, width - digits - 2)).map(
      (row, part) => `${(part === 0 ? String(index + 1) : "").padStart(digits)}  ${row}`
    )
  )
  return left === 0 ? numbered : [`… ${plural(left, "character")} before this are not kept`, ...numbered]
}

const contentOf = (chat: Chat, { of }: View, agent: string, width: number): Content | undefined => {
  const { panel, calls } = chat
  if (of._tag === "Request") {
    if (panel?._tag !== "Keys") return undefined
    const rows = requestRows(panel.request, width)
    return { title: `${marks.ask} ${requestHead(agent, panel.request)}`, rows, keys: "q back · ↑↓ PgDn · / find" }
  }
  const call = calls[of.at]
  if (call === undefined) return undefined
  const state = call.output === undefined ? "" : `${call.isError ? marks.failed : marks.ok} `
  const title = `${state}${oneLine(call.title)} · call ${of.at + 1} of ${calls.length}`
  return { title, rows: callRows(call, width), keys: "q back · ↑↓ PgDn · ←→ other call · / find" }
}

/** A search goes on from its row, and begins again at the first. */
const sought = (view: View, rows: ReadonlyArray<string>): View => {
  const { seek, search } = view
  if (seek === undefined) return view
  const words = search.toLowerCase()
  const has = (row: string) => words !== "" && row.toLowerCase().includes(words)
  const next = rows.findIndex((row, index) => index >= seek && has(row))
  const found = next === -1 ? rows.findIndex(has) : next
  return { ...view, seek: undefined, top: found === -1 ? view.top : found }
}

const footRow = (view: View, keys: string) => {
  const { top, room, count, search, isTyping } = view
  if (isTyping) return `find: ${search}`
  const last = Math.min(count, top + room)
  const place = `rows ${Math.min(top + 1, count)}–${last} of ${count}${last >= count ? " · end" : ""}`
  return `${place} · ${keys}`
}

/** The chat once the frame is on the screen, and its rows; none where what it shows is gone. */
export const viewFrame = (chat: Chat, view: View, scene: ViewScene): readonly [Chat, ReadonlyArray<string>] => {
  const { surface, rows: screenRows, agent } = scene
  const width = Math.max(4, surface.columns - 1)
  const content = contentOf(chat, view, agent, width)
  if (content === undefined) return [{ ...chat, view: undefined }, []]
  const room = Math.max(1, screenRows - 2)
  const count = content.rows.length
  const aimed = sought(view, content.rows)
  const placed = { ...aimed, room, count, top: Math.max(0, Math.min(aimed.top, count - room)) }
  const { panel } = chat
  const isRequest = view.of._tag === "Request" && panel?._tag === "Keys"
  const next = isRequest ? viewed(panel, { layout: `${width}`, top: placed.top, room, count }) : panel
  const shown = content.rows.slice(placed.top, placed.top + room)
  const fill = Array.from({ length: room - shown.length }, () => "")
  const lines = [
    paint(surface, "bold", clip(content.title, width)),
    ...shown,
    ...fill,
    paint(surface, "dim", clip(footRow(placed, content.keys), width))
  ]
  return [{ ...chat, panel: next, view: placed }, lines]
}
