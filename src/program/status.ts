/**
 * The status of a silent run on a terminal: a spinner with the running tools or the elapsed time, drawn after the transcript
 * and wiped before its next piece. Pure.
 */
import { stripVTControlCharacters } from "node:util"
import { CliOutput } from "effect/cli"
import { formatElapsed } from "../contract/text/amounts.ts"
import { labelIn, type Transcript, waitedFor } from "./blocks.ts"
import { clip } from "./format.ts"
import { noText, openRows } from "./markdown/openText.ts"
import { type Below, below, nothingBelow } from "./redraw.ts"
import { printable, sequence } from "./sequences.ts"
import { paint, roomOf, type Surface, spinner } from "./style.ts"
import { toolLabel } from "./toolLines.ts"

const shownTools = 4
const shownAfterMs = 300
const shownInLineAfterMs = 1500

/** Clips code, which is not wrapped: this text is drawn over. */
const onOneRow = (row: string, surface: Surface): string => {
  const bare = stripVTControlCharacters(printable(row))
  return CliOutput.displayWidth(bare) <= roomOf(surface) ? row : clip(bare.replaceAll("\t", "  "), roomOf(surface))
}

/** The end of the unwritten answer, in at most a third of the screen. */
export const answerRows = ({ open, page }: Transcript, surface: Surface, screenRows: number): ReadonlyArray<string> => {
  if (open === noText || !surface.live) return []
  const rows = openRows(open, surface, Math.max(1, Math.floor(screenRows / 3))).map((row) => onOneRow(row, surface))
  const goesOn = (open.isContinued || open.fence?.hasRows === true) && page.block === "text"
  return rows.length === 0 || page.feeds > 1 || goesOn ? rows : ["", ...rows]
}

export const statusOf = (
  transcript: Transcript,
  surface: Surface,
  now: number,
  isStopping: boolean,
  screenRows = 24
): Below => {
  const silentMs = now - (transcript.lastEventAt ?? now)
  const isBusy = transcript.actions.open.size > 0 || isStopping
  const { page } = transcript
  if (page.feeds === 0)
    return silentMs < shownInLineAfterMs ? nothingBelow : inLine(page.column, surface, silentMs, now)
  const answer = answerRows(transcript, surface, screenRows)
  const isShown = isBusy || silentMs >= (answer.length > 0 ? shownInLineAfterMs : shownAfterMs)
  const gap = answer.length > 0 || (page.feeds === 1 && page.block !== "lines") ? [""] : []
  const status = isShown ? [...gap, ...statusLines(transcript, surface, now, silentMs, isStopping)] : []
  return below([...answer, ...status])
}

/** In the middle of a line: drawn after it; the cursor moves back to where the text continues. */
const inLine = (column: number, surface: Surface, silentMs: number, now: number): Below => {
  const text = ` ${spinner(now)} ${formatElapsed(silentMs)}`
  const at = column % surface.columns
  const isFull = at === 0 && column > 0
  if (isFull || at + text.length >= surface.columns) return nothingBelow
  const drawn = `${sequence("\x1b7")}${paint(surface, "dim", text)}${sequence("\x1b8")}`
  return { text: drawn, wipe: sequence("\x1b[K"), height: 0 }
}

/** Lines for a footer below the transcript. */
export const statusBelow = (
  transcript: Transcript,
  surface: Surface,
  now: number,
  isStopping: boolean
): ReadonlyArray<string> => {
  const silentMs = now - (transcript.lastEventAt ?? now)
  const shownAfter = transcript.page.feeds === 0 ? shownInLineAfterMs : shownAfterMs
  const isBusy = transcript.actions.open.size > 0 || isStopping
  return isBusy || silentMs >= shownAfter ? statusLines(transcript, surface, now, silentMs, isStopping) : []
}

const statusLines = (
  transcript: Transcript,
  surface: Surface,
  now: number,
  silentMs: number,
  isStopping: boolean
): ReadonlyArray<string> => {
  const mark = paint(surface, "cyan", spinner(now))
  const room = roomOf(surface) - 2
  const tools = [...transcript.actions.open.values()]
  if (isStopping || transcript.isDone || tools.length === 0) {
    const wait = isStopping ? undefined : waitText(transcript, now)
    const text = wait ?? `${doing(transcript, isStopping)}… ${formatElapsed(silentMs)}`
    const progress = transcript.progress === undefined ? "" : ` · ${transcript.progress}`
    return [`${mark} ${paint(surface, "dim", clip(text + progress, room))}`]
  }
  const labels = tools.slice(0, tools.length > shownTools ? shownTools - 1 : shownTools).map((tool) => {
    const waitedMs = waitedFor(transcript.waits, tool.id)
    const elapsed = formatElapsed(now - (tool.startedAt ?? now) - waitedMs)
    const label = toolLabel(surface, labelIn(transcript, tool), room - elapsed.length - 2)
    return `${mark} ${label}  ${paint(surface, "dim", elapsed)}`
  })
  const more = tools.length - labels.length
  return more === 0 ? labels : [...labels, paint(surface, "dim", `  … and ${more} more`)]
}

export const waitText = ({ waitsUntil }: Transcript, now: number): string | undefined =>
  waitsUntil === undefined || waitsUntil <= now ? undefined : `again in ${formatElapsed(waitsUntil - now)}`

const doing = (transcript: Transcript, isStopping: boolean): string => {
  if (isStopping) return "stopping"
  if (transcript.isDone) return "leaving"
  if (transcript.session === undefined) return "starting"
  return transcript.open === noText ? "thinking" : "writing"
}
