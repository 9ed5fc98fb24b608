/**
 * The tools by which an agent acts in a chat, for one conversation: what a call does is attributed by this closure, and to
 * the turn at the time of the call. The names of other bridges are listed only where `aliases` asks for it: a server of
 * tools takes calls of listed ones alone, and a list that has each tool four times costs tokens in every request.
 */
import { Effect, Schema } from "effect"
import type { HostTool } from "../../contract/HostTool.ts"
import { AskInput, makeAskPerson } from "./askPerson.ts"
import { dropCopy, takeCopy } from "./copies.ts"
import type { Gateway, GatewayTurn } from "./gatewayContext.ts"
import { openInside } from "./insideFile.ts"
import { type GatewayToolName, mayCall, maySendElsewhere } from "./profiles.ts"
import { ListInput, RemoveInput, ScheduleInput, scheduleCalls } from "./scheduleTools.ts"
import { addressOf, notKnown, queue, queuedAnswer } from "./sending.ts"
import { inputParser, inputSchemaOf, refuse, type ToolRefused, textFrom } from "./toolInput.ts"

const To = Schema.optionalKey(
  Schema.String.annotate({ description: "A name of list_targets. Default: the chat you are in." })
)
const messageFields = {
  text: Schema.String.annotate({ description: "The message, in Markdown." }),
  replyTo: Schema.optionalKey(Schema.String.annotate({ description: "The id of the message to reply to." }))
}
const fileFields = {
  path: Schema.String.annotate({ description: "A file in the working directory." }),
  caption: Schema.optionalKey(Schema.String.annotate({ description: "A text for the file, in Markdown." }))
}
const MessageInput = Schema.Struct({ ...messageFields, to: To })
const FileInput = Schema.Struct({ ...fileFields, to: To })
/** Tools without other targets. */
const [MessageHere, FileHere] = [Schema.Struct(messageFields), Schema.Struct(fileFields)]
const Nothing = Schema.Struct({})

const parseMessage = inputParser(MessageInput, ["text", "to", "replyTo"])
const parseFile = inputParser(FileInput, ["path", "caption", "to"])
const parseNothing = inputParser(Nothing, [])

const longestId = 200

/** A call of a tool, by the name that was called. */
type Called = (input: unknown, turn: GatewayTurn, tool: string) => Effect.Effect<unknown, ToolRefused>

const sendMessage =
  (gateway: Gateway): Called =>
  (input, turn, tool) =>
    Effect.gen(function* () {
      const { text: message, to, replyTo } = yield* parseMessage(input)
      const address = yield* addressOf(gateway, turn, to)
      const text = yield* textFrom("text", message)
      if (replyTo !== undefined && (replyTo.length > longestId || !/^[\x21-\x7e]+$/.test(replyTo))) {
        return yield* refuse(`"replyTo" is not the id of a message: leave it out.`)
      }
      const payload = { text, ...(replyTo === undefined ? {} : { replyToId: replyTo }) }
      const sendId = crypto.randomUUID()
      return queuedAnswer(yield* queue({ ...address, sendId, turn, tool, payload, text, media: [] }))
    })

const sendFile =
  (gateway: Gateway): Called =>
  (input, turn, tool) =>
    Effect.gen(function* () {
      const { path, caption, to } = yield* parseFile(input)
      const { conversation, outlet } = yield* addressOf(gateway, turn, to)
      const text = caption === undefined || caption.trim() === "" ? "" : yield* textFrom("caption", caption)
      const most = outlet.limits.uploadBytes
      const file = yield* openInside(gateway.directory, path, most)
      const sendId = crypto.randomUUID()
      const copy = yield* takeCopy(outlet.copies, sendId, file, most)
      const payload = { ...(text === "" ? {} : { text }), mediaUrls: [copy.path] }
      const media = [{ path: file.path, digest: copy.digest }]
      return yield* queue({ conversation, outlet, sendId, turn, tool, payload, text, media }).pipe(
        Effect.tap(({ isSame }) => (isSame ? dropCopy(outlet.copies, sendId) : Effect.void)),
        // One that may still be queued keeps its copy.
        Effect.tapError((error) => (error === notKnown ? Effect.void : dropCopy(outlet.copies, sendId))),
        Effect.map(queuedAnswer)
      )
    }).pipe(Effect.scoped)

const listTargets =
  ({ targets = [] }: Gateway): Called =>
  (input) =>
    Effect.map(parseNothing(input), () => ({
      targets: targets.map(({ name, description, conversation: { channel } }) => ({
        ...{ to: name, channel },
        ...(description === undefined ? {} : { description })
      }))
    }))

/** The turn is read, and its role checked, at each call. */
const hostTool = (
  { turn, profile = "reply" }: Gateway,
  kind: GatewayToolName,
  description: string,
  schema: Schema.Top,
  call: Called,
  name: string = kind
): HostTool => ({
  name,
  description,
  inputSchema: inputSchemaOf(schema),
  run: (input) => {
    const now = turn()
    if (now === undefined) return Effect.fail(refuse("No turn is running: this was not done."))
    if (!mayCall(kind, profile, now.role)) return Effect.fail(refuse(`${name} is for owners alone.`))
    return call(input, now, name)
  }
})

const scheduleTools = (gateway: Gateway): ReadonlyArray<readonly [GatewayToolName, HostTool]> => {
  if (gateway.schedules === undefined) return []
  const { add, list, remove } = scheduleCalls(gateway, gateway.schedules)
  const about = {
    schedule_add: "Adds a prompt for later, by cron or once. A person is asked before it runs.",
    schedule_list: "Lists the schedules of this chat.",
    schedule_remove: "Removes a schedule of this chat."
  }
  return [
    ["schedule_add", hostTool(gateway, "schedule_add", about.schedule_add, ScheduleInput, add)],
    ["schedule_list", hostTool(gateway, "schedule_list", about.schedule_list, ListInput, list)],
    ["schedule_remove", hostTool(gateway, "schedule_remove", about.schedule_remove, RemoveInput, remove)]
  ]
}

/** Names of other bridges, of the same function. */
const aliasesOf = (channel: string) => ["message", "sessions_send", `${channel.replaceAll(/[^\w-]/g, "_")}_send`]

export const gatewayTools = (gateway: Gateway): ReadonlyArray<HostTool> => {
  const { profile = "reply", role, conversation, aliases = false } = gateway
  const elsewhere = maySendElsewhere(profile, role)
  const Message = elsewhere ? MessageInput : MessageHere
  const File = elsewhere ? FileInput : FileHere
  const send = sendMessage(gateway)
  const about = {
    send_message:
      "Sends a message to the chat now, beside your answer, which is sent by itself. Returns when it is queued.",
    send_file: "Sends a file of the working directory to the chat. Returns when it is queued.",
    ask_person: "Asks the person a question. Returns at once; the answer comes as a message.",
    list_targets: "Lists the chats that you may write to."
  }
  const tools: ReadonlyArray<readonly [GatewayToolName, HostTool]> = [
    ["send_message", hostTool(gateway, "send_message", about.send_message, Message, send)],
    ["send_file", hostTool(gateway, "send_file", about.send_file, File, sendFile(gateway))],
    ["ask_person", hostTool(gateway, "ask_person", about.ask_person, AskInput, makeAskPerson(gateway))],
    ["list_targets", hostTool(gateway, "list_targets", about.list_targets, Nothing, listTargets(gateway))],
    ...scheduleTools(gateway),
    ...(aliases ? aliasesOf(conversation.channel) : []).map(
      (name) => ["send_message", hostTool(gateway, "send_message", about.send_message, Message, send, name)] as const
    )
  ]
  return tools.flatMap(([kind, tool]) => (mayCall(kind, profile, role) ? [tool] : []))
}
