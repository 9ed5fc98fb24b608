/** A person of the page: writes, watches the rows, answers what is asked, chooses for what was interrupted, and leaves. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Page } from "../../../test/program/serve/room.ts"
import { answerTo, type Case, isDeadly, messagesOf, textOf } from "./plan.ts"

/** The outcome of a conversation. */
export interface Visit {
  readonly case: Case
  /** Ids of messages that the page has taken. */
  readonly taken: ReadonlyArray<string>
  readonly choices: ReadonlyArray<Case["choice"]>
  /** How often each answer was shown. */
  readonly shown: Readonly<Record<string, number>>
  /** It came to its end. */
  readonly isServed: boolean
  /** The last rows, for debugging. */
  readonly last: ReadonlyArray<string>
  /** Answers of the page that it should not give. */
  readonly refused: ReadonlyArray<string>
  /** How often it asked to see what was kept back or may be missing. */
  readonly shows: number
  /** How often nothing was allowed, though it was asked for. */
  readonly denied: number
  /** Words of the page when its store took nothing. */
  readonly excuses: ReadonlyArray<string>
  /** Its last words to the page were answered. */
  readonly isDismissed: boolean
}

interface Row {
  readonly row: string
  readonly what?: string
  readonly turn?: string
  readonly text?: string
  readonly event?: {
    readonly type: string
    readonly text?: string
    readonly requestId?: string
    readonly decision?: string
    readonly by?: string
  }
}

const lookMs = 20
/** The page has a rate limit: it is not polled all the time. */
const againMs = 200

export const visit = async (page: Page, own: Case, isOver: () => boolean): Promise<Visit> => {
  const conversation = randomUUID()
  const headers = { authorization: `Bearer ${page.key}`, "content-type": "application/json" }
  const rows = new Map<number, Row>()
  const taken: Array<string> = []
  const choices: Array<Case["choice"]> = []
  const refused: Array<string> = []
  const excuses = new Set<string>()
  const visible = new Set<number>()
  const leaving = new AbortController()
  let last = 0
  /** Its activity, for debugging. */
  let doing = ""

  /** One stream after the other; each goes on where the one before ended. */
  const watch = async () => {
    while (!leaving.signal.aborted) {
      const cut = own.cutMs === undefined ? [] : [AbortSignal.timeout(own.cutMs)]
      try {
        const url = `${page.base}/events?conversation=${conversation}&after=${last}`
        const response = await fetch(url, { headers, signal: AbortSignal.any([leaving.signal, ...cut]) })
        if (response.status !== 200) {
          await response.arrayBuffer()
          throw new Error(`events: ${response.status}`)
        }
        let text = ""
        const decoder = new TextDecoder()
        for await (const bytes of response.body ?? []) {
          text += decoder.decode(bytes, { stream: true })
          const frames = text.split("\n\n")
          text = frames.pop() ?? ""
          for (const frame of frames) take(frame)
        }
      } catch {
        await sleep(againMs)
      }
    }
  }

  const take = (frame: string) => {
    const id = Number(/^id: ?(\d+)$/m.exec(frame)?.[1])
    const data = /^data: ?(.*)$/m.exec(frame)?.[1]
    if (!(id > 0) || data === undefined) return
    last = Math.max(last, id)
    rows.set(id, JSON.parse(data))
  }

  /** Until the page says that it has it; the same id does nothing twice. */
  const post = async (path: string, body: object): Promise<boolean> => {
    let isFirst = true
    while (!isOver()) {
      doing = `asks ${path}`
      const hasty = own.isHasty && isFirst ? { signal: AbortSignal.timeout(2) } : {}
      isFirst = false
      try {
        const response = await fetch(`${page.base}/${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
          ...hasty
        })
        const answer = await response.text()
        doing = `was answered ${response.status} by ${path}`
        if (response.ok) return true
        if (response.status === 503) excuses.add(answer.slice(0, 200))
        if (response.status !== 503 && response.status !== 429) {
          refused.push(`${path}: ${response.status} ${answer.slice(0, 200)}`)
          return false
        }
      } catch {
        // No host, or one that died meanwhile.
      }
      await sleep(againMs)
    }
    return false
  }

  const all = () => [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row)
  const words = () =>
    all().flatMap((row) => [
      row.event?.type === "text" ? (row.event.text ?? "") : "",
      row.row === "said" ? (row.text ?? "") : ""
    ])
  const isAnswered = (message: string) => words().some((text) => text.includes(answerTo(message)))

  const answered = new Set<string>()
  /** The present question of the page. */
  const decide = async () => {
    for (const row of all()) {
      const { requestId = "" } = row.event ?? {}
      if (row.event?.type === "permission_request" && !answered.has(requestId)) {
        answered.add(requestId)
        const press = { do: "decide", requestId, decision: "allow" }
        await post("press", { id: randomUUID(), conversation, press })
      }
    }
    for (const [id, { row, what }] of [...rows]) {
      if (row !== "host" || what !== "missing" || visible.has(id)) continue
      visible.add(id)
      await post("press", { id: randomUUID(), conversation, press: { do: "show", row: id } })
    }
    const request = all().filter(({ row, what }) => row === "host" && what === "interrupted")
    while (choices.length < request.length) {
      const turn = request[choices.length]?.turn ?? ""
      choices.push(own.choice)
      await post("press", { id: randomUUID(), conversation, press: { do: "interrupted", turn, choice: own.choice } })
    }
  }

  /** Turns that came to nothing, as people are told: one that is only to be tried again has a `done`, too. */
  const crashes = () => all().filter(({ row, text = "" }) => row === "said" && text.includes("crashed")).length

  const say = async (message: string): Promise<boolean> => {
    const [crashedBefore, request] = [crashes(), choices.length]
    const id = randomUUID()
    if (!(await post("messages", { id, conversation, text: textOf(own, message) }))) return false
    taken.push(id)
    while (!isOver()) {
      await decide()
      const isGivenUp = own.choice !== "again" && choices.length > request
      if (isAnswered(message) || isGivenUp || (isDeadly(own) && crashes() > crashedBefore)) return true
      await sleep(lookMs)
    }
    return false
  }

  const watching = watch()
  let isServed = true
  for (const message of messagesOf(own)) isServed = isServed && (await say(message))
  // Its live session ends with it.
  const bye = randomUUID()
  const isBegun = () => all().some(({ text = "" }) => text.startsWith("A new session begins"))
  if (isServed && (await post("messages", { id: bye, conversation, text: "/new" }))) {
    while (!isOver() && !isBegun()) {
      await decide()
      await sleep(lookMs)
    }
  }
  leaving.abort()
  await watching
  const copies = Object.fromEntries(
    messagesOf(own).map((message) => [message, words().filter((text) => text.includes(answerTo(message))).length])
  )
  const names = all().map(({ row, what, event, text = "" }) =>
    [row, what ?? event?.type ?? "", text.slice(0, 60)].join(" ")
  )
  return {
    case: own,
    taken,
    choices,
    shown: copies,
    isServed,
    refused,
    shows: visible.size,
    denied: all().filter(
      ({ event }) => event?.type === "permission_decision" && event.decision === "deny" && event.by !== "end"
    ).length,
    excuses: [...excuses],
    isDismissed: !isServed || isBegun(),
    last: [`${taken.length} taken, ${doing}`, ...names.slice(-12)]
  }
}
