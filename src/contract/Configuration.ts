/** The words of the configuration file `reins.toml`. */

import type { PermissionMode } from "./AgentExecuteParams.ts"
import type { AgentOptions } from "./AgentOptions.ts"
import type { Budget } from "./Budget.ts"
import type { CliId } from "./CliId.ts"
import type { StoreKeep } from "./Sessions.ts"
import type { TelemetryOptions } from "./Telemetry.ts"
import type { ModelPrices } from "./Usage.ts"

/** What is configured for an agent, wherever it works. */
export interface ConfiguredAgent {
  /** Model, as the CLI names it. */
  readonly model?: string
  /** What the agent may do without asking. */
  readonly permissionMode?: PermissionMode
  /** Tools that need no permission. */
  readonly allowedTools?: ReadonlyArray<string>
  /** The required way of paying. */
  readonly billing?: "subscription" | "api-key"
  /** The CLI's program: a name on PATH, or an absolute path. */
  readonly command?: string
}

/** A directory with a name, and what is configured for agents that work in it or below it. */
export interface ConfiguredDirectory {
  /** Absolute path. */
  readonly path: string
  /** The agent that works here. Default: that of the whole file. */
  readonly agent?: CliId
  /** Model of the agent that works here; no other agent gets it. */
  readonly model?: string
  /** What any agent may do here without asking. */
  readonly permissionMode?: PermissionMode
  /** The way of paying that any agent needs here. */
  readonly billing?: "subscription" | "api-key"
}

/** Where conversations are kept, and for how long. */
export interface ConfiguredStore {
  /** Absolute path of the folder of the embedded database. */
  readonly directory?: string
  /** Where the URL of a PostgreSQL database is: in a variable of the environment, or in a file of the user. */
  readonly database?: { readonly env: string } | { readonly file: string }
  /** How long things are kept. */
  readonly keep?: StoreKeep
}

/** What agents of `reins serve` may do, and what people are asked about: kinds of requests, `command(PATTERN)`, or `*`. */
export interface ConfiguredApprovals {
  /** Denied. What is named stands before `*`; of two that fit, the stricter counts. */
  readonly deny?: ReadonlyArray<string>
  /** People are asked. */
  readonly ask?: ReadonlyArray<string>
  /** Done without asking. */
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
  /** Of the page. Default: `Reins`. */
  readonly title?: string
  /** Whether it may listen for other machines. */
  readonly allowRemote?: boolean
  /** Files of PEM; absolute paths. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** A group on Telegram in which the bot speaks. */
export interface ConfiguredGroup {
  /** Ids of those who may talk to agents. Default: those who may everywhere. */
  readonly users?: ReadonlyArray<string>
  /** Ids of those who may answer what agents ask. Default: those who may everywhere. */
  readonly approvers?: ReadonlyArray<string>
  /** Whether only mentions of the bot, replies to it and commands count. Default: true. */
  readonly mention?: boolean
}

/** The bot of `reins serve` on Telegram, and who may talk to it: each list may do what those below it may. */
export interface ConfiguredTelegram {
  /** The bot's token, or where it is: in a variable of the environment, or in a file of the user. */
  readonly token: string | { readonly env: string } | { readonly file: string }
  /** Ids of people who may do everything. */
  readonly owners?: ReadonlyArray<string>
  /** Ids of people who choose agent, model, mode and directory. */
  readonly admins?: ReadonlyArray<string>
  /** Ids of people who answer what agents ask. */
  readonly approvers?: ReadonlyArray<string>
  /** Ids of people who talk to agents. */
  readonly users?: ReadonlyArray<string>
  /** By the ids of the groups. In others nobody is answered. */
  readonly groups?: { readonly [chatId: string]: ConfiguredGroup }
  /** A Bot API server of one's own. */
  readonly apiRoot?: string
}

/** What is configured for one chat, until people choose something else there. */
export interface ConfiguredChat {
  /** The agent that answers. */
  readonly agent?: CliId
  /** Its model; no other agent gets it. */
  readonly model?: string
  /** What the agent may do without asking. */
  readonly permissionMode?: PermissionMode
  /** How much it thinks. */
  readonly effort?: string
  /** The name of the directory where agents work. */
  readonly directory?: string
  /** Whether agents plan first. */
  readonly planMode?: "off" | "auto" | "on"
  /** How an agent at work is shown. */
  readonly progress?: "edit" | "brief" | "off"
}

/** What the user has configured in `reins.toml`. */
export interface Configuration {
  /** The file that was read; undefined if there is none. */
  readonly file?: string
  /** A `reins.toml` of the working directory. It was not read: whoever made the directory may have put it there. */
  readonly ignored?: string
  /** The agent that is asked unless another is named. */
  readonly agent?: CliId
  /** The name of the directory where agents work unless another is named. */
  readonly directory?: string
  /** By the id of the agent. */
  readonly agents: { readonly [Id in CliId]?: ConfiguredAgent }
  /** By name. */
  readonly directories: { readonly [name: string]: ConfiguredDirectory }
  /** Where conversations are kept. */
  readonly store?: ConfiguredStore
  /** Whether the program writes runs and chats to the ledger. Default: true. */
  readonly usage?: boolean
  /** What runs may spend. */
  readonly budgets?: ReadonlyArray<Budget>
  /** The time zone in which days and months begin. Default: that of the machine. */
  readonly zone?: string
  /** Prices of the user's own, with those of `priceFile`. */
  readonly prices?: ModelPrices
  /** The file that has further prices; absolute. */
  readonly priceFile?: string
  /** What is traced, where a program exports spans. */
  readonly telemetry?: TelemetryOptions
  /** What a message does in `reins serve` while the agent works. */
  readonly whileBusy?: "steer" | "queue" | "collect" | "interrupt"
  /** How `reins serve` shows an agent at work. */
  readonly progress?: "edit" | "brief" | "off"
  /** What agents of `reins serve` may do without a person. */
  readonly approvals?: ConfiguredApprovals
  /** Tools that agents of `reins serve` have for their chat. */
  readonly gateway?: { readonly profile?: "none" | "reply" | "messaging" | "full"; readonly scheduleUsd?: number }
  /** How many conversations of `reins serve` may have an agent open at once. */
  readonly limits?: { readonly total?: number }
  /** The web page of `reins serve`. */
  readonly web?: ConfiguredWeb
  /** The bot of `reins serve` on Telegram. */
  readonly telegram?: ConfiguredTelegram
  /** By the ids of chats. */
  readonly chats?: { readonly [chatId: string]: ConfiguredChat }
}

/** Which configuration is read. */
export interface ConfigurationOptions {
  /** This file, which has to exist. Default: `reins/reins.toml` in the user's directory for configuration. */
  readonly file?: string | undefined
}

/** For which run options are asked of a configuration. */
export interface ConfiguredChoice {
  /** The agent. Default: that of the directory, else that of the file, else `claude`. */
  readonly agent?: CliId | undefined
  /** The agent's working directory. Default: the configured one, else the current one. */
  readonly workingDirectory?: string | undefined
}

/** An agent as it is configured: `createAgent(agent, options)`. */
export interface ConfiguredRun {
  /** The agent that is to work. */
  readonly agent: CliId
  /** Its options; those of a call override `defaults`. */
  readonly options: AgentOptions
}

/** What is wrong in a configuration file. */
export interface ConfigurationProblem {
  /** The line of the file, from 1; undefined where it concerns the whole file. */
  readonly line?: number
  /** The key, such as `agents.claude.model`. */
  readonly key?: string
  /** What is wrong and what to do, for people; without control characters. */
  readonly problem: string
}

/** The facts of the error. */
export interface ConfigurationErrorFields {
  /** The file. */
  readonly file: string
  /** At least one, in the order of the file. */
  readonly problems: ReadonlyArray<ConfigurationProblem>
}

/** A configuration file that cannot be used. Nothing of it is in effect. */
export interface ConfigurationError extends Error, ConfigurationErrorFields {
  readonly _tag: "ConfigurationError"
  /** What to do about it; one or two sentences for people. */
  readonly help: string
}
