/** Checks of `[webhooks]` and `[webhookServer]` whose keys depend on each other, and on the rest of the file; pure. */
import { isDeepStrictEqual } from "node:util"
import { Predicate } from "effect"
import { hintFor } from "../../contract/suggestions.ts"
import { isLoopback } from "../../system/loopback.ts"
import { type ChannelId, channelOf, channels, webhookSecret, webhookSignatures } from "./channels.ts"
import { type Found, keyText, namesIn, problemIf, problemOfDirectory, problemOfPlace } from "./crossChecks.ts"
import { type Path, type Values, valueAt } from "./edit.ts"

/** A chat of a channel of the file. */
export interface TellTarget {
  readonly channel: ChannelId
  readonly chatId: string
}

/** `telegram:123456789`; undefined for anything else. */
export const tellTargetOf = (text: string): TellTarget | undefined => {
  const [, id = "", chatId = ""] = /^([a-z]+):(.+)$/.exec(text) ?? []
  const channel = channelOf(id)
  return channel?.chat.isRight(chatId) === true ? { channel: channel.id, chatId } : undefined
}

const problemsOfTell = (values: Values, path: Path): ReadonlyArray<Found> => {
  const text = valueAt(values, path)
  if (!Predicate.isString(text)) return []
  const [id = ""] = text.split(":")
  const channel = channelOf(id)
  const names = channels.map((each) => each.id)
  if (channel === undefined)
    return [
      {
        path,
        problem: `${keyText(path)} is not a chat: write a channel and the id of a chat, such as "telegram:123456789"${text.includes(":") ? hintFor(id, names) : ""}`
      }
    ]
  if (tellTargetOf(text) === undefined)
    return [
      {
        path,
        problem: `${keyText(path)} has no id of a chat on ${channel.name} behind the colon, such as ${channel.chat.example.replaceAll('"', "")}; /whoami shows it there`
      }
    ]
  return problemIf(
    valueAt(values, [channel.id]) === undefined,
    path,
    `${keyText(path)} needs [${channel.id}], which is missing: its bot writes there`
  )
}

/** Settings that belong to the conversation. */
const shared = ["agent", "directory", "permissionMode", "tell"] as const

const conversationOf = (values: Values, name: string) => {
  const own = valueAt(values, ["webhooks", name, "conversation"])
  return Predicate.isString(own) ? own : name
}

/** A conversation has one agent, one directory, one mode and one chat for its answers. */
const problemsOfSharing = (values: Values, names: ReadonlyArray<string>): ReadonlyArray<Found> =>
  names.flatMap((name, at) => {
    const conversation = conversationOf(values, name)
    const other = names.slice(0, at).find((each) => conversationOf(values, each) === conversation)
    if (other === undefined) return []
    return shared.flatMap((key) => {
      const [own, others] = [name, other].map((each) => valueAt(values, ["webhooks", each, key]))
      return problemIf(
        !isDeepStrictEqual(own, others),
        own === undefined ? ["webhooks", name] : ["webhooks", name, key],
        `webhooks.${name} shares the conversation ${JSON.stringify(conversation)} with webhooks.${other}: give both the same ${key}, or this one another conversation`
      )
    })
  })

const problemsOfWebhook = (values: Values, name: string, directories: ReadonlyArray<string>): ReadonlyArray<Found> => {
  const path = ["webhooks", name]
  const at = (key: string) => valueAt(values, [...path, key])
  const needed = [
    ["secret", `{ env = "${webhookSecret.variable}" }`],
    ["signature", webhookSignatures.map((each) => `"${each}"`).join(", or ")],
    ["prompt", '"Summarize {{pull_request.title}}"']
  ] as const
  return [
    ...needed.flatMap(([key, example]) =>
      problemIf(at(key) === undefined, path, `webhooks.${name} has no ${key}: write ${key} = ${example}`)
    ),
    ...problemOfPlace(values, [...path, "secret"]),
    ...problemOfDirectory([...path, "directory"], at("directory"), directories),
    ...problemsOfTell(values, [...path, "tell"]),
    ...problemIf(
      at("deadline") !== undefined && at("answer") === undefined,
      [...path, "deadline"],
      `webhooks.${name}.deadline has no effect without answer = "http"; add it, or remove this`
    ),
    ...problemIf(
      at("once") === "body" && at("idHeader") !== undefined,
      [...path, "idHeader"],
      `webhooks.${name}.idHeader has no effect beside once = "body"; remove one of them`
    )
  ]
}

/** As a page for other machines: the deliveries, and tokens of senders, could be read on the way. */
const problemsOfServer = (values: Values): ReadonlyArray<Found> => {
  const at = (...path: ReadonlyArray<string>) => valueAt(values, ["webhookServer", ...path])
  const found = (name: string, problem: string) => [
    { path: ["webhookServer", name], problem: `webhookServer.${name} ${problem}` }
  ]
  const [host, isRemote] = [at("host"), at("allowRemote") === true]
  const [cert, key] = [at("tls", "cert"), at("tls", "key")]
  if ((cert === undefined) !== (key === undefined)) return found("tls", "needs both cert and key")
  if (isRemote && cert === undefined)
    return found("allowRemote", "needs webhookServer.tls: without it, anyone on the network path can read deliveries")
  if (Predicate.isString(host) && !isLoopback(host) && !isRemote)
    return found("host", "lets other machines in: add allowRemote = true, with webhookServer.tls, or use 127.0.0.1")
  return []
}

export const problemsOfWebhooks = (values: Values): ReadonlyArray<Found> => {
  const names = namesIn(valueAt(values, ["webhooks"]))
  const directories = namesIn(valueAt(values, ["directories"]))
  return [
    ...names.flatMap((name) => problemsOfWebhook(values, name, directories)),
    ...problemsOfSharing(values, names),
    ...problemsOfServer(values)
  ]
}

export const readableWebhookSecrets = (file: string, values: Values): ReadonlyArray<Found> =>
  namesIn(valueAt(values, ["webhooks"])).flatMap((name) => {
    const path = ["webhooks", name, "secret"]
    const problem = `${keyText(path)} stands in a file that others can read: chmod 600 ${JSON.stringify(file)}`
    return problemIf(Predicate.isString(valueAt(values, path)), path, problem)
  })
