/**
 * The tools by which an agent acts in one conversation, in the turn at the time of a call. Names of other bridges are
 * listed only with `aliases`: a list that has each tool four times costs tokens in every request.
 */
import { Effect, Schema } from "effect"
import type { HostTool } from "../../contract/HostTool.ts"
import { AskInput, makeAskPerson } from "./askPerson.ts"
import { dropCopy, takeCopy } from "./copies.ts"
import { type GatewayToolName, mayCall, maySendElsewhere } from "./GatewayOptions.ts"
import type { Gateway, GatewaySchedules, GatewayTurn } from "./gatewayContext.ts"
import { openInside } from "./insideFile.ts"
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

/** A call, with the name that the agent used. */
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
      const file = yield* openInside(yield* gateway.directory, path, most)
      const sendId = crypto.randomUUID()
      const copy = yield* takeCopy(outlet.copies, sendId, file, most)
      const payload = { ...(text === "" ? {} : { text }), mediaUrls: [copy.path] }
      const media = [{ path: file.path, digest: copy.digest }]
      return yield* queue({ conversation, outlet, sendId, turn, tool, payload, text, media }).pipe(
        Effect.tap(({ isSame }) => (isSame ? dropCopy(outlet.copies, sendId) : Effect.void)),
        // A message that may still be queued keeps its copy.
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

/** Names that other bridges have for the same tool. */
const aliasesOf = (channel: string) => ["message", "sessions_send", `${channel.replaceAll(/[^\w-]/g, "_")}_send`]

export const gatewayTools = (gateway: Gateway): ReadonlyArray<HostTool> => {
  const { turn, profile = "reply", role, conversation, schedules, aliases = false } = gateway
  /** The turn is read, and its role checked, at each call. */
  const tool = (
    kind: GatewayToolName,
    description: string,
    schema: Schema.Top,
    call: Called,
    name: string = kind
  ): ReadonlyArray<HostTool> => {
    if (!mayCall(kind, profile, role)) return []
    const run = (input: unknown) => {
      const now = turn()
      if (now === undefined) return Effect.fail(refuse("No turn is running: this was not done."))
      if (!mayCall(kind, profile, now.role)) return Effect.fail(refuse(`${name} is for owners alone.`))
      return call(input, now, name)
    }
    return [{ name, description, inputSchema: inputSchemaOf(schema), run }]
  }
  const scheduleTools = (own: GatewaySchedules) => {
    const { add, list, remove } = scheduleCalls(gateway, own)
    const about = "Adds a prompt for later, by cron or once. A person is asked before it runs."
    return [
      ...tool("schedule_add", about, ScheduleInput, add),
      ...tool("schedule_list", "Lists the schedules of this chat.", ListInput, list),
      ...tool("schedule_remove", "Removes a schedule of this chat.", RemoveInput, remove)
    ]
  }
  const [Message, File] = maySendElsewhere(profile, role) ? [MessageInput, FileInput] : [MessageHere, FileHere]
  const send = sendMessage(gateway)
  const about = {
    message: "Sends a message to the chat now, beside your answer, which is sent by itself. Returns when it is queued.",
    file: "Sends a file of the working directory to the chat. Returns when it is queued.",
    ask: "Asks the person a question. Returns at once; the answer comes as a message."
  }
  return [
    ...tool("send_message", about.message, Message, send),
    ...tool("send_file", about.file, File, sendFile(gateway)),
    ...tool("ask_person", about.ask, AskInput, makeAskPerson(gateway)),
    ...tool("list_targets", "Lists the chats that you may write to.", Nothing, listTargets(gateway)),
    ...(schedules === undefined ? [] : scheduleTools(schedules)),
    ...(aliases ? aliasesOf(conversation.channel) : []).flatMap((name) =>
      tool("send_message", about.message, Message, send, name)
    )
  ]
}
