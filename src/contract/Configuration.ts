/** The configuration file `reins.toml`. */
import type { PermissionMode } from "./AgentExecuteParams.ts"
import type { AgentOptions } from "./AgentOptions.ts"
import type { Budget } from "./Budget.ts"
import type { KnownAgentId } from "./CliSupport.ts"
import type { StoreKeep } from "./Sessions.ts"
import type { TelemetryOptions } from "./Telemetry.ts"
import type { ModelPrices } from "./Usage.ts"
import type { WorktreeOptions } from "./WorktreeOptions.ts"

/** Configuration of an agent, in any directory. */
export interface ConfiguredAgent {
  /** Model, as the CLI names it. */
  readonly model?: string
  /** Permissions without asking. */
  readonly permissionMode?: PermissionMode
  /** Tools that need no permission. */
  readonly allowedTools?: ReadonlyArray<string>
  /** The required way of paying. */
  readonly billing?: "subscription" | "api-key"
  /** The CLI's program: a name on PATH, or an absolute path. */
  readonly command?: string
}

/** A directory with a name, and the configuration of agents that work in it or below it. */
export interface ConfiguredDirectory {
  /** Absolute path. */
  readonly path: string
  /** The agent that works here. Default: that of the whole file. */
  readonly agent?: KnownAgentId
  /** Model of the agent that works here; no other agent gets it. */
  readonly model?: string
  /** Permissions of any agent here without asking. */
  readonly permissionMode?: PermissionMode
  /** The required way of paying, for any agent here. */
  readonly billing?: "subscription" | "api-key"
  /** `each`: every conversation here has a git worktree of its own. */
  readonly worktree?: "each"
  /** A command line that prepares a new worktree. */
  readonly setup?: string
  /** The setup is ended after this time, such as `10 minutes`. */
  readonly setupTimeout?: string
  /** Files that git ignores and that are copied into a new worktree. */
  readonly copy?: ReadonlyArray<string>
}

/** Limits of worktrees. */
interface ConfiguredWorktrees {
  /** Maximum number of worktrees. Default: 20. */
  readonly max?: number
  /** Maximum size of the files of a new one. Default: 5,000. */
  readonly maxMegabytes?: number
}

/** The place of the store of conversations, and how long it keeps them. */
export interface ConfiguredStore {
  /** Absolute path of the folder of the embedded database. */
  readonly directory?: string
  /** The place of the URL of a PostgreSQL database: a variable of the environment, or a file of the user. */
  readonly database?: { readonly env: string } | { readonly file: string }
  /** How long things are kept. */
  readonly keep?: StoreKeep
}

/** Rules for requests of agents of `reins serve`: kinds of requests, `command(PATTERN)`, or `*`. */
export interface ConfiguredApprovals {
  /** Denied. A specific entry counts before `*`; of two that match, the stricter counts. */
  readonly deny?: ReadonlyArray<string>
  /** People are asked. */
  readonly ask?: ReadonlyArray<string>
  /** Allowed without asking. */
  readonly allow?: ReadonlyArray<string>
}

/** The web page of `reins serve`. */
export interface ConfiguredWeb {
  /** Its port; no other one is tried. */
  readonly port?: number
  /** The address at which it listens. */
  readonly host?: string
  /** Names by which other machines reach it. */
  readonly hosts?: ReadonlyArray<string>
  /** Title of the page. Default: `Reins`. */
  readonly title?: string
  /** Whether it may listen for other machines. */
  readonly allowRemote?: boolean
  /** PEM files; absolute paths. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** A secret, or its place: a variable of the environment, or a file of the user. */
export type ConfiguredSecret = string | { readonly env: string } | { readonly file: string }

/** A group in which the bot of a channel answers. */
interface ConfiguredGroup {
  /** Ids of users who may talk to agents. Default: those of the whole bot. */
  readonly users?: ReadonlyArray<string>
  /** Ids of users who may answer requests of agents. Default: those of the whole bot. */
  readonly approvers?: ReadonlyArray<string>
  /** Whether only mentions of the bot, replies to it and commands count. Default: true. */
  readonly mention?: boolean
}

/** Who may write to the bot of a channel: each list has the rights of the lists below it, too. */
export interface ConfiguredPeople {
  /** Ids of people with all rights. */
  readonly owners?: ReadonlyArray<string>
  /** Ids of people who choose agent, model, mode and directory. */
  readonly admins?: ReadonlyArray<string>
  /** Ids of people who answer requests of agents. */
  readonly approvers?: ReadonlyArray<string>
  /** Ids of people who talk to agents. */
  readonly users?: ReadonlyArray<string>
  /** By the ids of the groups. The bot answers in no other group. */
  readonly groups?: { readonly [chatId: string]: ConfiguredGroup }
}

/** The bot of `reins serve` on Telegram. */
interface ConfiguredTelegram extends ConfiguredPeople {
  readonly token: ConfiguredSecret
  /** URL of another Bot API server. */
  readonly apiRoot?: string
}

/** The app of `reins serve` on Slack, by Socket Mode. */
interface ConfiguredSlack extends ConfiguredPeople {
  /** For the bot: `xoxb-…`. */
  readonly botToken: ConfiguredSecret
  /** For the app: `xapp-…`. */
  readonly appToken: ConfiguredSecret
  /** URL of another server with Slack's Web API. */
  readonly apiRoot?: string
}

/** The bot of `reins serve` on Discord. */
interface ConfiguredDiscord extends ConfiguredPeople {
  readonly token: ConfiguredSecret
  /** Whether it has the Message Content Intent. Default: true. */
  readonly content?: boolean
  /** URL of another server with Discord's API. */
  readonly apiRoot?: string
}

/** The business number of `reins serve` on WhatsApp, by the Cloud API. It answers in no group. */
interface ConfiguredWhatsApp extends ConfiguredPeople {
  /** Id of the phone number. */
  readonly phone: string
  readonly token: ConfiguredSecret
  readonly appSecret: ConfiguredSecret
  readonly verifyToken: ConfiguredSecret
  /** Port of the webhook. Default: 7356. */
  readonly port?: number
  /** Address at which it listens. Default: `127.0.0.1`. */
  readonly host?: string
  /** Id of the business account, for `reins doctor`. */
  readonly waba?: string
  /** Public address of the webhook, for `reins doctor`. */
  readonly url?: string
  /** URL of another server with the Graph API. */
  readonly apiRoot?: string
}

/** A path of `reins serve` by which other programs begin turns. */
export interface ConfiguredWebhook {
  /** Shared with the sender; at least 16 characters. */
  readonly secret: ConfiguredSecret
  /** The sender's proof: `X-Hub-Signature-256`, `X-Gitlab-Token`, `X-Slack-Signature`, or `Authorization: Bearer`. */
  readonly signature: "github" | "gitlab" | "hmac" | "bearer"
  /** Text with the paths of fields of the JSON that arrives: `{{pull_request.title}}`. */
  readonly prompt: string
  /** Name of the conversation; webhooks may share one. Default: the name of the webhook. */
  readonly conversation?: string
  /** The agent that answers. */
  readonly agent?: KnownAgentId
  /** The name of the directory where it works. */
  readonly directory?: string
  /** Permissions; requests beyond them are denied. Default: `plan`. */
  readonly permissionMode?: PermissionMode
  /** Longest body. Default: 1,000,000. */
  readonly maxBytes?: number
  /** Deliveries in a minute. Default: 10. */
  readonly rate?: number
  /** The status for further ones. Default: 429. */
  readonly rateStatus?: number
  /** The status while an owner has paused the bridge; with 202 deliveries are stored meanwhile. Default: 503. */
  readonly pausedStatus?: number
  /** The header with the id of a delivery. Default: that of the sender. */
  readonly idHeader?: string
  /** How repeated deliveries are known: by their id, or by their body. Default: `id`. */
  readonly once?: "id" | "body"
  /** The chat that gets the answer, such as `telegram:123456789`. Default: the log. */
  readonly tell?: string
  /** The HTTP response has the answer. Default: the response comes at once. */
  readonly answer?: "http"
  /** How long a response waits for the answer. Default: `2 minutes`. */
  readonly deadline?: string
}

/** The server of the webhooks. */
interface ConfiguredWebhookServer {
  /** Default: 7357. */
  readonly port?: number
  /** The address at which it listens. Default: `127.0.0.1`. */
  readonly host?: string
  /** Whether it may listen for other machines. */
  readonly allowRemote?: boolean
  /** PEM files; absolute paths. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Configuration of one chat, until its people choose something else. */
interface ConfiguredChat {
  /** The agent that answers. */
  readonly agent?: KnownAgentId
  /** Its model; no other agent gets it. */
  readonly model?: string
  /** Permissions without asking. */
  readonly permissionMode?: PermissionMode
  /** Reasoning effort. */
  readonly effort?: string
  /** The name of the directory where agents work. */
  readonly directory?: string
  /** Whether agents plan first. */
  readonly planMode?: "off" | "auto" | "on"
  /** How progress is shown. */
  readonly progress?: "edit" | "draft" | "brief" | "off"
}

/** A chat that agents of `reins serve` may write to beside their own. */
interface ConfiguredTarget {
  /** Its id, which `/whoami` shows there. */
  readonly chat: string
  /** Its channel. Default: the one that is configured. */
  readonly channel?: "telegram" | "slack" | "discord" | "whatsapp"
  /** A topic of the chat. */
  readonly thread?: string
  /** For agents. */
  readonly description?: string
}

/** Tools of agents of `reins serve` for chats. */
interface ConfiguredGateway {
  readonly profile?: "none" | "reply" | "messaging" | "full"
  /** Whether the tools are also listed under the names of other bridges. */
  readonly aliases?: boolean
  /** By the names by which agents call them. */
  readonly targets?: { readonly [name: string]: ConfiguredTarget }
  readonly scheduleUsd?: number
}

/** The program that transcribes voice messages for `reins serve`. */
interface ConfiguredTranscription {
  /** With its arguments; `{file}` is the path of the voice message, else the last argument. */
  readonly command: ReadonlyArray<string>
  /** The program is ended after this time, such as `2 minutes`. */
  readonly timeout?: string
}

/** The content of `reins.toml`. */
export interface Configuration {
  /** The file that was read; undefined if no file exists. */
  readonly file?: string
  /** A `reins.toml` of the working directory. It was not read, since it may come from the author of the directory. */
  readonly ignored?: string
  /** The agent to ask by default. */
  readonly agent?: KnownAgentId
  /** The name of the directory where agents work by default. */
  readonly directory?: string
  /** By the id of the agent. */
  readonly agents: { readonly [Id in KnownAgentId]?: ConfiguredAgent }
  /** By name. */
  readonly directories: { readonly [name: string]: ConfiguredDirectory }
  /** Limits of worktrees. */
  readonly worktrees?: ConfiguredWorktrees
  /** The store of conversations. */
  readonly store?: ConfiguredStore
  /** Whether the program writes runs and chats to the ledger. Default: true. */
  readonly usage?: boolean
  /** Limits for the spending of runs. */
  readonly budgets?: ReadonlyArray<Budget>
  /** The time zone in which days and months begin. Default: that of the machine. */
  readonly zone?: string
  /** The user's own prices, with those of `priceFile`. */
  readonly prices?: ModelPrices
  /** The file with further prices; absolute. */
  readonly priceFile?: string
  /** Content of spans, where a program exports them. */
  readonly telemetry?: TelemetryOptions
  /** The effect of a message in `reins serve` while the agent works. */
  readonly whileBusy?: "steer" | "queue" | "collect" | "interrupt"
  /** How `reins serve` shows progress. */
  readonly progress?: "edit" | "draft" | "brief" | "off"
  /** Rules for requests of agents of `reins serve`. */
  readonly approvals?: ConfiguredApprovals
  /** Tools of agents of `reins serve` for their chat. */
  readonly gateway?: ConfiguredGateway
  /** Maximum number of conversations of `reins serve` with an open agent. */
  readonly limits?: { readonly total?: number }
  /** The web page of `reins serve`. */
  readonly web?: ConfiguredWeb
  /** The bot of `reins serve` on Telegram. */
  readonly telegram?: ConfiguredTelegram
  /** The app of `reins serve` on Slack. */
  readonly slack?: ConfiguredSlack
  /** The bot of `reins serve` on Discord. */
  readonly discord?: ConfiguredDiscord
  /** The number of `reins serve` on WhatsApp. */
  readonly whatsapp?: ConfiguredWhatsApp
  /** By the names in their paths. */
  readonly webhooks?: { readonly [name: string]: ConfiguredWebhook }
  /** The server of the webhooks. */
  readonly webhookServer?: ConfiguredWebhookServer
  /** Voice messages as texts, in all channels of `reins serve`. */
  readonly transcribe?: ConfiguredTranscription
  /** By the ids of chats. */
  readonly chats?: { readonly [chatId: string]: ConfiguredChat }
}

/** The configuration to read. */
export interface ConfigurationOptions {
  /** A file, which has to exist. Default: `reins/reins.toml` in the user's directory for configuration. */
  readonly file?: string | undefined
}

/** The run that options are needed for. */
export interface ConfiguredChoice {
  /** The agent. Default: that of the directory, else that of the whole file, else `claude`. */
  readonly agent?: KnownAgentId | undefined
  /** The agent's working directory. Default: the configured one, else the current one. */
  readonly workingDirectory?: string | undefined
}

/** A configured agent: `createAgent(agent, options)`. */
export interface ConfiguredRun {
  /** The agent. */
  readonly agent: KnownAgentId
  /** Its options; those of a call override `defaults`. */
  readonly options: AgentOptions
  /** For the parameter `worktree` of conversations, where each has one. */
  readonly worktree?: WorktreeOptions
}
