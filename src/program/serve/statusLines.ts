/** The status of a host, as lines for people; pure. */
import { formatDuration, plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import { localTime } from "../localTime.ts"
import type { ServeStatus } from "./readStatus.ts"

const line = (label: string, text: string) => `${label.padEnd(9)} ${text}`

/** @param key Of the page, for its owner's own terminal. */
export const statusLines = (
  { accounts, running, waiting, unsent, next }: ServeStatus,
  now: number,
  key: string | undefined
): ReadonlyArray<string> => {
  const served = accounts.filter(({ isServed }) => isServed)
  const mark = served.map((account) => account.mark).find((each) => each !== undefined)
  const since = mark === undefined ? "" : ` for ${formatDuration(Math.max(0, now - mark.startedAt))}, pid ${mark.pid}`
  const { failed, held, unknown } = unsent
  return [
    line("serve", `runs${since}`),
    ...(mark === undefined ? [] : [line("page", `${harmless(mark.address)}${key === undefined ? "" : `#key=${key}`}`)]),
    ...(mark === undefined ? [] : [line("directory", harmless(mark.directory))]),
    line(
      "channels",
      served
        .map(({ channel, accountId }) => harmless(channel === accountId ? channel : `${channel} (${accountId})`))
        .join(", ")
    ),
    line("at work", plural(running, "conversation")),
    line("waiting", plural(waiting, "conversation")),
    line("not sent", `${failed} failed, ${held} held until the person writes, ${unknown} not known`),
    ...next.map(({ at, prompt }) => line("next", `${localTime(at)}  ${shortLine(prompt, 60)}`))
  ]
}
