/** Flags and configuration → the addresses of `reins serve` and the options of its bridge; pure. */
import { basename } from "node:path"
import { Option, Result } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import { configuredWorktree } from "../../api/config/ConfiguredAgent.ts"
import { type ChannelConfiguration, isChannel } from "../../api/config/channels.ts"
import { every, readRequest } from "../../api/config/forms.ts"
import type { AccessOptions, ChannelAccount } from "../../bridge/access/AccessOptions.ts"
import type { BridgeDirectory } from "../../bridge/BridgeOptions.ts"
import type { BridgeChanges } from "../../bridge/ChannelBridge.ts"
import type { GatewayOptions } from "../../bridge/gateway/GatewayOptions.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { chatIdOf, channelId as webhookChannel } from "../../channels/webhooks/webhookOptions.ts"
import type { Configuration, ConfiguredApprovals } from "../../contract/Configuration.ts"
import { present } from "../../contract/present.ts"
import type { ApprovalRule, Match } from "../../contract/Rule.ts"
import { isLoopback } from "../../system/loopback.ts"
import type { ClusterFlags, ClusterPlan } from "./clusterPlan.ts"
import { ownerId } from "./webChannel.ts"

const options = { deadline: "1 hour" } as const

const named = (items: ReadonlyArray<string> = []): ReadonlyArray<Match> =>
  items.flatMap((item) => (item === every ? [] : (readRequest(item) ?? [])))

const hasEvery = (items: ReadonlyArray<string> = []) => items.includes(every)

export const approvalRules = ({
  deny,
  ask,
  allow = ["read", "search"]
}: ConfiguredApprovals): ReadonlyArray<ApprovalRule> => [
  ...named(deny).map((match) => Approvals.deny(match)),
  ...named(ask).map((match) => Approvals.ask(undefined, { ...options, match })),
  ...named(allow).map((match) => Approvals.allow(match)),
  ...(hasEvery(deny) ? [Approvals.deny()] : []),
  ...(hasEvery(allow) && !hasEvery(ask) ? [Approvals.allow()] : []),
  // Also for requests that an allowing rule does not cover: those outside the sandbox.
  Approvals.ask(undefined, options)
]

/** The owner of the key may use this machine; the page has its own rate limit. */
const ofPage: AccessOptions = { owners: [ownerId], perMinute: 600 }

export const accessBy =
  (configuration: ChannelConfiguration & Pick<Configuration, "webhooks">) =>
  ({ channel }: ChannelAccount): AccessOptions => {
    if (channel === "web") return ofPage
    if (channel === webhookChannel) return { users: Object.keys(configuration.webhooks ?? {}) }
    const { owners, admins, approvers, users, groups } = (isChannel(channel) ? configuration[channel] : undefined) ?? {}
    return { owners, admins, approvers, users, groups }
  }

export interface ServeFlags extends ClusterFlags {
  readonly config: Option.Option<string>
  /** Module with a CLI of the user's own, which answers unless a chat chooses another agent. */
  readonly agentModule: Option.Option<string>
  /** `""`: without a port. */
  readonly web: Option.Option<string>
  readonly host: Option.Option<string>
  readonly status: boolean
  readonly pair: boolean
  readonly removeHome: Option.Option<string>
}

export interface ServePlan {
  readonly host: string
  /** Tried in this order. */
  readonly ports: readonly [number, ...ReadonlyArray<number>]
  readonly title: string
  readonly allowRemote: boolean
  readonly hosts: ReadonlyArray<string>
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** Undefined without a home of a cluster. */
  readonly cluster?: ClusterPlan | undefined
}

/** 7346 is `REIN` on the keys of a telephone; the others are tried if it is taken and no port is set. */
export const usualPorts = [7346, 7347, 7348, 7349, 7350, 7351, 7352, 7353, 7354, 7355] as const

const portOf = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : undefined
  return port !== undefined && port <= 65_535 ? port : undefined
}

export const servePlan = (
  { web, host: hostFlag }: Pick<ServeFlags, "web" | "host">,
  { web: configured = {} }: Pick<Configuration, "web">,
  directory: string
): Result.Result<ServePlan, string> => {
  const address = Option.getOrElse(web, () => "")
  const flag = address === "" ? undefined : portOf(address)
  if (address !== "" && flag === undefined)
    return Result.fail(`--web=${JSON.stringify(address)}: a port is a number from 1 to 65535, or 0 for any free one`)
  const host = Option.getOrElse(hostFlag, () => configured.host ?? "127.0.0.1")
  const { tls, allowRemote = false, hosts = [] } = configured
  if (!isLoopback(host) && !allowRemote)
    return Result.fail(
      `--host ${JSON.stringify(host)} lets other machines in: set web.allowRemote = true in reins.toml, with web.tls, or leave --host out`
    )
  const port = flag ?? configured.port
  return Result.succeed({
    host,
    ports: port === undefined ? usualPorts : [port],
    title: configured.title ?? (basename(directory) || "Reins"),
    allowRemote,
    hosts,
    tls
  })
}

/** A name for the current directory that a chat can use. */
const hereName = (directory: string) => {
  const name = basename(directory).replace(/\s+/g, "-")
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(name) ? name : "here"
}

/** The settings of the conversations of webhooks: those of `[chats]` count where a webhook has none. */
export const webhookChats = ({
  webhooks = {},
  chats = {}
}: Pick<Configuration, "webhooks" | "chats">): NonNullable<Configuration["chats"]> =>
  Object.fromEntries(
    Object.entries(webhooks).map(([name, { conversation = name, agent, directory, permissionMode }]) => {
      const id = chatIdOf(conversation)
      const own = present({ agent, directory, permissionMode })
      return [id, { permissionMode: "plan", ...(Object.hasOwn(chats, id) ? chats[id] : {}), ...own }]
    })
  )

/** The part of the configuration that a reload applies, from the next turn on. */
export const bridgeChanges = (
  configuration: Configuration,
  here: string
): Omit<BridgeChanges, "agent" | "directories"> & {
  readonly directories: { readonly [name: string]: BridgeDirectory }
} => {
  const { directories, directory, whileBusy, approvals, chats = {} } = configuration
  const worktreeAt = (path: string) => {
    const { isForEach, options } = configuredWorktree(configuration, path)
    return isForEach ? { worktree: options } : {}
  }
  const named = Object.entries(directories).map(
    ([name, { path, agent, model, permissionMode }]) =>
      [name, { path, agent, model, permissionMode, ...worktreeAt(path) }] as const
  )
  const isNamed = directory !== undefined
  const own = hereName(here)
  return {
    directories: { ...(isNamed ? {} : { [own]: { path: here, ...worktreeAt(here) } }), ...Object.fromEntries(named) },
    directory: directory ?? own,
    whileBusy,
    approvals: approvals === undefined ? undefined : approvalRules(approvals),
    chats: { ...chats, ...webhookChats(configuration) },
    access: accessBy(configuration)
  }
}

/** Targets are chats of the served channels. */
export const gatewayOf = (
  { gateway: { targets = {}, ...others } = {}, zone }: Pick<Configuration, "gateway" | "zone">,
  served: ReadonlyArray<Pick<Channel, "id" | "accountId">>
): GatewayOptions => {
  if (served.length === 0) return { ...others, zone }
  const listed = Object.entries(targets).flatMap(([name, target]) => {
    const { chat: chatId, channel, thread: threadId, description } = target
    const account = served.find(({ id }) => channel === undefined || id === channel)
    if (account === undefined) return []
    const conversation = { channel: account.id, accountId: account.accountId, chatId, ...present({ threadId }) }
    return [[name, { conversation, ...present({ description }) }] as const]
  })
  return { ...others, zone, targets: Object.fromEntries(listed) }
}
