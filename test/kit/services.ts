/**
 * The services of chats, outside of a host: for each channel of `reins.toml` a server on loopback, with people who each have
 * a direct chat. Person 1 is Ann.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { ChannelId } from "../../src/api/config/channels.ts"
import type { ShownMessage } from "../../src/testing/channels/board.ts"
import { DiscordServer } from "../../src/testing/DiscordServer.ts"
import { SlackServer } from "../../src/testing/SlackServer.ts"
import { TelegramServer } from "../../src/testing/TelegramServer.ts"
import { WhatsAppServer } from "../../src/testing/WhatsAppServer.ts"

export type Outage =
  | "cutBefore"
  | "cutAfter"
  | "badGateway"
  | "badGatewayAfter"
  | "invalidJson"
  | { readonly slowMs: number }
  | "tooFast"

export interface ServiceMessage extends ShownMessage {
  /** Names of its files. */
  readonly files: ReadonlyArray<string>
}

export interface ServiceCall {
  readonly method: string
  readonly outcome: string
  readonly status?: number
}

export interface Service extends AsyncDisposable {
  readonly id: ChannelId
  readonly url: string
  /** For the channel's own options. */
  readonly secrets: Readonly<Record<string, string>>
  /** Further options of the channel. */
  readonly options: Readonly<Record<string, string | number>>
  /** Variables with the secrets, and the table that names them. */
  readonly env: Readonly<Record<string, string>>
  readonly table: string
  /** Called once the host listens: resolves when it hears. */
  readonly connect: () => Promise<void>
  /** As lists name them. */
  readonly person: (number: number) => string
  readonly say: (text: string, number?: number) => string
  /** A command of the bridge, as a person gives it there. */
  readonly command: (words: string, number?: number) => void
  readonly photo: (content: Uint8Array, caption: string, number?: number) => void
  readonly press: (messageId: string, label: string, number?: number) => void
  readonly chat: (number?: number) => ReadonlyArray<ServiceMessage>
  readonly render: (number?: number) => string
  readonly until: <A>(look: () => A | undefined) => Promise<A>
  /** Updates that the host has not confirmed; 0 on a service that asks for no confirmation. */
  readonly waiting: () => number
  /** Whether the service lets a message be changed. */
  readonly hasEdits: boolean
  /** Methods of which one may fail, beside that which sends. */
  readonly methods: ReadonlyArray<string>
  readonly sends: string
  readonly fail: (method: string, outage: Outage) => void
  readonly calls: () => ReadonlyArray<ServiceCall>
  readonly callsTo: (number: number) => ReadonlyArray<ServiceCall>
  readonly violations: () => ReadonlyArray<{ readonly rule: string; readonly method: string; readonly detail: string }>
}

/** `lane`: several services of one kind have bots of their own. */
export interface ServiceOptions {
  readonly lane?: number
  readonly pace?: false
}

const tableOf = (
  id: string,
  keys: Readonly<Record<string, string | number>>,
  variables: Readonly<Record<string, string>>
) =>
  [
    `[${id}]`,
    ...Object.entries(variables).map(([key, name]) => `${key} = { env = "${name}" }`),
    ...Object.entries(keys).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ""
  ].join("\n")

const nobody = "this-is-no-token-of-anybody-00"

interface Facts {
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, string | number>>
}

/** All that a person writes into `reins.toml`, with the secrets in variables. */
const configured = (id: ChannelId, { secrets, variables, keys }: Facts) => ({
  id,
  secrets,
  env: Object.fromEntries(Object.entries(variables).map(([key, name]) => [name, secrets[key] ?? ""])),
  table: tableOf(id, keys, variables)
})

const telegram = async ({ lane = 0, pace }: ServiceOptions): Promise<Service> => {
  const token = `${700_000 + lane}:TEST-${nobody}`
  const server = await TelegramServer.start({ token, ...(pace === undefined ? {} : { pace }) })
  const person = (number: number) => 1_000 + number
  const from = (number: number) => ({ from: person(number) })
  return {
    ...configured("telegram", {
      secrets: { token },
      variables: { token: "TELEGRAM_BOT_TOKEN" },
      keys: { apiRoot: server.url }
    }),
    ...{ url: server.url, options: {}, connect: async () => {}, until: server.until, hasEdits: true },
    person: (number) => String(person(number)),
    say: (text, number = 1) => String(server.say(text, from(number)).messageId),
    command: (words, number = 1) => void server.say(`/${words}`, from(number)),
    photo: (content, caption, number = 1) =>
      void server.say("", { ...from(number), photo: { content, mimeType: "image/png" }, caption }),
    press: (messageId, label, number = 1) =>
      void server.press({ chat: person(number), messageId: Number(messageId) }, label, from(number)),
    chat: (number = 1) =>
      server.chat(person(number)).map((message) => ({
        ...{ messageId: String(message.messageId), from: String(message.from), isOurs: message.isOurs },
        ...{ text: message.text, buttons: message.buttons, at: message.at },
        ...{ isEdited: message.edited, isSilent: message.silent },
        files: message.files.map(({ name = "" }) => name)
      })),
    render: (number = 1) => server.render(person(number)),
    waiting: () => server.pending().length,
    sends: "sendMessage",
    methods: [
      ...["getUpdates", "getMe", "editMessageText", "editMessageReplyMarkup", "answerCallbackQuery", "deleteMessage"],
      ...["sendChatAction", "setMyCommands"]
    ],
    fail: (method, outage) => server.fail(method, outage === "tooFast" ? { retryAfter: 1 } : outage),
    calls: server.calls,
    callsTo: (number) =>
      server
        .calls()
        .filter(({ method, params }) => /^send/i.test(method) && Number(params["chat_id"]) === person(number)),
    violations: server.violations,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

const slack = async ({ lane = 0, pace }: ServiceOptions): Promise<Service> => {
  const [token, appToken] = [`xoxb-1000-${lane}-${nobody}`, `xapp-1-A0TEST${lane}X-3000-${nobody}`]
  const server = await SlackServer.start({ token, appToken, ...(pace === undefined ? {} : { pace }) })
  const person = (number: number) => `U${1_000 + number}`
  const chatOf = (number: number) => `D${1_000 + number}`
  const from = (number: number) => ({ from: { id: person(number), name: number === 1 ? "Ann" : `Person ${number}` } })
  return {
    ...configured("slack", {
      secrets: { botToken: token, appToken },
      variables: { botToken: "SLACK_BOT_TOKEN", appToken: "SLACK_APP_TOKEN" },
      keys: { apiRoot: server.url }
    }),
    ...{
      url: server.url,
      options: {},
      connect: async () => void (await server.until(() => server.listeners() > 0 || undefined)),
      until: server.until,
      hasEdits: true
    },
    person,
    say: (text, number = 1) => server.say(text, from(number)).messageId,
    command: (words, number = 1) => void server.say(`!${words}`, from(number)),
    photo: (content, caption, number = 1) =>
      void server.say(caption, { ...from(number), photo: { content, name: "a.png", mimeType: "image/png" } }),
    press: (messageId, label, number = 1) =>
      void server.press({ chat: chatOf(number), messageId }, label, from(number)),
    chat: (number = 1) =>
      server.chat(chatOf(number)).map(({ messageId, from: author, isOurs, text, buttons, at, edited, files }) => ({
        ...{ messageId, from: author, isOurs, text, buttons, at, isEdited: edited, isSilent: false },
        files: files.map(({ name }) => name)
      })),
    render: (number = 1) => server.render(chatOf(number)),
    waiting: () => server.pending().length,
    sends: "chat.postMessage",
    methods: [
      "auth.test",
      "apps.connections.open",
      "chat.update",
      "chat.delete",
      "conversations.history",
      "response_url"
    ],
    fail: (method, outage) => server.fail(method, outage === "tooFast" ? { retryAfter: 1 } : outage),
    calls: server.calls,
    callsTo: (number) =>
      server.calls().filter(({ method, params }) => /^chat\.post/.test(method) && params["channel"] === chatOf(number)),
    violations: server.violations,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

const discord = async ({ lane = 0, pace }: ServiceOptions): Promise<Service> => {
  const botId = String(200_000_000_000_000_000n + BigInt(lane))
  const server = await DiscordServer.start({ botId, ...(pace === undefined ? {} : { pace }) })
  const person = (number: number) => String(100_000_000_000_001_000n + BigInt(number))
  const from = (number: number) => ({
    from: number === 1 ? person(1) : { id: person(number), name: `Person ${number}` }
  })
  const chatOf = (number: number) => server.direct(from(number).from)
  return {
    ...configured("discord", {
      secrets: { token: server.token },
      variables: { token: "DISCORD_BOT_TOKEN" },
      keys: { apiRoot: server.url }
    }),
    ...{
      url: server.url,
      options: {},
      connect: async () => void (await server.until(() => server.listeners() > 0 || undefined)),
      until: server.until,
      hasEdits: true
    },
    person,
    say: (text, number = 1) => server.say(text, from(number)).messageId,
    command: (words, number = 1) => void server.say(`/${words}`, from(number)),
    photo: (content, caption, number = 1) =>
      void server.say(caption, { ...from(number), files: [{ content, name: "a.png", mimeType: "image/png" }] }),
    press: (messageId, label, number = 1) =>
      void server.press({ channel: chatOf(number), messageId }, label, from(number)),
    chat: (number = 1) =>
      server
        .chat(chatOf(number))
        .map(({ messageId, from: author, isOurs, text, buttons, at, edited, silent, files }) => ({
          ...{ messageId, from: author, isOurs, buttons, at, isEdited: edited, isSilent: silent },
          // As people see it.
          text: text.replace(/\\([^\w\s])/g, "$1"),
          files: files.map(({ name }) => name)
        })),
    render: (number = 1) => server.render(chatOf(number)),
    waiting: () => 0,
    sends: "createMessage",
    methods: ["getGateway", "gateway", "editMessage", "deleteMessage", "getMessages", "answerInteraction"],
    fail: (method, outage) => server.fail(method, outage === "tooFast" ? { retryAfter: 1 } : outage),
    calls: server.calls,
    callsTo: (number) =>
      server
        .calls()
        .filter(
          ({ method, params }) =>
            method === "createMessage" && Array.isArray(params["path"]) && params["path"][0] === chatOf(number)
        ),
    violations: server.violations,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

/** A port that is free now: the host has to listen where Meta was told. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // it listens on a port
  server.close()
  await once(server, "close")
  return port
}

const whatsapp = async ({ lane = 0, pace }: ServiceOptions): Promise<Service> => {
  const server = await WhatsAppServer.start({
    phone: `10654035224${2_000 + lane}`,
    // Posts that hosts did not take would else come minutes later.
    ...(pace === undefined ? {} : { pace, repeatMs: [500, 1_000, 2_000, 4_000] })
  })
  const port = await freePort()
  const numberOf = (number: number) => String(15_550_001_000 + number + lane * 100_000)
  const from = (number: number) => ({
    from: { number: numberOf(number), name: number === 1 ? "Ann" : `Person ${number}` }
  })
  const { token, appSecret, verifyToken, phone } = server
  return {
    ...configured("whatsapp", {
      secrets: { token, appSecret, verifyToken },
      variables: { token: "WHATSAPP_TOKEN", appSecret: "WHATSAPP_APP_SECRET", verifyToken: "WHATSAPP_VERIFY_TOKEN" },
      keys: { phone, port, apiRoot: server.url }
    }),
    ...{ url: server.url, options: { phone, port }, until: server.until, hasEdits: false },
    connect: () => server.subscribe(`http://127.0.0.1:${port}/whatsapp`),
    person: numberOf,
    say: (text, number = 1) => server.say(text, from(number)).messageId,
    command: (words, number = 1) => void server.say(`/${words}`, from(number)),
    photo: (content, caption, number = 1) =>
      void server.say(caption, { ...from(number), image: { content, mimeType: "image/png" } }),
    press: (messageId, label) => void server.press({ messageId }, label),
    chat: (number = 1) =>
      server.chat(numberOf(number)).map(({ messageId, isOurs, plain, buttons, at, name, files }) => ({
        ...{
          messageId,
          from: isOurs ? phone : name,
          isOurs,
          text: plain,
          buttons,
          at,
          isEdited: false,
          isSilent: false
        },
        files: files.map((file) => file.name ?? "")
      })),
    render: (number = 1) => server.render(numberOf(number)),
    waiting: () => server.pending().length,
    sends: "messages",
    methods: ["webhook"],
    fail: (method, outage) => server.fail(method, outage === "tooFast" ? { code: 131_056, retryAfter: 1 } : outage),
    calls: server.calls,
    callsTo: (number) =>
      server.calls().filter(({ method, params }) => method === "messages" && params["to"] === numberOf(number)),
    violations: server.violations,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

const starters: { readonly [Id in ChannelId]: (options: ServiceOptions) => Promise<Service> } = {
  telegram,
  slack,
  discord,
  whatsapp
}

export const startService = (id: ChannelId, options: ServiceOptions = {}): Promise<Service> => starters[id](options)
