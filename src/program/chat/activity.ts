/** The rows that say what is going on: the running tools, three at most, or what the agent does and since when; pure. */
import { formatElapsed } from "../../contract/text/amounts.ts"
import type { Transcript } from "../blocks.ts"
import { clip } from "../format.ts"
import { noText } from "../markdown/openText.ts"
import { statusBelow, waitText } from "../status.ts"
import { paint, type Surface, spinner } from "../style.ts"
import type { Chat } from "./chatState.ts"

const mostTools = 3

const doing = (chat: Chat, { isDone, session, page, open }: Transcript): string => {
  if (isDone) return "leaving"
  if (chat.isInterrupted || chat.isLeaving) return "stopping"
  if (session === undefined) return "starting"
  return page.block === "text" || open !== noText ? "writing" : "thinking"
}

/** The last row counts those that are not shown. */
const atMost = (rows: ReadonlyArray<string>, surface: Surface, tools: number): ReadonlyArray<string> => {
  if (tools <= mostTools) return rows
  const shown = rows.slice(0, mostTools - 1)
  return [...shown, paint(surface, "dim", `  … and ${tools - shown.length} more`)]
}

export const activityRows = (
  chat: Chat,
  transcript: Transcript,
  surface: Surface,
  now: number
): ReadonlyArray<string> => {
  const isEnding = chat.isInterrupted || chat.isLeaving
  if (!chat.isBusy && !isEnding) return []
  const tools = transcript.actions.open.size
  if (tools > 0 && !isEnding) {
    return atMost(statusBelow(transcript, surface, now, false), surface, tools)
  }
  const since = formatElapsed(now - (chat.busySince ?? transcript.lastEventAt ?? now))
  const progress = transcript.progress === undefined ? "" : ` · ${transcript.progress}`
  const hint = isEnding ? "" : " · Ctrl-C interrupts"
  const wait = isEnding ? undefined : waitText(transcript, now)
  const words = `${wait ?? `${doing(chat, transcript)}  ${since}`}${progress}${hint}`
  return [`${paint(surface, "cyan", spinner(now))} ${paint(surface, "dim", clip(words, surface.columns - 3))}`]
}
