/** Updates for the bot: kept a day or until a higher `offset` confirms them; one poll at a time (api#getupdates). */
import type { ServerClock } from "./clock.ts"
import { limits } from "./limits.ts"
import { integerOf, jsonOf, type Params } from "./params.ts"
import { badRequest, conflict, otherPoller, type Refusal } from "./refusal.ts"

/** As sent: a made-up one need not be an update. */
export type SentUpdate = Readonly<Record<string, unknown>> & { readonly update_id: number }
/** Sent only if requested by name. */
const onlyByName = ["chat_member", "message_reaction", "message_reaction_count"]

interface Poll {
  readonly offset: number
  readonly most: number
  readonly answer: (updates: ReadonlyArray<SentUpdate>) => void
  readonly refuse: (refusal: Refusal) => void
  /** Cancels its timeout. */
  readonly forget: () => void
}

export const makeUpdates = (clock: ServerClock, firstId: number) => {
  let waiting: ReadonlyArray<{ readonly at: number; readonly update: SentUpdate }> = []
  let nextId = firstId
  let allowed: ReadonlyArray<string> | undefined
  let webhook = ""
  let open: Poll | undefined
  let confirmed = 0
  let last = { offset: Number.NaN, at: 0 }
  const list = () => {
    waiting = waiting.filter(({ at }) => at > clock.now() - limits.updates.keptMs)
    return waiting
  }
  const isAhead = (offset: number) => offset > nextId + limits.updates.ahead
  const ready = ({ offset, most }: Pick<Poll, "offset" | "most">) =>
    list()
      .filter(({ update }) => update.update_id >= offset || isAhead(offset))
      .slice(0, most)
      .map(({ update }) => update)

  /** Permanent: a lower offset does not bring them back. */
  const confirm = (offset: number) => {
    const before = list().length
    if (isAhead(offset)) return
    if (offset < 0) waiting = waiting.slice(offset)
    else waiting = waiting.filter(({ update }) => update.update_id >= offset)
    confirmed += before - waiting.length
  }

  const isAllowed = (update: SentUpdate) => {
    const kinds = Object.keys(update).filter((key) => key !== "update_id")
    return kinds.every((kind) => (allowed === undefined ? !onlyByName.includes(kind) : allowed.includes(kind)))
  }

  const end = () => {
    const poll = open
    open = undefined
    poll?.forget()
    return poll
  }

  /** Adds the next id if it has none; drops kinds that the bot did not request, unless a test made them up. */
  const push = (update: Readonly<Record<string, unknown>>, isMadeUp = false): number => {
    const input = update["update_id"]
    const id = typeof input === "number" ? input : nextId
    nextId = id + 1
    const sent = { update_id: id, ...update }
    if (!isMadeUp && !isAllowed(sent)) return id
    waiting = [...waiting, { at: clock.now(), update: sent }]
    const poll = open
    const found = poll === undefined ? [] : ready(poll)
    if (found.length > 0) end()?.answer(found)
    return id
  }

  /** Their number, and the seconds to wait: fewer for a repeated offset. */
  const allowedBy = (params: Params, offset: number) => {
    const { most, timeoutSeconds, againSeconds, hurryMs } = limits.updates
    const limit = integerOf(params, "limit") ?? most
    const seconds = Math.min(Math.max(integerOf(params, "timeout") ?? 0, 0), timeoutSeconds)
    const sinceMs = last.offset === offset ? clock.now() - last.at : Number.POSITIVE_INFINITY
    last = { offset, at: clock.now() }
    return {
      most: sinceMs < hurryMs ? 1 : Math.min(Math.max(limit, 1), most),
      timeout: sinceMs < againSeconds * 1_000 ? Math.max(seconds, againSeconds) : seconds
    }
  }

  const poll = (params: Params, left: AbortSignal): Promise<ReadonlyArray<SentUpdate>> => {
    if (webhook !== "")
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
      )
    const names = jsonOf(params, "allowed_updates")
    if (Array.isArray(names)) allowed = names.length === 0 ? undefined : names.map(String)
    const offset = integerOf(params, "offset") ?? 0
    const { most, timeout } = allowedBy(params, offset)
    confirm(offset)
    const found = ready({ offset, most })
    if (found.length > 0 || timeout === 0) return Promise.resolve(found)
    end()?.refuse(otherPoller())
    return new Promise<ReadonlyArray<SentUpdate>>((resolve, reject) => {
      const stop = () => {
        if (open === own) end()?.answer([])
      }
      const forget = clock.at(clock.now() + timeout * 1_000, stop)
      left.addEventListener("abort", stop, { once: true })
      const own: Poll = { offset, most, answer: resolve, refuse: reject, forget }
      open = own
    })
  }

  const hook = (url: string, drops: boolean) => {
    if (url !== "" && !/^https:\/\/[^/.]+\.[^/]/.test(url))
      throw badRequest("bad webhook: An HTTPS URL must be provided for webhook")
    if (url !== "") end()?.refuse(conflict("terminated by setWebhook request"))
    webhook = url
    if (drops) waiting = []
  }

  return {
    push,
    poll,
    hook,
    refuse: (refusal: Refusal) => end()?.refuse(refusal),
    webhook: () => webhook,
    pending: () => list().map(({ update }) => update),
    confirmed: () => confirmed
  }
}

export type Updates = ReturnType<typeof makeUpdates>
