/** The routes of the REST API that the bot of a bridge needs. */
import type { Body } from "./body.ts"
import { closedTo, isThread, type Kept, type KeptChannel } from "./channels.ts"
import { componentsOf, contentOf, filesOf, flagsOf, nonceOf, notifiedBy, refuseEmpty } from "./content.ts"
import { isLater } from "./ids.ts"
import { limits } from "./limits.ts"
import { channelOf, eventOf, messageOf } from "./messages.ts"
import { fieldsOf, listOf, textOf } from "./params.ts"
import { invalidForm, Refusal, unknownMessage } from "./refusal.ts"
import { tellMessage, tellThread } from "./telling.ts"
import type { World } from "./world.ts"

export interface Asked extends Body {
  /** Ids of the path, in order. */
  readonly ids: ReadonlyArray<string>
  readonly query: URLSearchParams
}

interface Route {
  readonly name: string
  readonly method: string
  readonly path: RegExp
  /** The first id of the path is a channel, and the route has a bucket there. */
  readonly isPaced?: boolean
  /** Works without a token: the path has one. */
  readonly isOpen?: boolean
  /** Returns the result, undefined for an empty answer; throws a refusal. */
  readonly run: (world: World, request: Asked) => unknown
}

const id = String.raw`(\d{1,20})`
const pathOf = (form: string) => new RegExp(`^${form.replaceAll(":id", id)}$`)

const writable = (world: World, channelId: string): KeptChannel => {
  const channel = world.channels.visible(channelId)
  const parent = channel.parent === undefined ? undefined : world.channels.get(channel.parent)
  const refusal = closedTo(channel, parent)
  if (refusal !== undefined) throw refusal
  if (channel.type === 15) throw new Refusal(400, 50_008, "Cannot send messages in a non-text channel")
  return channel
}

const messageFor = (world: World, { ids: [channelId = "", messageId = ""] }: Asked) => {
  const channel = world.channels.visible(channelId)
  const message = world.channels.messageOf(channel, messageId)
  if (message === undefined) throw unknownMessage()
  return { channel, message }
}

const view = (world: World, channel: KeptChannel, message: Kept) => messageOf(world, channel, message, world.hasContent)

const createMessage: Route["run"] = (world, { ids: [channelId = ""], json, uploads }) => {
  const fields = fieldsOf(json)
  const content = contentOf(fields)
  const components = componentsOf(fields)
  const files = filesOf(fields, uploads, world.nextId)
  refuseEmpty({ content, components, files })
  const { nonce, isEnforced } = nonceOf(fields)
  const flags = flagsOf(fields)
  const channel = writable(world, channelId)
  const { now } = world.clock
  const known = channel.messages.find(
    (each) => isEnforced && each.isOurs && each.nonce === nonce && each.at > now() - world.nonceMs
  )
  if (known !== undefined) return { ...view(world, channel, known), nonce }
  const reference = fieldsOf(fields["message_reference"])
  const replyTo = textOf(reference, "message_id", 20)
  const to = world.channels.messageOf(channel, replyTo)
  if (replyTo !== undefined && to === undefined && reference["fail_if_not_exists"] !== false)
    throw invalidForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
  const message = world.channels.write(channel, {
    author: world.me,
    isOurs: true,
    content,
    components,
    files,
    flags,
    nonce,
    replyTo: to?.id,
    notified: notifiedBy(content, fields, to?.author.id)
  })
  tellMessage(world, channel, message)
  return eventOf(world, channel, message, world.hasContent)
}

const editMessage: Route["run"] = (world, request) => {
  const fields = fieldsOf(request.json)
  const { channel, message } = messageFor(world, request)
  if (!message.isOurs) throw new Refusal(403, 50_005, "Cannot edit a message authored by another user")
  const refusal = channel.isArchived ? closedTo(channel, undefined) : undefined
  if (refusal !== undefined) throw refusal
  const next = {
    content: "content" in fields ? contentOf(fields) : message.content,
    components: "components" in fields ? componentsOf(fields) : message.components,
    files: message.files
  }
  refuseEmpty(next)
  Object.assign(message, next, { editedAt: world.clock.now() })
  tellMessage(world, channel, message, "MESSAGE_UPDATE")
  return view(world, channel, message)
}

const deleteMessage: Route["run"] = (world, request) => {
  const { channel, message } = messageFor(world, request)
  if (!message.isOurs) throw new Refusal(403, 50_013, "Missing Permissions")
  channel.messages = channel.messages.filter((each) => each !== message)
}

const history: Route["run"] = (world, { ids: [channelId = ""], query }) => {
  const channel = world.channels.visible(channelId)
  const [after, before] = [query.get("after"), query.get("before")]
  const limit = Number(query.get("limit") ?? 50)
  if (!(limit >= 1 && limit <= limits.history))
    throw invalidForm("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.", "limit")
  const all = channel.messages.filter(
    (each) => (after === null || isLater(each.id, after)) && (before === null || isLater(before, each.id))
  )
  // The newest first; behind `after` the oldest ones.
  const page = after === null ? all.slice(-limit) : all.slice(0, limit)
  return page.toReversed().map((message) => view(world, channel, message))
}

const startThread: Route["run"] = (world, request) => {
  const name = textOf(fieldsOf(request.json), "name", limits.threadName) ?? ""
  if (name.trim() === "") throw invalidForm("name", "BASE_TYPE_REQUIRED", "This field is required", "limit")
  const { channel, message } = messageFor(world, request)
  if (channel.type !== 0 && channel.type !== 5)
    throw new Refusal(400, 50_024, "Cannot execute action on this channel type")
  if (world.channels.get(message.id) !== undefined)
    throw new Refusal(400, 160_004, "A thread has already been created for this message")
  return channelOf(openThread(world, channel, { id: message.id, name, owner: world.me.id }))
}

/** A thread of a text channel; both sides open them. */
export const openThread = (
  world: World,
  parent: KeptChannel,
  { id: threadId, name, owner }: { readonly id: string; readonly name: string; readonly owner: string }
): KeptChannel => {
  const type = parent.type === 5 ? 10 : 11
  const thread = world.channels.add({ id: threadId, type, guild: parent.guild, parent: parent.id, name, owner })
  tellThread(world, thread, "THREAD_CREATE")
  return thread
}

const modifyChannel: Route["run"] = (world, { ids: [channelId = ""], json }) => {
  const channel = world.channels.visible(channelId)
  const { archived } = fieldsOf(json)
  if (!isThread(channel)) throw new Refusal(403, 50_013, "Missing Permissions")
  if (typeof archived === "boolean") channel.isArchived = archived
  tellThread(world, channel, "THREAD_UPDATE")
  return channelOf(channel)
}

const answerInteraction: Route["run"] = (world, { ids: [press = "", token = ""], json }) => {
  const fields = fieldsOf(json)
  const found = world.interactions.get(press)
  if (found === undefined || found.token !== token || found.until <= world.clock.now())
    throw new Refusal(404, 10_062, "Unknown interaction")
  if (found.isAnswered) throw new Refusal(400, 40_060, "Interaction has already been acknowledged.")
  const { type } = fields
  const data = fieldsOf(fields["data"])
  if (type !== 4 && type !== 5 && type !== 6)
    throw invalidForm("type", "BASE_TYPE_CHOICES", "Value must be one of {4, 5, 6}.")
  const text = type === 4 ? contentOf(data) : ""
  if (type === 4 && text === "") throw new Refusal(400, 50_006, "Cannot send an empty message", { broken: "limit" })
  found.isAnswered = true
  const isEphemeral = (flagsOf(data) & 64) !== 0
  world.acknowledgements.push({ press, text, isEphemeral, at: world.clock.now() })
}

const offerCommands: Route["run"] = (world, { json }) => {
  const all = listOf({ all: json }, "all").map(fieldsOf)
  if (all.length > 100) throw invalidForm("commands", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer", "limit")
  world.commands.all = all.map((each) => {
    const name = textOf(each, "name", 32) ?? ""
    const description = textOf(each, "description", 100) ?? ""
    if (!/^[-_\p{L}\p{N}]{1,32}$/u.test(name) || name !== name.toLowerCase() || description === "")
      throw invalidForm("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid", "limit")
    return { name, description }
  })
  return world.commands.all.map((each) => ({ ...each, id: world.nextId(), type: 1, application_id: world.me.id }))
}

const getApplication: Route["run"] = ({ me, hasContent }) => ({
  id: me.id,
  name: me.username,
  description: "",
  icon: null,
  bot_public: false,
  // The content intent of a bot of fewer than 100 servers.
  flags: hasContent ? 1 << 19 : 0
})

const getGateway: Route["run"] = ({ address, sessions }) => ({
  url: address.url.replace(/^http/, "ws"),
  shards: 1,
  session_start_limit: {
    total: limits.identify.most,
    remaining: Math.max(0, limits.identify.most - sessions.identifies()),
    reset_after: limits.identify.spanMs,
    max_concurrency: 1
  }
})

const getMember: Route["run"] = ({ channels, guilds, userOf }, { ids: [guild = "", user = ""] }) => {
  const own = channels.all().filter((each) => each.guild === guild)
  const last = own.flatMap((each) => each.messages).findLast(({ author }) => author.id === user)
  if (!guilds.has(guild)) throw new Refusal(404, 10_004, "Unknown Guild")
  if (last === undefined) throw new Refusal(404, 10_007, "Unknown Member")
  return { user: userOf(user), roles: [...last.roles], joined_at: null, deaf: false, mute: false, flags: 0 }
}

const messages = "/channels/:id/messages"
const route = (name: string, method: string, path: string, run: Route["run"], more: Partial<Route> = {}): Route => ({
  name,
  method,
  path: pathOf(path),
  run,
  ...more
})

export const routes: ReadonlyArray<Route> = [
  route("createMessage", "POST", messages, createMessage, { isPaced: true }),
  route("getMessages", "GET", messages, history, { isPaced: true }),
  route("getMessage", "GET", `${messages}/:id`, (world, request) => {
    const { channel, message } = messageFor(world, request)
    return view(world, channel, message)
  }),
  route("editMessage", "PATCH", `${messages}/:id`, editMessage, { isPaced: true }),
  route("deleteMessage", "DELETE", `${messages}/:id`, deleteMessage, { isPaced: true }),
  route("startThread", "POST", `${messages}/:id/threads`, startThread),
  route("getChannel", "GET", "/channels/:id", (world, { ids: [channel = ""] }) =>
    channelOf(world.channels.visible(channel))
  ),
  route("modifyChannel", "PATCH", "/channels/:id", modifyChannel),
  route("typing", "POST", "/channels/:id/typing", (world, { ids: [channel = ""] }) => void writable(world, channel)),
  route("answerInteraction", "POST", String.raw`/interactions/:id/([\w-]+)/callback`, answerInteraction, {
    isOpen: true
  }),
  route("offerCommands", "PUT", "/applications/:id/commands", offerCommands),
  route("getApplication", "GET", "/applications/@me", getApplication),
  route("getMe", "GET", "/users/@me", ({ me }) => me),
  route("getMember", "GET", "/guilds/:id/members/:id", getMember),
  route("getGateway", "GET", "/gateway/bot", getGateway)
]
