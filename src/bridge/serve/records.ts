/** Commands about stored data of a chat: usage, sessions, transcripts, files. Each sees only its own conversation. */
import { Clock, Effect, Stream } from "effect"
import type { SessionInfo } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { formatCost, formatCount, formatDuration, plural } from "../../contract/text/amounts.ts"
import type { UsageSum } from "../../contract/Usage.ts"
import { untraced } from "../../contract/untraced.ts"
import type { Command } from "../commands/command.ts"
import { takeCopy } from "../gateway/copies.ts"
import { openInside } from "../gateway/insideFile.ts"
import type { Channel } from "../messages/Channel.ts"
import { type Conversation, conversationParts } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import { accountOf } from "../turn/agents.ts"
import { Account, Bridge } from "./account.ts"
import { Files } from "./files.ts"

type RecordCommand = Extract<Command, { _tag: "Usage" | "Sessions" | "Resume" | "Export" | "Files" }>

const mostListed = 10
/** Length of a shown prefix of an id. */
const idLength = 8

export const textReply = (text: string): ReplyPayload => ({ text })

const sumText = ({ runs, tokens, costUsd, unpriced }: UsageSum): string => {
  const cost = runs === unpriced.runs ? "cost unknown" : formatCost(costUsd)
  const more = unpriced.runs > 0 && runs > unpriced.runs ? ` and ${plural(unpriced.runs, "run")} of unknown cost` : ""
  return `${plural(runs, "run")}, ${formatCount(tokens.total)} tokens, ${cost}${more}`
}

/** A title is untrusted: its markup has no effect. */
const inCode = (text: string) => `\`${text.replaceAll("`", "'").slice(0, 60)}\``

const sessionText = ({ costUsd, isCostPartial, turns }: SessionInfo): string =>
  [
    ...(turns === undefined ? [] : [plural(turns, "turn")]),
    ...(costUsd === undefined ? [] : [`${formatCost(costUsd)}${isCostPartial === true ? " and more" : ""}`])
  ].join(", ")

/** The file, if the channel supports it. */
export const fileReplyOf =
  ({ render }: Pick<Channel, "render">) =>
  (path: string | undefined): ReplyPayload =>
    path !== undefined && render({ mediaUrls: [path] }).some(({ file }) => file === path)
      ? { mediaUrls: [path] }
      : textReply(texts.noFilesHere)

export const makeRecords = Effect.gen(function* () {
  const { core, history, usage, options } = yield* Bridge
  const { channel } = yield* Account
  const files = yield* Files
  const { zone } = options.gateway

  const current = Effect.fn(...untraced("Records.current"))(function* (conversation: Conversation) {
    const { cli } = yield* core.answerer(conversation)
    const key = conversationParts(conversation)
    return yield* Effect.orElseSucceed(history.get({ conversation: key, cli }), () => undefined)
  })

  const sessionsOf = (conversation: Conversation, all = false) =>
    Stream.runCollect(
      history.list({ conversation: conversationParts(conversation), all, limit: all ? 200 : mostListed })
    )

  const usageText = Effect.fn(...untraced("Records.usageText"))(function* (conversation: Conversation) {
    const session = yield* current(conversation)
    const { rows, total } = yield* usage({ ...accountOf(conversation), zone })
    const now = yield* Clock.currentTimeMillis
    const date = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now)
    const today = rows.find(({ key }) => key === date)
    const about = session === undefined ? "" : sessionText(session)
    return [
      ...(about === "" ? [] : [`This session: ${about}.`]),
      ...(today === undefined ? [] : [`This chat today: ${sumText(today)}.`]),
      total.runs === 0 ? texts.nothingUsed : `This chat in total: ${sumText(total)}.`
    ].join("\n")
  })

  const listText = Effect.fn(...untraced("Records.listText"))(function* (conversation: Conversation) {
    const sessions = yield* sessionsOf(conversation)
    const now = yield* Clock.currentTimeMillis
    const lines = sessions.map((session) => {
      const { id = session.sessionId, cli, title, usedAt } = session
      const about = [sessionText(session), `${formatDuration(Math.max(0, now - usedAt))} ago`].filter(
        (part) => part !== ""
      )
      return `- ${inCode(id.slice(0, idLength))} ${cli}${title === undefined ? "" : ` ${inCode(title)}`}: ${about.join(", ")}`
    })
    return lines.length === 0 ? texts.noSessions : [...lines, texts.resumeHint].join("\n")
  })

  const resume = Effect.fn(...untraced("Records.resume"))(function* (conversation: Conversation, word: string) {
    if (core.running(conversation) !== undefined) return texts.stopFirst
    const { cli } = yield* core.answerer(conversation)
    const matches = (yield* sessionsOf(conversation, true)).filter(
      ({ id = "", sessionId }) => id.startsWith(word) || sessionId.startsWith(word)
    )
    const [session, other] = matches
    if (session?.id === undefined) return texts.noSuchSession(word)
    if (other !== undefined) return texts.severalSessions(word, matches.length)
    if (session.cli !== cli) return texts.sessionOfOther(session.cli)
    yield* core.close(conversation)
    yield* history.adopt(session.id, { conversation: conversationParts(conversation) })
    return texts.resumed(session.id.slice(0, idLength))
  })

  const fileReply = fileReplyOf(channel)

  const exportReply = Effect.fn(...untraced("Records.exportReply"))(function* (
    conversation: Conversation,
    form: "md" | "json"
  ) {
    const { cli } = yield* core.answerer(conversation)
    const most = channel.limits.uploadBytes
    if (most <= 0) return textReply(texts.noFilesHere)
    const key = { conversation: conversationParts(conversation), cli }
    const parts = history.export(key, form === "md" ? "markdown" : "json")
    let bytes = 0
    const text = yield* Stream.runCollect(
      Stream.takeWhile(parts, (part) => {
        bytes += Buffer.byteLength(part)
        return bytes <= most
      })
    )
    if (bytes > most) return textReply(texts.exportTooLarge)
    return fileReply(yield* files.write(`session-${crypto.randomUUID().slice(0, idLength)}.${form}`, text.join("")))
  })

  const copyReply = Effect.fn(...untraced("Records.copyReply"))(function* (conversation: Conversation, path: string) {
    const { directory } = yield* core.answerer(conversation)
    const most = channel.limits.uploadBytes
    const copies = yield* files.writtenDirectory
    if (most <= 0 || copies === undefined) return textReply(texts.noFilesHere)
    const inside = yield* openInside(directory, path, most)
    const copy = yield* takeCopy(copies, crypto.randomUUID(), inside, most)
    return fileReply(copy.path)
  }, Effect.scoped)

  return (command: RecordCommand, conversation: Conversation): Effect.Effect<ReplyPayload, StoreError> => {
    switch (command._tag) {
      case "Usage":
        return Effect.map(usageText(conversation), textReply)
      case "Sessions":
        return Effect.map(listText(conversation), textReply)
      case "Resume":
        return Effect.map(resume(conversation, command.session), textReply)
      case "Export":
        return Effect.catchTag(exportReply(conversation, command.form), "StoreError", (error) =>
          Effect.as(Effect.logInfo(`a session was not exported: ${error.message}`), textReply(texts.nothingToExport))
        )
      case "Files":
        return Effect.catchTag(copyReply(conversation, command.path), "ToolRefused", ({ message }) =>
          Effect.succeed(textReply(message))
        )
    }
  }
})
