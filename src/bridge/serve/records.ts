/**
 * Commands about what is kept of a chat: its usage, its sessions, their transcripts, files of its directory. Each sees what
 * is of its own conversation, and nothing else.
 */
import { Clock, Effect, Stream } from "effect"
import type { SessionInfo } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { formatCost, formatCount, formatDuration, plural } from "../../contract/text/amounts.ts"
import type { UsageQuery, UsageReport, UsageSum } from "../../contract/Usage.ts"
import type { History } from "../../conversations/history/History.ts"
import type { Command } from "../commands/command.ts"
import { takeCopy } from "../gateway/copies.ts"
import { openInside } from "../gateway/insideFile.ts"
import type { Channel } from "../messages/Channel.ts"
import { type Conversation, conversationParts } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"
import { accountOf } from "../turn/plan.ts"
import type { Files } from "./files.ts"

export interface RecordsOptions {
  readonly channel: Pick<Channel, "limits" | "render">
  readonly core: Pick<Core, "answerer" | "running" | "close">
  readonly files: Pick<Files, "write" | "written">
  readonly history: Pick<History, "list" | "get" | "adopt" | "export">
  readonly usage: (query: UsageQuery) => Effect.Effect<UsageReport, StoreError>
  /** In which a day begins. */
  readonly zone: string
}

export type RecordCommand = Extract<Command, { _tag: "Usage" | "Sessions" | "Resume" | "Export" | "Files" }>

const mostListed = 10
/** Of the beginning of an id that is shown. */
const idLength = 8

const says = (text: string): ReplyPayload => ({ text })

const sumText = ({ runs, tokens, costUsd, unpriced }: UsageSum): string => {
  const cost = runs === unpriced.runs ? "cost unknown" : formatCost(costUsd)
  const more = unpriced.runs > 0 && runs > unpriced.runs ? ` and ${plural(unpriced.runs, "run")} of unknown cost` : ""
  return `${plural(runs, "run")}, ${formatCount(tokens.total)} tokens, ${cost}${more}`
}

/** A title is a stranger's text: shown as it is, and no markup. */
const inCode = (text: string) => `\`${text.replaceAll("`", "'").slice(0, 60)}\``

const sessionText = ({ costUsd, isCostPartial, turns }: SessionInfo): string =>
  [
    ...(turns === undefined ? [] : [plural(turns, "turn")]),
    ...(costUsd === undefined ? [] : [`${formatCost(costUsd)}${isCostPartial === true ? " and more" : ""}`])
  ].join(", ")

export const makeRecords = ({ channel, core, files, history, usage, zone }: RecordsOptions) => {
  const current = Effect.fnUntraced(function* (conversation: Conversation) {
    const { cli } = yield* core.answerer(conversation)
    const key = conversationParts(conversation)
    return yield* Effect.orElseSucceed(history.get({ conversation: key, cli }), () => undefined)
  })

  const sessionsOf = (conversation: Conversation, all = false) =>
    Stream.runCollect(
      history.list({ conversation: conversationParts(conversation), all, limit: all ? 200 : mostListed })
    )

  const usageText = Effect.fnUntraced(function* (conversation: Conversation) {
    const session = yield* current(conversation)
    const { rows, total } = yield* usage({ ...accountOf(conversation), zone })
    const now = yield* Clock.currentTimeMillis
    const date = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now)
    const today = rows.find(({ key }) => key === date)
    const about = session === undefined ? "" : sessionText(session)
    return [
      ...(about === "" ? [] : [`This session: ${about}.`]),
      ...(today === undefined ? [] : [`This chat today: ${sumText(today)}.`]),
      total.runs === 0 ? texts.nothingUsed : `This chat in all: ${sumText(total)}.`
    ].join("\n")
  })

  const listText = Effect.fnUntraced(function* (conversation: Conversation) {
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

  const resume = Effect.fnUntraced(function* (conversation: Conversation, word: string) {
    if (core.running(conversation) !== undefined) return texts.stopFirst
    const { cli } = yield* core.answerer(conversation)
    const fitting = (yield* sessionsOf(conversation, true)).filter(
      ({ id = "", sessionId }) => id.startsWith(word) || sessionId.startsWith(word)
    )
    const [found, other] = fitting
    if (found?.id === undefined) return texts.noSuchSession(word)
    if (other !== undefined) return texts.severalSessions(word, fitting.length)
    if (found.cli !== cli) return texts.sessionOfOther(found.cli)
    yield* core.close(conversation)
    yield* history.adopt(found.id, { conversation: conversationParts(conversation) })
    return texts.resumed(found.id.slice(0, idLength))
  })

  /** Where the channel takes the file. */
  const asFile = (path: string | undefined): ReplyPayload =>
    path !== undefined && channel.render({ mediaUrls: [path] }).some(({ file }) => file === path)
      ? { mediaUrls: [path] }
      : says(texts.noFilesHere)

  const exported = Effect.fnUntraced(function* (conversation: Conversation, form: "md" | "json") {
    const { cli } = yield* core.answerer(conversation)
    const most = channel.limits.uploadBytes
    if (most <= 0) return says(texts.noFilesHere)
    const parts = history.export(
      { conversation: conversationParts(conversation), cli },
      form === "md" ? "markdown" : "json"
    )
    let bytes = 0
    const text = yield* Stream.runCollect(
      Stream.takeWhile(parts, (part) => {
        bytes += Buffer.byteLength(part)
        return bytes <= most
      })
    )
    if (bytes > most) return says(texts.exportTooLarge)
    return asFile(yield* files.write(`session-${crypto.randomUUID().slice(0, idLength)}.${form}`, text.join("")))
  })

  const file = Effect.fnUntraced(function* (conversation: Conversation, path: string) {
    const { directory } = yield* core.answerer(conversation)
    const most = channel.limits.uploadBytes
    const written = yield* files.written
    if (most <= 0 || written === undefined) return says(texts.noFilesHere)
    const inside = yield* openInside(directory, path, most)
    const copy = yield* takeCopy(written, crypto.randomUUID(), inside, most)
    return asFile(copy.path)
  }, Effect.scoped)

  return (command: RecordCommand, conversation: Conversation): Effect.Effect<ReplyPayload, StoreError> => {
    switch (command._tag) {
      case "Usage":
        return Effect.map(usageText(conversation), says)
      case "Sessions":
        return Effect.map(listText(conversation), says)
      case "Resume":
        return Effect.map(resume(conversation, command.session), says)
      case "Export":
        return Effect.catchTag(exported(conversation, command.form), "StoreError", (error) =>
          Effect.as(Effect.logInfo(`a session was not exported: ${error.message}`), says(texts.nothingToExport))
        )
      case "Files":
        return Effect.catchTag(file(conversation, command.path), "ToolRefused", ({ message }) =>
          Effect.succeed(says(message))
        )
    }
  }
}
