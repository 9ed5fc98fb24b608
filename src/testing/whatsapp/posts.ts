/**
 * Posts to the webhook: signed, repeated until they are answered with 200, several messages and statuses in one, and in any
 * order if a test wants that.
 */
import { createHmac } from "node:crypto"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { ServerClock } from "../telegram/clock.ts"
import { limits } from "./limits.ts"
import { type Account, type Json, type News, postOf, rawOf } from "./payloads.ts"

/** One attempt to post. */
export interface WhatsAppPost {
  /** Counts posts, not attempts. */
  readonly id: number
  readonly attempt: number
  readonly body: Json
  /** In ms since 1970. */
  readonly at: number
  /** Undefined while it has no answer, or if none came. */
  readonly status: number | undefined
}

export interface PostsOptions {
  readonly clock: ServerClock
  readonly account: Account
  readonly appSecret: string
  readonly repeatMs: ReadonlyArray<number>
  readonly perPost: number
  /** Later posts first. */
  readonly isReversed: boolean
  readonly takeFault: () => "cutBefore" | "cutAfter" | undefined
  readonly notify: () => void
}

interface Pending {
  readonly id: number
  readonly news: ReadonlyArray<News>
  readonly since: number
  attempts: number
  isTaken: boolean
}

export const signatureOf = (raw: string, appSecret: string) =>
  `sha256=${createHmac("sha256", appSecret).update(raw).digest("hex")}`

/** Returns the status; undefined if none came. */
const post = (url: string, raw: string, appSecret: string, left: AbortSignal, fault: "cutBefore" | undefined) =>
  new Promise<number | undefined>((resolve) => {
    const send = url.startsWith("https:") ? httpsRequest : httpRequest
    const request = send(url, {
      method: "POST",
      agent: false,
      signal: left,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(raw),
        "user-agent": "facebookexternalua",
        "x-hub-signature-256": signatureOf(raw, appSecret)
      }
    })
    request.on("error", () => resolve(undefined))
    request.on("response", (response) => {
      response.resume()
      response.once("close", () => resolve(response.statusCode))
    })
    if (fault === undefined) return void request.end(raw)
    request.write(raw.slice(0, Math.floor(raw.length / 2)), () => request.destroy())
  })

export const makePosts = (options: PostsOptions) => {
  const { clock, account, appSecret, repeatMs, perPost, isReversed, takeFault, notify } = options
  const attempts: Array<WhatsAppPost> = []
  const pending: Array<Pending> = []
  const open = new Set<AbortController>()
  let address: string | undefined
  let collected: Array<News> = []
  let posts = 0
  let isClosed = false

  const later = (one: Pending) => {
    const waitMs = repeatMs[Math.min(one.attempts - 1, repeatMs.length - 1)] ?? 0
    if (clock.now() + waitMs - one.since > limits.postKeptMs) return
    clock.at(clock.now() + waitMs, () => void deliver(one))
  }

  const deliver = async (one: Pending): Promise<void> => {
    if (isClosed || one.isTaken || address === undefined) return
    one.attempts += 1
    const raw = rawOf(postOf(account, one.news))
    const fault = takeFault()
    const at = attempts.push({
      ...{ id: one.id, attempt: one.attempts, body: JSON.parse(raw), at: clock.now(), status: undefined }
    })
    const leaving = new AbortController()
    open.add(leaving)
    notify()
    const forget = clock.at(clock.now() + limits.postMs, () => leaving.abort())
    const answer = await post(address, raw, appSecret, leaving.signal, fault === "cutBefore" ? fault : undefined)
    const status = fault === "cutAfter" ? undefined : answer
    forget()
    open.delete(leaving)
    const attempt = attempts[at - 1]
    if (attempt !== undefined) attempts[at - 1] = { ...attempt, status }
    one.isTaken = status === 200
    if (!one.isTaken && !isClosed) later(one)
    notify()
  }

  const flush = () => {
    const news = collected
    collected = []
    const batches = Array.from({ length: Math.ceil(news.length / perPost) }, (_, at) =>
      news.slice(at * perPost, (at + 1) * perPost)
    )
    const made = batches.map((batch): Pending => {
      return { id: ++posts, news: batch, since: clock.now(), attempts: 0, isTaken: false }
    })
    pending.push(...made)
    for (const one of isReversed ? made.toReversed() : made) void deliver(one)
    notify()
  }

  return {
    /** Collected until the next turn of the event loop, and posted together. */
    push: (news: News) => {
      if (collected.length === 0) setImmediate(flush)
      collected.push(news)
    },
    /** Posts go there from now on; what is pending, too. */
    to: (url: string) => {
      address = url
      for (const one of pending) if (!one.isTaken) void deliver(one)
    },
    /** The same post once more, also if it was taken. */
    again: (messageId: string) => {
      const found = pending.filter(({ news }) => news.some(({ body }) => body["id"] === messageId))
      for (const { news } of found) {
        const one: Pending = { id: ++posts, news, since: clock.now(), attempts: 0, isTaken: false }
        pending.push(one)
        void deliver(one)
      }
    },
    attempts: (): ReadonlyArray<WhatsAppPost> => [...attempts],
    pending: (): ReadonlyArray<Json> => [
      ...pending.filter(({ isTaken }) => !isTaken).flatMap(({ news }) => news.map(({ body }) => body)),
      ...collected.map(({ body }) => body)
    ],
    confirmed: () => pending.filter(({ isTaken }) => isTaken).length,
    close: () => {
      isClosed = true
      for (const each of open) each.abort()
    }
  }
}
export type Posts = ReturnType<typeof makePosts>
