/** What a run waits for, as far as its events tell: a rate limit, a retry, its turn, a person; and whether it is silent. Pure. */

import { announcedWaitMs } from "../../agents/engine/announcedWait.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import { shortLine } from "../../contract/text/oneLine.ts"

/** For the agent's own account of a wait, in characters. */
const longestMessage = 200

export type Wait =
  /** In ms since 1970. */
  | { readonly type: "rate_limit" | "retry"; readonly since: number; readonly until: number }
  | { readonly type: "queued"; readonly message: string }

export interface Waits {
  readonly wait: Wait | undefined
  /** Titles of what a person is asked, by the ids of the requests. */
  readonly asked: ReadonlyMap<string, string>
  /** For how long nothing was heard; undefined: something was. */
  readonly silentMs: number | undefined
  /** Silences that were told in this run. */
  readonly silences: number
}

export const noWaits: Waits = { wait: undefined, asked: new Map(), silentMs: undefined, silences: 0 }

/** Of one run. */
const mostSilences = 10

const asking = (waits: Waits, requestId: string, title: string): Waits => ({
  ...waits,
  asked: new Map(waits.asked).set(requestId, title)
})

const answered = (waits: Waits, requestId: string): Waits => {
  const asked = new Map(waits.asked)
  asked.delete(requestId)
  return { ...waits, asked }
}

const stalled = (waits: Waits, { data }: NoticeEvent): Waits => {
  const silentMs = data?.["silentMs"]
  if (waits.asked.size > 0 || waits.silences >= mostSilences || typeof silentMs !== "number") return waits
  return { ...waits, silentMs, silences: waits.silences + 1 }
}

const noticed = (waits: Waits, notice: NoticeEvent, at: number): Waits => {
  if (notice.kind === "stalled") return stalled(waits, notice)
  const heard = { ...waits, silentMs: undefined }
  if (notice.kind === "queued") {
    return { ...heard, wait: { type: "queued", message: shortLine(notice.message, longestMessage) } }
  }
  if (notice.kind !== "retry" && notice.kind !== "rate_limit") return heard
  const waitMs = announcedWaitMs(notice, at)
  return waitMs === undefined ? heard : { ...heard, wait: { type: notice.kind, since: at, until: at + waitMs } }
}

/** Whatever the agent does ends its wait. */
export const waitsAfter = (before: Waits, event: AgentEvent, at: number): Waits => {
  if (event.type === "notice") return noticed(before, event, at)
  const isSame = before.wait === undefined && before.silentMs === undefined
  const waits = isSame ? before : { ...before, wait: undefined, silentMs: undefined }
  switch (event.type) {
    case "permission_request":
      return asking(waits, event.requestId, shortLine(event.title, longestMessage))
    case "question":
      return asking(waits, event.requestId, shortLine(event.questions[0]?.question ?? "", longestMessage))
    case "permission_decision":
    case "question_answer":
      return answered(waits, event.requestId)
    default:
      return waits
  }
}
