/** Actions of people: write, edit, delete, press, call a command. The app gets the events that Slack would send. */
import { randomUUID } from "node:crypto"
import type { SentFile } from "../telegram/files.ts"
import { buttonsOf } from "./blocks.ts"
import { tellChanged, tellDeleted, tellPosted } from "./events.ts"
import { limits } from "./limits.ts"
import { messageOf, type SlackMessage, shownOf } from "./messages.ts"
import type { Params } from "./params.ts"
import type { Kept, KeptPlace, SlackPerson } from "./places.ts"
import type { World } from "./world.ts"

export type SlackWho = string | SlackPerson

/** A message by its chat and its `ts`. */
export type SlackMessageKey = Pick<SlackMessage, "chat" | "messageId">

export interface SlackSaying {
  /** Default: Ann, `U1001`. */
  readonly from?: SlackWho
  /** `D…`: a direct chat; `C…`: a channel; `G…`: a private channel. Default: the direct chat of the sender, `D1001`. */
  readonly chat?: string
  /** The message whose thread it is written in. */
  readonly thread?: string
  /** Shown in the channel as well. */
  readonly broadcast?: boolean
  readonly document?: SentFile
  readonly photo?: SentFile
  readonly voice?: SentFile
  /** More members of the message, and others than it has, such as `text` in Slack's markup. */
  readonly more?: Params
}

const ann: SlackPerson = { id: "U1001", name: "Ann" }

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export const makePeople = (world: World) => {
  const { clock, files, me, people, places, responses, sockets, acknowledgements, team } = world
  const personOf = (who: SlackWho = ann): SlackPerson => {
    const known = typeof who === "string" ? (people.get(who) ?? (who === ann.id ? ann : undefined)) : who
    const person = known ?? { id: String(who), name: `Person ${String(who)}` }
    people.set(person.id, person)
    return person
  }
  const messageAt = ({ chat, messageId }: SlackMessageKey) => {
    const place = places.get(chat)
    const message = place === undefined ? undefined : places.messageOf(place, messageId)
    if (place === undefined || message === undefined) throw new Error(`unknown message ${messageId} in chat ${chat}`)
    return { place, message }
  }
  const placeFor = (chat: string | undefined, person: SlackPerson) =>
    chat === undefined ? places.direct(person.id) : places.open(chat)

  /** All that a person types: names become mentions, and everything else stays as it was typed. */
  const markup = (text: string) => {
    const named = [...people.values()].reduce(
      (all, { id, name }) => all.replaceAll(`@${name}`, `<@${id}>`),
      escaped(text)
    )
    return named.replaceAll(/https?:\/\/[^\s<>]+/g, (url) => `<${url}>`)
  }

  const say = (text: string, options: SlackSaying = {}): SlackMessage => {
    if (text.startsWith("/")) throw new Error("Slack takes what begins with / as a command: use `command`")
    const { from: who, chat, thread, broadcast = false, document, photo, voice, more = {} } = options
    const person = personOf(who)
    const place = placeFor(chat, person)
    const root = thread === undefined ? undefined : places.rootOf(place, thread).ts
    const fileOf = (sent: SentFile | undefined, isVoice: boolean) => {
      if (sent === undefined) return []
      const { name = isVoice ? "audio_message.m4a" : "file", content, mimeType, bytes } = sent
      const bytesOf = typeof content === "string" ? new TextEncoder().encode(content) : content
      const typed = mimeType ?? (isVoice ? "audio/mp4" : undefined)
      const facts = { name, content: bytesOf, isVoice, user: person.id }
      return [files.add({ ...facts, ...(typed && { mimeType: typed }), ...(bytes !== undefined && { bytes }) })]
    }
    const sent = [...fileOf(document, false), ...fileOf(photo, false), ...fileOf(voice, true)]
    const isBroadcast = broadcast && root !== undefined
    const message = places.add(place, {
      user: person.id,
      isOurs: false,
      text: markup(text),
      thread: root,
      isBroadcast,
      files: sent,
      subtype: sent.length > 0 ? "file_share" : isBroadcast ? "thread_broadcast" : undefined,
      more: { client_msg_id: randomUUID(), ...more }
    })
    for (const file of sent) file.shares.push({ place, ts: message.ts, thread: root })
    tellPosted(world, place, message)
    return shownOf(world, place, message)
  }

  /** All that a press and a command have in common. */
  const interaction = (person: SlackPerson, place: KeptPlace, message: Kept | undefined) => {
    const press = `${clock.now()}.${responses.size + 1}.made-up`
    const token = randomUUID()
    const untilMs = clock.now() + limits.responses.untilMs
    responses.set(token, {
      press,
      chat: place.id,
      message: message?.ts,
      thread: message?.thread,
      until: untilMs,
      left: limits.responses.most
    })
    const acknowledged = () => {
      if (!acknowledgements.some((each) => each.press === press))
        acknowledgements.push({ press, text: "", at: clock.now() })
    }
    return { press, acknowledged, responseUrl: `${world.root()}/actions/${team.id}/${token}`, user: person }
  }

  const press = (
    key: SlackMessageKey,
    label: string | { readonly data: string },
    { from }: { readonly from?: SlackWho } = {}
  ): string => {
    const { place, message } = messageAt(key)
    const buttons = buttonsOf(message.blocks)
    const button = buttons.find((each) =>
      typeof label === "string" ? each.label === label : each.value === label.data
    )
    if (button === undefined && typeof label === "string")
      throw new Error(`message ${key.messageId} has no button ${label}`)
    const person = personOf(from ?? place.user)
    const { press: id, acknowledged, responseUrl } = interaction(person, place, message)
    const value = button?.value ?? (typeof label === "object" ? label.data : undefined)
    sockets.deliver({
      type: "interactive",
      acknowledged,
      lost: (isHeard) => isHeard && world.violated("block_actions", "a press was not acknowledged within 3 s"),
      payload: {
        type: "block_actions",
        user: { id: person.id, username: person.name.toLowerCase(), name: person.name.toLowerCase(), team_id: team.id },
        api_app_id: me.appId,
        token: "made-up-verification-token",
        container: {
          type: "message",
          message_ts: message.ts,
          channel_id: place.id,
          is_ephemeral: false,
          ...(message.thread === undefined ? {} : { thread_ts: message.thread })
        },
        trigger_id: id,
        team: { id: team.id, domain: team.domain },
        enterprise: null,
        is_enterprise_install: false,
        channel: { id: place.id, name: place.kind === "im" ? "directmessage" : place.name },
        message: messageOf(world, place, message),
        state: { values: {} },
        response_url: responseUrl,
        actions: [
          {
            type: "button",
            action_id: button?.actionId ?? "made-up",
            block_id: button?.blockId ?? "made-up",
            text: { type: "plain_text", text: button?.label ?? "made up", emoji: true },
            ...(value === undefined ? {} : { value }),
            action_ts: places.nextTs()
          }
        ]
      }
    })
    return id
  }

  /** `/name text` in a chat, never in a thread. Returns the id of it. */
  const command = (text: string, { from, chat }: { readonly from?: SlackWho; readonly chat?: string } = {}): string => {
    const [, name, words] = /^(\/\S+)\s*(.*)$/s.exec(text) ?? []
    if (name === undefined || words === undefined) throw new Error("a command begins with /")
    const person = personOf(from)
    const place = placeFor(chat, person)
    const { press: id, acknowledged, responseUrl } = interaction(person, place, undefined)
    sockets.deliver({
      type: "slash_commands",
      acknowledged,
      lost: (isHeard) => isHeard && world.violated("slash_commands", "a command was not acknowledged within 3 s"),
      payload: {
        token: "made-up-verification-token",
        team_id: team.id,
        team_domain: team.domain,
        channel_id: place.id,
        channel_name: place.kind === "im" ? "directmessage" : place.name,
        user_id: person.id,
        user_name: person.name.toLowerCase(),
        command: name,
        text: escaped(words),
        api_app_id: me.appId,
        is_enterprise_install: "false",
        response_url: responseUrl,
        trigger_id: id
      }
    })
    return id
  }

  return {
    say,
    press,
    command,
    personOf,
    edit: (key: SlackMessageKey, text: string) => {
      const { place, message } = messageAt(key)
      if (message.isOurs) throw new Error(`message ${key.messageId} is the bot's`)
      const before = messageOf(world, place, message)
      message.text = markup(text)
      message.editedAt = clock.now()
      tellChanged(world, place, message, before)
    },
    /** Slack adds the preview of a link: a change without another text. */
    preview: (key: SlackMessageKey, url: string) => {
      const { place, message } = messageAt(key)
      const before = messageOf(world, place, message)
      message.more = { ...message.more, attachments: [{ id: 1, from_url: url, original_url: url, title: "A page" }] }
      tellChanged(world, place, message, before)
    },
    /** Deletes a message of either side. The root of a thread leaves a stone behind. */
    withdraw: (key: SlackMessageKey) => {
      const { place, message } = messageAt(key)
      withdrawIn(world, place, message)
    }
  }
}

/** Also what `chat.delete` does. */
export const withdrawIn = (world: World, place: KeptPlace, message: Kept) => {
  const { places } = world
  const before = messageOf(world, place, message)
  if (places.repliesOf(place, message.ts).length === 0) {
    places.remove(place, message.ts)
    return tellDeleted(world, place, before)
  }
  Object.assign(message, { text: "This message was deleted.", blocks: [], files: [], subtype: "tombstone" })
  message.more = { hidden: true }
  tellChanged(world, place, message, before)
}
