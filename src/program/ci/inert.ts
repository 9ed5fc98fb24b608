/**
 * Text of others in the log of a CI: what the runner would take for a command, with which a job is changed, is broken by a
 * blank; pure. A blank before it is not enough: GitHub drops those before `::`, and finds `##[` anywhere in a row.
 */
import { formatElapsed } from "../../contract/text/amounts.ts"
import { labelIn, type Transcript } from "../blocks.ts"
import { clip } from "../format.ts"
import { marks, roomOf, type Surface } from "../style.ts"

/** Between two rows. */
export const stillEveryMs = 60_000

/** Returns undefined while it is not needed. `writtenAt`: time of the last output. */
export const stillRow = (
  transcript: Transcript,
  surface: Surface,
  writtenAt: number,
  now: number
): string | undefined => {
  if (now - writtenAt < stillEveryMs) return undefined
  const [tool] = transcript.actions.open.values()
  const since = tool?.startedAt ?? transcript.lastEventAt ?? writtenAt
  const { name, title } = tool === undefined ? { name: "thinking", title: "" } : labelIn(transcript, tool)
  const elapsed = formatElapsed(now - since).replace(" 0 s", "")
  const what = clip(`${name} ${title}`.trim(), roomOf(surface) - elapsed.length - 12)
  return `${marks.notice} still: ${what}, ${elapsed}`
}

const broken = (text: string): string => text.replace(/^(\s*:)(?=:)/gm, "$1 ").replace(/##(?:vso)?(?=\[)/gi, "$& ")

/** As much of the end of a row as can begin a command. */
const endOf = (row: string): string => {
  const end = row.replace(/^\s+/, " ")
  return end.length <= 8 ? end : `x${end.slice(-5)}`
}

/** `before`: the end of the row that the text goes on with, as the step before gave it; first "". */
export const inert = (before: string, text: string): readonly [end: string, text: string] => {
  const all = broken(before + text)
  return [endOf(all.slice(all.lastIndexOf("\n") + 1)), all.slice(before.length)]
}
