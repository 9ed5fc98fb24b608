/** Rules of the platform: lengths, buttons, rates, blocked windows. Violations are recorded. */
import type { ChannelLimits } from "../../bridge/messages/Channel.ts"
import type { SendReason, TooFastScope } from "../../bridge/messages/SendError.ts"
import type { Body } from "./body.ts"

export type ScriptedMethod = "send" | "find" | "edit" | "remove" | "acknowledge" | "download"
/** A reason; `cutBefore`/`cutAfter`: not done/done, the caller cannot know; `hang`: not done, never answered. */
export type ScriptedFault = SendReason | "cutBefore" | "cutAfter" | "hang"

export const makeFaults = () => {
  const waiting: Array<{ readonly method: ScriptedMethod; readonly fault: ScriptedFault }> = []
  return {
    add: (method: ScriptedMethod, fault: ScriptedFault, times: number) => {
      for (let index = 0; index < times; index++) waiting.push({ method, fault })
    },
    /** Once each, in their order. */
    take: (method: ScriptedMethod): ScriptedFault | undefined => {
      const at = waiting.findIndex((each) => each.method === method)
      return at < 0 ? undefined : waiting.splice(at, 1)[0]?.fault
    }
  }
}

export interface Violation {
  /**
   * - `text`, `buttons`, `label`, `data`: beyond a limit. `empty`: nothing to show. `foreign`: the body of another channel.
   * - `pace`: more often than allowed. `forbidden`: called before the `retryAfterMs` of a `TooFast` was over.
   * - `order`: confirmed before one that was heard earlier. `acknowledged twice`: a press.
   */
  readonly rule:
    | "text"
    | "buttons"
    | "label"
    | "data"
    | "empty"
    | "foreign"
    | "pace"
    | "forbidden"
    | "order"
    | "acknowledged twice"
  readonly detail: string
  /** In ms since 1970. */
  readonly at: number
}

export type Broken = Pick<Violation, "rule" | "detail">

const bytesOf = (text: string) => new TextEncoder().encode(text).length

export const brokenBy = (body: Body, hasFile: boolean, { text, buttons }: ChannelLimits): Broken | undefined => {
  const all = body.buttons.flat()
  if (body.text.trim() === "" && !hasFile) return { rule: "empty", detail: "a message without text and file" }
  if (body.text.length > text) return { rule: "text", detail: `${body.text.length} of ${text} UTF-16 units` }
  if (all.length > buttons.most) return { rule: "buttons", detail: `${all.length} of ${buttons.most} buttons` }
  const label = all.find((button) => button.label.length > buttons.label || button.label.trim() === "")
  if (label !== undefined) return { rule: "label", detail: `${label.label.length} of ${buttons.label} UTF-16 units` }
  const data = all.find((button) => bytesOf(button.data) > buttons.data)
  return data && { rule: "data", detail: `${bytesOf(data.data)} of ${buttons.data} bytes` }
}

type TooFast = Extract<SendReason, { readonly _tag: "TooFast" }>

export interface Write {
  readonly method: "send" | "edit" | "remove"
  readonly chatId: string
  readonly isGroup: boolean
}

/** Windows that block a write. */
const scopesOf = ({ method }: Write): ReadonlyArray<TooFastScope> =>
  method === "send" ? ["account", "chat"] : ["account", "chat", "edits", "allEdits"]

const nameOf = (scope: TooFastScope, chatId: string) =>
  scope === "account" || scope === "allEdits" ? scope : `${scope} ${chatId}`
const minute = 60_000

export const makePacing = ({ pace }: ChannelLimits) => {
  const until = new Map<string, number>()
  const writes: Array<Write & { readonly at: number }> = []
  const forbid = ({ retryAfterMs, scope }: TooFast, chatId: string, now: number) => {
    const name = nameOf(scope, chatId)
    until.set(name, Math.max(until.get(name) ?? 0, now + retryAfterMs))
  }

  /** Time until a used-up budget has room. */
  const overBudget = ({ method, chatId, isGroup }: Write, now: number): TooFast | undefined => {
    const { allPerSecond, directPerMinute, directBurst = 0, groupPerMinute, editsPerMinute } = pace
    const waitOf = (some: typeof writes, most: number | undefined, spanMs: number) => {
      const recent = some.filter(({ at }) => at > now - spanMs)
      const oldest = recent[recent.length - (most ?? Number.POSITIVE_INFINITY)]
      return oldest === undefined ? 0 : oldest.at + spanMs - now
    }
    const perMinute = isGroup ? groupPerMinute : directPerMinute
    const most = perMinute && (isGroup ? perMinute : Math.max(perMinute, directBurst))
    const spanMs = most && perMinute ? (most / perMinute) * minute : minute
    const own = writes.filter((write) => write.chatId === chatId)
    const edits = method === "edit" ? writes.filter((write) => write.method === "edit") : []
    const waits: ReadonlyArray<Omit<TooFast, "_tag">> = [
      { scope: "chat", retryAfterMs: waitOf(own, most, spanMs) },
      { scope: "account", retryAfterMs: waitOf(writes, allPerSecond, 1000) },
      { scope: "allEdits", retryAfterMs: waitOf(edits, editsPerMinute, minute) }
    ]
    const longest = waits.reduce((one, other) => (other.retryAfterMs > one.retryAfterMs ? other : one))
    return longest.retryAfterMs <= 0 ? undefined : { _tag: "TooFast", ...longest }
  }

  /** Returns undefined if a write is allowed now, and counts it. */
  const refusal = (write: Write, now: number): (Broken & { readonly reason: TooFast }) | undefined => {
    const { method, chatId } = write
    const leftMs = (scope: TooFastScope) => (until.get(nameOf(scope, chatId)) ?? 0) - now
    const scope = scopesOf(write).find((each) => leftMs(each) > 0)
    if (scope !== undefined) {
      const retryAfterMs = leftMs(scope)
      const detail = `${method} in ${chatId}, ${retryAfterMs} ms before it is allowed`
      return { rule: "forbidden", detail, reason: { _tag: "TooFast", retryAfterMs, scope } }
    }
    const reason = overBudget(write, now)
    if (reason === undefined) {
      writes.push({ ...write, at: now })
      return undefined
    }
    forbid(reason, chatId, now)
    return { rule: "pace", detail: `${method} in ${chatId}: its budget is used up`, reason }
  }
  return { forbid, refusal }
}
