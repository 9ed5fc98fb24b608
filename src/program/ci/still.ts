/** A row for the log of a CI that has been silent: jobs without output are ended by many; pure. */
import { formatElapsed } from "../../contract/text/amounts.ts"
import { labelIn, type Transcript } from "../blocks.ts"
import { clip } from "../format.ts"
import { marks, roomOf, type Surface } from "../style.ts"

/** Between two rows. */
export const stillEveryMs = 60_000

/** Undefined while there is no need of one. `writtenAt`: when something was written last. */
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
