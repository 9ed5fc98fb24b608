/** Methods that post, change and delete messages (docs: chat.*). */
import { type Block, blocksOf } from "../blocks.ts"
import { tellChanged, tellPosted } from "../events.ts"
import { limits } from "../limits.ts"
import { messageOf } from "../messages.ts"
import { flagOf, isRecord, jsonOf, type Params, textOf } from "../params.ts"
import { withdrawIn } from "../people.ts"
import type { KeptPlace, Metadata } from "../places.ts"
import { beyond, Refusal } from "../refusal.ts"
import type { Method, World } from "../world.ts"

const metadataOf = (params: Params): Metadata | undefined => {
  const value = jsonOf(params, "metadata", "invalid_metadata_format")
  if (value === undefined) return undefined
  const { event_type: type, event_payload: payload } = isRecord(value) ? value : {}
  if (typeof type !== "string" || !/^[\w.:-]{1,255}$/.test(type) || !isRecord(payload))
    throw new Refusal("invalid_metadata_format")
  if (Buffer.byteLength(JSON.stringify(payload)) > limits.metadataBytes)
    throw beyond("metadata_too_large", `more than ${limits.metadataBytes} bytes`)
  return { event_type: type, event_payload: payload }
}

const contentOf = (params: Params): { readonly text: string; readonly blocks: ReadonlyArray<Block> | undefined } => {
  const text = textOf(params, "text")
  const blocks = blocksOf(jsonOf(params, "blocks", "invalid_blocks_format"))
  if (text === "" && (blocks === undefined || blocks.length === 0)) throw new Refusal("no_text")
  return { text, blocks }
}

/** A user's id is their direct chat. */
const targetOf = ({ places, people }: World, params: Params): KeptPlace => {
  const id = textOf(params, "channel")
  if (/^[UW]/.test(id) && people.has(id)) return places.direct(id)
  return places.accessible(id, "write")
}

const ownMessage = ({ places }: World, params: Params, error: string) => {
  const place = places.accessible(textOf(params, "channel"), "write")
  const message = places.messageOf(place, textOf(params, "ts"))
  if (message === undefined || message.subtype === "tombstone") throw new Refusal("message_not_found")
  if (!message.isOurs) throw new Refusal(error)
  return { place, message }
}

const postMessage: Method = {
  scopes: ["chat:write"],
  pace: "post",
  run: (world, params) => {
    const { places, me } = world
    const { text, blocks = [] } = contentOf(params)
    const metadata = metadataOf(params)
    const place = targetOf(world, params)
    const threadTs = textOf(params, "thread_ts")
    const thread = threadTs === "" ? undefined : places.rootOf(place, threadTs).ts
    const isBroadcast = thread !== undefined && flagOf(params, "reply_broadcast")
    const message = places.add(place, {
      user: me.id,
      isOurs: true,
      text: text.slice(0, limits.text),
      blocks,
      metadata,
      thread,
      isBroadcast,
      subtype: isBroadcast ? "thread_broadcast" : undefined
    })
    tellPosted(world, place, message)
    return { channel: place.id, ts: message.ts, message: messageOf(world, place, message) }
  }
}

const update: Method = {
  scopes: ["chat:write"],
  pace: "update",
  run: (world, params) => {
    const { text, blocks } = contentOf(params)
    const bytes = Buffer.byteLength(text)
    if (bytes > limits.updateTextBytes)
      throw beyond("msg_too_long", `a text of ${bytes} bytes, more than ${limits.updateTextBytes}`)
    const metadata = metadataOf(params)
    const { place, message } = ownMessage(world, params, "cant_update_message")
    const before = messageOf(world, place, message)
    // A text alone takes the blocks away; blocks alone leave the text.
    Object.assign(message, {
      text: text === "" ? message.text : text,
      blocks: blocks ?? [],
      metadata: metadata ?? message.metadata,
      editedAt: world.clock.now()
    })
    tellChanged(world, place, message, before)
    return { channel: place.id, ts: message.ts, text: message.text, message: messageOf(world, place, message) }
  }
}

const remove: Method = {
  scopes: ["chat:write"],
  pace: "tier3",
  run: (world, params) => {
    const { place, message } = ownMessage(world, params, "cant_delete_message")
    withdrawIn(world, place, message)
    return { channel: place.id, ts: message.ts }
  }
}

export const chat: Readonly<Record<string, Method>> = {
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.delete": remove
}
